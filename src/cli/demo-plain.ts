import { text } from "../events/block.ts";
import type { SessionEvent } from "../events/event.ts";
import { OVERVIEW } from "../model/demo-talk.ts";
import type { Answer, Asker, Question } from "../permissions/asker.ts";
import type { Out } from "../print/print.ts";
import { exitCode } from "../session/exit-code.ts";
import { sanitize } from "../util/visible.ts";
import type { RunOptions } from "./args.ts";
import type { DemoPlace } from "./demo.ts";
import { stopOnSignals } from "./signals.ts";
import { stdio } from "./stdio.ts";
import { wire } from "./wire.ts";

/** The tour as plain lines, for where there is no terminal: everything runs for real, in the temporary copy. Gives the exit code. */
export async function playPlain(options: RunOptions, version: string, { folder, dirs }: DemoPlace): Promise<number> {
  const { signal, code } = stopOnSignals();
  const to = stdio(process.stdout, process.stderr);
  const prompt = options.prompt ?? "";
  await to.out(
    `Understudy ${version}: a demo without a key or a network, on a temporary copy of some notes\n\n> ${prompt}\n`,
  );
  const session = await wire(options, version, folder, dirs).open(yesToOverview(to));
  try {
    const run = session.submit([text(prompt)], signal);
    for (;;) {
      const step = await run.next();
      if (step.done === true) {
        const end = step.value;
        await to.out(end.reason === "done" ? `\n${NEXT}` : `\n\nThe demo ended early: ${end.detail ?? end.reason}.\n`);
        return code() ?? exitCode(end.reason);
      }
      await to.out(sanitize(lineOf(step.value)));
    }
  } finally {
    await session.close();
  }
}

const NEXT = `
The temporary copy is removed now; nothing of yours was touched.
Next: set ANTHROPIC_API_KEY and run agent in a folder of yours, or agent demo in a terminal for the screen.
`;

/** Nobody can answer here, so the program plays the person: yes to the one file that the tour is about, in the copy; no to all else. */
function yesToOverview(to: Out): Asker {
  return {
    async ask(question) {
      const answer = answerTo(question);
      const played = answer.kind === "yes" ? "yes (a person would decide here; this is only the copy)" : "no";
      await to.out(sanitize(`${proposal(question)}  decided: ${played}\n`));
      return answer;
    },
    askPerson: () => Promise.resolve(undefined),
  };
}

function answerTo({ gate, effect }: Question): Answer {
  const [entry, ...others] = effect.changes?.entries ?? [];
  const isIt = entry?.path === OVERVIEW && entry.op === "create" && others.length === 0;
  return gate === "changes" && isIt ? { kind: "yes" } : { kind: "no" };
}

function proposal({ diffs, effect, decision }: Question): string {
  const files = diffs.map((d) => {
    const lines = d.hunks.flatMap((h) => h.lines.map((line) => `    ${line}\n`));
    return `  proposed: ${d.op} ${d.path} (+${d.added} -${d.removed})\n${lines.join("")}`;
  });
  return `${files.join("")}  question: ${effect.tool} ${effect.subject}? (${decision.risk} risk: ${decision.reason})\n`;
}

/** What a plain reader sees of an event; most need no line. */
function lineOf(event: SessionEvent): string {
  switch (event.type) {
    case "reply.started":
      return "\n";
    case "text.delta":
      return event.text;
    case "reply.completed":
      return "\n";
    case "call.started":
      return `  ${event.tool} ${subject(event.input)}\n`;
    case "call.finished":
      return `  ${event.status}: ${summary(event.content)}\n`;
    case "changes.landed":
      return `  landed: ${event.summary.entries.map((e) => `${e.op} ${e.path}`).join(", ")}\n`;
    default:
      return "";
  }
}

function subject(input: Record<string, unknown>): string {
  const named = input["file_path"] ?? input["pattern"];
  return typeof named === "string" ? named : "";
}

function summary(content: readonly { type: string; text?: string }[]): string {
  const lines = content.flatMap((b) => (b.text ?? "").split("\n")).filter((line) => line.trim() !== "");
  return lines.length > 1 ? `${lines.length} lines` : (lines[0] ?? "no output");
}
