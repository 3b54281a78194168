// A process of its own with a key in its environment: sessions whose model is a server, and whose person says no to everything.
// Arguments: the place, the server, the answers of its tool, as JSON. Messages: {mode} opens a session, {say} sends a prompt to it.
import { readFileSync } from "node:fs";
import { isFact } from "../../../src/events/event.ts";
import type { Mode } from "../../../src/events/effect.ts";
import { anthropicModel } from "../../../src/model/anthropic.ts";
import { questionText } from "../../../src/permissions/question-text.ts";
import type { Session } from "../../../src/session/session.ts";
import { builtinTools } from "../../../src/tools/builtin.ts";
import { programTool, toolOf } from "../../../src/tools/program-tool.ts";
import { systemClock } from "../../../src/util/system.ts";
import { collect, openAt, type Place } from "../open-at.ts";
import { z } from "zod";

export interface ChildInput {
  at: Place;
  api: string;
  /** File with the tool's answers by number. */
  answers: string;
  description: string;
}
/** What one prompt came to. */
export interface Told {
  asked: string[];
  calls: { tool: string; status: string; result: string }[];
  landed: number;
  ended: string;
}

const { at, api, answers, description } = JSON.parse(process.argv[2] ?? "") as ChildInput;
const texts = (): Record<string, string> => JSON.parse(readFileSync(answers, "utf8")) as Record<string, string>;
const apiKey = process.env["ANTHROPIC_API_KEY"] ?? "";
let asked: string[] = [];
const asker = {
  ask: (question: Parameters<typeof questionText>[0]) => {
    asked.push(questionText(question));
    return Promise.resolve({ kind: "no", note: "no" } as const);
  },
  askPerson: () => Promise.resolve("no"),
};
const tracker = programTool({
  name: "tracker",
  description,
  input: z.object({ issue: z.number(), comment: z.string().optional(), post: z.boolean().optional() }),
  effects: (input) => (input.post === true ? "outside" : "none"),
  run: ({ issue }) => texts()[issue] ?? "no such issue",
});

function open(mode: Mode): Promise<Session> {
  return openAt(at, {
    model: anthropicModel("claude-sonnet-5-5", {
      access: { baseUrl: api, apiKey },
      clock: systemClock,
      random: () => 0,
    }),
    asker,
    more: {
      tools: [...builtinTools, toolOf(tracker, "tracker")],
      machine: {
        env: process.env,
        home: at.home,
        uid: process.getuid?.() ?? 0,
        gid: process.getgid?.() ?? 0,
        platform: process.platform,
        arch: process.arch,
      },
      mode,
    },
  });
}

let session: Session | undefined;
async function say(words: string): Promise<Told> {
  if (session === undefined) throw new Error("no session is open");
  asked = [];
  const { events, result } = await collect(
    session.submit([{ type: "text", text: words }], new AbortController().signal),
  );
  const facts = events.filter(isFact);
  const calls = facts.flatMap((f) =>
    f.type === "call.finished"
      ? [
          {
            tool: session?.state().calls.get(f.callId)?.tool ?? "",
            status: f.status,
            result: f.content.map((b) => (b.type === "text" ? b.text : "")).join("\n"),
          },
        ]
      : [],
  );
  const landed = facts.filter((f) => f.type === "changes.landed").length;
  return { asked, calls, landed, ended: `${result.reason} ${result.detail ?? ""}` };
}

type Message = { mode: Mode } | { say: string } | { close: true };

async function answer(message: Message): Promise<unknown> {
  try {
    if ("say" in message) return await say(message.say);
    await session?.close();
    session = "mode" in message ? await open(message.mode) : undefined;
    return { open: session?.id };
  } catch (error) {
    return { broke: String(error) };
  }
}

process.on("message", (message: Message) => {
  void (async () => process.send?.(await answer(message)))();
});
process.send?.({ ready: true });
