import { z } from "zod";
import { text } from "../events/block.ts";
import { asData } from "./as-data.ts";
import { failed } from "./outcome.ts";
import { defineTool, type AgentAnswer, type Outcome, type Progress, type ToolContext } from "./tool.ts";

const Input = z.strictObject({
  description: z.string().min(1).max(200).describe("In 3 to 6 words, for the person"),
  prompt: z.string().min(1).describe("The whole task"),
  agent: z.string().optional().describe("Kind; default general"),
  resume: z.string().optional().describe("Id of one that has ended: prompt is a further question to it"),
});
type Input = z.infer<typeof Input>;

/** Bytes of an answer that the model gets, for about 1,900 tokens; the program's own words come behind. */
const MOST_BYTES = 6400;
/** Of these so much of the beginning. */
const HEAD = 0.75;

/** Hands work to a sub-agent (C5, T1). */
export const taskTool = defineTool<Input>({
  name: "Task",
  description: `Starts a sub-agent with a context of its own: only its last message comes back, at most 2,000 tokens. Use it for reading many files of which you need the conclusion alone, or for a separable piece of work; not for what a few calls of yours do.
It sees nothing of this conversation: put all it needs into prompt (paths, decisions, what to report). Several in one reply run side by side and share the folder: give each its own files. What it changes lands as yours does.
Kinds: explore (reads, changes nothing), general (all tools); a note names others.
Example: {"agent":"explore","description":"Find the retry logic","prompt":"In src/, find every place where an HTTP request is tried again. Report path:line of each, and how often it tries."}`,
  input: Input,
  agents: true,
  subject: (input) => input.agent ?? "general",
  needs: () => Promise.resolve([]),
  parallel: () => true,
  run,
});

async function* run(input: Input, ctx: ToolContext): AsyncGenerator<Progress, Outcome> {
  if (ctx.runAgent === undefined) return failed("Sub-agents can't be started here: do it yourself.");
  const { description, prompt, agent = "general", resume } = input;
  const task = { agent, description, prompt, ...(resume === undefined ? {} : { resume }) };
  return outcomeOf(yield* ctx.runAgent(task));
}

function outcomeOf(answer: AgentAnswer): Outcome {
  if ("failed" in answer) return failed(answer.failed);
  const { status, told, details } = answer;
  const words = answer.text.trim() === "" ? "(It said nothing.)" : asData(shortened(answer.text.trim(), answer.file));
  return { status, content: [text([words, ...told.map((line) => `[${line}]`)].join("\n"))], details };
}

/** Head and tail of what is too long, with the file that holds all of it. */
function shortened(words: string, file: string | undefined): string {
  if (!isLong(words)) return words;
  const head = upTo(words, MOST_BYTES * HEAD);
  const end = lastOf(words.slice(head.length), MOST_BYTES * (1 - HEAD));
  const left = words.length - head.length - end.length;
  return `${head}\n[… ${left} of ${words.length} characters left out; the whole answer: ${file ?? "not kept"} (Read it by offset, or Grep it) …]\n${end}`;
}

/** More than its caller gets. */
export function isLong(words: string): boolean {
  return Buffer.byteLength(words.trim()) > MOST_BYTES;
}

/** The end, in whole signs, of no more bytes than these. */
function lastOf(words: string, bytes: number): string {
  const all = Buffer.from(words);
  return all
    .subarray(Math.max(0, all.length - Math.floor(bytes)))
    .toString("utf8")
    .replace(/^\uFFFD+/, "");
}

/** Whole signs, no more bytes than these. */
function upTo(words: string, bytes: number): string {
  const cut = Buffer.from(words).subarray(0, Math.floor(bytes)).toString("utf8");
  return cut.replace(/\uFFFD+$/, "");
}
