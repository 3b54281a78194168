import { join } from "node:path";
import { textOf } from "../../src/events/block.ts";
import { listSessions } from "../../src/events/sessions.ts";
import { requestChars } from "../../src/context/size.ts";
import { openSession, toEnd, type Model } from "../../src/index.ts";
import { type Asked, type Said, talkingModel, taskCall } from "./agents.ts";
import { careful, chargeTool } from "./charging.ts";
import { libraryOptions } from "./library.ts";
import { isSummary } from "./long-talk.ts";
import type { Place } from "./open-at.ts";

// Started as a process: a session that hands work to sub-agents, grows long, and is cleared and summed up on the way. Killed anywhere and
// started again it goes on from where the log says that it stands; `argv[2]`: the place, as JSON.
const at = JSON.parse(process.argv[2] ?? "") as Place;

type Call = NonNullable<Said["calls"]>[number];
const read = (...names: string[]): Call[] =>
  names.map((name) => ({ name: "Read", input: { file_path: `long/${name}.txt` } }));
const write = (file_path: string): Call => ({ name: "Write", input: { file_path, content: `${file_path}\n` } });
const bash = (command: string): Call => ({ name: "Bash", input: { command } });
const glob: Call = { name: "Glob", input: { pattern: "precious.txt" } };
const charge = (eur: number): Call => ({ name: "charge", input: { eur } });

/** Steps of each conversation, by whose it is: calls, or the last words of a message. */
const STEPS: Record<string, readonly (readonly Call[] | string)[]> = {
  "": [
    [taskCall("explore", "look"), taskCall("general", "write"), taskCall("general", "run")],
    [{ name: "AskUser", input: { question: "Which colour?" } }],
    "The first part is done.",
    read("a", "b", "c"),
    [bash("echo first >> log.txt"), { name: "TodoWrite", input: { todos: [{ text: "paint", status: "active" }] } }],
    [taskCall("carver", "carve"), taskCall("general", "write on", { resume: "a2" })],
    read("d"),
    // The first reads were cleared.
    [charge(7)],
    read("e", "f", "a"),
    // All but the last reads was summed up.
    "All of it is done.",
  ],
  look: [read("a", "b", "c"), read("d", "e", "f"), "It is all there."],
  write: [
    [write("w/one.txt"), charge(5), { name: "Delete", input: { file_path: "precious.txt" } }],
    "I have written it.",
    // Asked further.
    [bash("echo run >> w/runs.txt")],
    "I have written more.",
  ],
  run: [[bash("echo run >> runs.txt"), taskCall("explore", "find")], "It ran."],
  find: [[glob], "Found."],
  carve: [[write("carved.txt"), bash("echo carved >> carved.txt")], "It is carved."],
};

/** Says each step once, whatever of the conversation is left: the newest reply tells which came last. */
const talking = talkingModel(({ request }: Asked): Said => {
  if (isSummary(request)) return { text: "## Done\nIt went on as it should." };
  const own = request.messages.filter((m) => m.role === "assistant").map((m) => textOf(m.content));
  const [, whose = "", n = "0"] = /Step (\w*)\.(\d+)/.exec(own.at(-1) ?? "") ?? [];
  const first = request.messages[0]?.content ?? [];
  const name = own.length > 0 ? whose : (Object.keys(STEPS).find((key) => key !== "" && says(first, key)) ?? "");
  const next = STEPS[name]?.[Number(n)];
  const step = `Step ${name}.${Number(n) + 1}`;
  if (next === undefined) throw new Error(`${step} is not there`);
  if (typeof next === "string") return { text: `${step} ${next}` };
  return { text: step, calls: next.map((call, i) => ({ ...call, id: `toolu_${name}_${Number(n) + 1}_${i}` })) };
});

/** Counts as the service does. */
const model: Model = {
  ...talking,
  async *stream(request, signal) {
    const input = Math.round(requestChars(request) / 3.5);
    for await (const event of talking.stream(request, signal))
      yield event.type === "reply" ? { ...event, usage: { ...event.usage, input } } : event;
  },
};

function says(content: Asked["request"]["messages"][number]["content"], task: string): boolean {
  return content.some((b) => b.type === "text" && b.text.trim() === task);
}

const known = listSessions(join(at.state, "understudy", "sessions"))[0]?.id;
const session = await openSession(
  libraryOptions(at, {
    model,
    tools: [chargeTool(at.home)],
    program: "shop",
    ...(known === undefined ? { mode: "auto" } : {}),
    asker: careful,
    ...(known === undefined ? {} : { resume: known }),
  }),
);
for (let n = 1; n <= 2; n++) {
  if (session.state().prompts < n) await toEnd(session.submit(`part ${n}`));
  while (session.state().prompts === n && session.unfinished() !== undefined) {
    const waits = session.state().query?.ended === "waiting";
    await toEnd(waits ? session.goOn(undefined, "blue") : session.goOn());
  }
}
await session.close();
