import type { EndReason, SessionEvent } from "../../src/events/event.ts";
import type { Script, Stage } from "./fake-session.ts";
import { entry, oneLineDiff, question, summary } from "./questions.ts";

type Play = AsyncGenerator<SessionEvent, EndReason>;

const MARKDOWN = `# What I found

The **parser** drops \`\\r\` in quoted fields. Three places matter:

- \`src/parse.ts\` reads line by line
- \`src/write.ts\` writes \`\\n\` only
  - and the tests agree with it

| file | lines | why |
|------|-------|-----|
| src/parse.ts | 120 | splits too early |
| src/write.ts | 44 | joins with the wrong sign |

\`\`\`ts
export function parse(text: string): string[] {
  return text.split("\\n"); // too early
}
\`\`\`

> Nothing else uses them.`;

/** What a person may type to the fake session. */
const PLAYS: readonly [pattern: RegExp, play: (stage: Stage, words: string) => Play][] = [
  [/^stream (\d+)/, stream],
  [/^edit/, editFile],
  [/^delete/, deleteMany],
  [/^sleep/, sleepLong],
  [/^ask/, askPerson],
  [/^md/, markdownReply],
  [/^long (\d+)/, longOutput],
  [/^todo/, todoList],
  [/^two/, twoQuestions],
  [/^fail/, failing],
];

/** Plays by the first word of the prompt; anything else is echoed. */
export const playScript: Script = (stage) => {
  const found = PLAYS.find(([pattern]) => pattern.test(stage.prompt));
  return found === undefined ? echo(stage) : found[1](stage, stage.prompt);
};

async function* echo(stage: Stage): Play {
  yield* stage.reply(`You said: ${stage.prompt}`);
  return "done";
}

async function* stream(stage: Stage, words: string): Play {
  const n = Number(/\d+/.exec(words)?.[0]);
  const text = Array.from({ length: n }, (_, at) => `w${at}${at % 40 === 39 ? "\n\n" : " "}`).join("");
  yield* stage.reply(text, [], Number(/\d+ (\d+)/.exec(words)?.[1] ?? 1));
  return "done";
}

async function* editFile(stage: Stage): Play {
  const id = `call_${stage.state().seq}`;
  const hunks = [
    { oldStart: 10, newStart: 10, lines: [" function limit() {", "-  return 10;", "+  return 20;", " }"] },
    { oldStart: 40, newStart: 40, lines: [" // end", "+export { limit };"] },
  ];
  const diff = { ...oneLineDiff("src/a.ts"), hunks, added: 2, removed: 1 };
  const call = {
    id,
    tool: "Edit",
    input: { file_path: "/home/p/project/src/a.ts", old_string: "10", new_string: "20" },
    output: "Changed src/a.ts.",
    question: question({
      callId: id,
      changes: summary([entry("src/a.ts", { added: 2, removed: 1 })]),
      diffs: [diff],
      offer: { session: "Edit(src/a.ts)", always: "Edit(src/a.ts)" },
    }),
  };
  yield* stage.reply("I change the limit.", [call]);
  const answer = yield* stage.run(call);
  if (answer?.kind === "no" && answer.note === undefined) return "denied";
  yield* stage.steered();
  yield* stage.reply(answer?.kind === "no" ? `You said: ${answer.note}` : "The limit is 20 now.");
  return "done";
}

async function* deleteMany(stage: Stage): Play {
  const id = `call_${stage.state().seq}`;
  const entries = Array.from({ length: 40 }, (_, at) =>
    entry(`old/file-${at}.ts`, { op: "delete", marks: ["delete"], removed: 12 }),
  );
  const call = {
    id,
    tool: "Bash",
    input: { command: "rm -rf old" },
    live: ["removing\n"],
    exit: 0,
    question: question({
      callId: id,
      tool: "Bash",
      subject: "rm -rf old",
      risk: "high",
      reason: "deletes 40 files, more than 10 in one step",
      command: { text: "rm -rf old", cwd: "/home/p/project", exit: 0, output: "" },
      changes: summary(entries),
    }),
  };
  yield* stage.reply("", [call]);
  const answer = yield* stage.run(call);
  if (answer?.kind !== "yes") return "denied";
  yield* stage.reply("Deleted.");
  return "done";
}

async function* sleepLong(stage: Stage): Play {
  const id = `call_${stage.state().seq}`;
  const live = Array.from({ length: 100_000 }, (_, at) => `tick ${at}\n`);
  const call = { id, tool: "Bash", input: { command: "sleep 100" }, live, livePause: 50 };
  yield* stage.reply("", [call]);
  yield* stage.run(call);
  yield* stage.steered();
  return "done";
}

async function* askPerson(stage: Stage): Play {
  const options = [{ label: "red", description: "a warm one" }, { label: "blue" }];
  const answer = await stage.asker.askPerson({ question: "Which colour?", options }, stage.signal);
  yield* stage.reply(`You chose ${answer ?? "nothing"}.`);
  return "done";
}

async function* markdownReply(stage: Stage): Play {
  yield* stage.reply(MARKDOWN, [], 2);
  return "done";
}

async function* longOutput(stage: Stage, words: string): Play {
  const id = `call_${stage.state().seq}`;
  const n = Number(/\d+/.exec(words)?.[0]);
  const output = Array.from({ length: n }, (_, at) => `output line ${at}`).join("\n");
  const call = { id, tool: "Bash", input: { command: `seq ${n}` }, output, exit: 0 };
  yield* stage.reply("", [call]);
  yield* stage.run(call);
  yield* stage.reply("That was long.");
  return "done";
}

async function* todoList(stage: Stage): Play {
  const texts = ["Read the code", "Change the parser", "Run the tests", "Write the notes"];
  const at = (n: number) =>
    texts.map((text, i) => ({
      text,
      status: i < n ? ("done" as const) : i === n ? ("active" as const) : ("pending" as const),
    }));
  yield* stage.reply("I make a list.");
  for (let n = 0; n < 4; n++) {
    yield stage.fact({ type: "todo.updated", todos: at(n) });
    await stage.sleep(400);
  }
  yield stage.fact({ type: "todo.updated", todos: at(4) });
  return "done";
}

async function* twoQuestions(stage: Stage): Play {
  yield* editFile(stage);
  return yield* editFile(stage);
}

async function* failing(stage: Stage): Play {
  yield { type: "request.retrying", attempt: 1, of: 5, inMs: 700, reason: "The API is overloaded (529)" };
  await stage.sleep(700);
  const id = `call_${stage.state().seq}`;
  const output = `${Array.from({ length: 30 }, (_, at) => `line ${at}`).join("\n")}\n1 test failed`;
  const call = { id, tool: "Bash", input: { command: "npm test" }, output, exit: 1, status: "error" as const };
  yield* stage.reply("I run the tests.", [call]);
  yield* stage.run(call);
  yield stage.fact({
    type: "query.finished",
    reason: "api-error",
    detail: "401: the key is not valid. Set ANTHROPIC_API_KEY.",
    turns: 1,
    durationMs: 5,
  });
  return "done";
}
