import { join } from "node:path";
import { text, type ContentBlock } from "../events/block.ts";
import type { Touch } from "../events/event.ts";
import { decideNow } from "../loop/decide-now.ts";
import type { LoopDeps, Prompt } from "../loop/deps.ts";
import { effectOf } from "../loop/effect-of.ts";
import { listFiles } from "../tools/list-files.ts";
import { locate } from "../tools/paths.ts";
import { readTool } from "../tools/read.ts";
import type { Outcome, ToolContext } from "../tools/tool.ts";
import { mentionsIn, type Mention } from "./mentions.ts";
import type { Session } from "./session.ts";

/** A message with what it names, and what of that could not be attached: a line each, for the person. */
export interface Attached extends Prompt {
  content: readonly ContentBlock[];
  notes: readonly string[];
}

/** Words or blocks as a message. */
export function promptOf(said: string | readonly ContentBlock[] | Prompt): Prompt {
  if (typeof said === "string") return { content: [text(said)] };
  return "content" in said ? said : { content: said };
}

/**
 * Submits the person's words with what they name by `@path`. `behind`: said behind them, and looked into for nothing (what was piped in);
 * `pictures`: of the composer's. `note`: told what could not be attached.
 */
export async function* submitWords(
  session: Pick<Session, "beside" | "submit">,
  { words, behind = "", pictures = [] }: { words: string; behind?: string; pictures?: readonly ContentBlock[] },
  signal: AbortSignal,
  note: (words: string) => void,
): ReturnType<Session["submit"]> {
  const { content, touched, notes } = await session.beside.attach(words, signal);
  for (const one of notes) note(one);
  const all = [words, behind].filter((part) => part.trim() !== "").join("\n\n");
  return yield* session.submit({ content: [text(all), ...content.slice(1), ...pictures], touched }, signal);
}

/** So many files of one message. */
const MOST = 30;
type Reading = Mention["readings"][number];

/**
 * Reads the files, folders and parts of files that the person's words name by `@path`, as the Read tool does: its limits, its pictures and
 * documents, keys masked, deny rules. What is no file stays text. Outside of the roots only what rules allow is read: the person may have
 * pasted those words.
 */
export async function attach(words: string, deps: LoopDeps, signal: AbortSignal, home: string): Promise<Attached> {
  const id = deps.makeId("op");
  const ctx = await deps.context({ callId: id, operationId: id }, signal, deps.asker);
  const content: ContentBlock[] = [text(words)];
  const touched: Touch[] = [];
  const notes: string[] = [];
  const seen = new Set<string>();
  for (const mention of mentionsIn(words)) {
    const reading = await there(mention, ctx, home);
    const key = JSON.stringify(reading);
    if (reading === undefined || seen.has(key)) continue;
    seen.add(key);
    const got = seen.size > MOST ? `only ${MOST} files of a message are` : await readOne(reading, ctx, deps);
    if (typeof got === "string") {
      notes.push(`@${reading.path} is not attached: ${got}`);
      continue;
    }
    content.push(...got.content);
    touched.push(...(got.touched ?? []));
  }
  return { content, notes, ...(touched.length === 0 ? {} : { touched }) };
}

/** Files that may be attached, as they are found. */
export async function* filesOf(deps: LoopDeps, signal: AbortSignal): AsyncGenerator<readonly string[], void> {
  const id = deps.makeId("op");
  yield* listFiles(await deps.context({ callId: id, operationId: id }, signal, deps.asker));
}

/** The longest reading that leads to something, hidden or not. */
async function there({ readings }: Mention, ctx: ToolContext, home: string): Promise<Reading | undefined> {
  for (const reading of readings) {
    const path = /^~(?=\/|$)/.test(reading.path) ? join(home, reading.path.slice(1)) : reading.path;
    const place = await locate(path, { roots: ctx.roots, view: ctx.view, state: () => ctx.state() });
    if (typeof place !== "string" && place.exists) return { ...reading, path };
  }
  return undefined;
}

/** What the tool brings, as it is attached; text: why it is not. */
async function readOne({ path, lines }: Reading, ctx: ToolContext, deps: LoopDeps): Promise<Outcome | string> {
  const range = lines === undefined ? {} : { offset: lines.from, limit: lines.to - lines.from + 1 };
  const input = { file_path: path, ...range };
  const effect = await effectOf(readTool, input, ctx);
  if ("failed" in effect) return "it can't be looked up";
  const { action, reason } = decideNow(effect, deps);
  if (action === "deny") return reason;
  if (action === "ask") return `${reason}; the model asks you when it reads it`;
  const outcome = await ended(readTool.run(input, { ...ctx, allowed: effect.needs }));
  if (outcome.status !== "ok") return textIn(outcome).replace(/\s+/g, " ");
  const row = `read ${rowOf(path, outcome)}`;
  return { ...outcome, content: outcome.content.map((block) => named(block, path, row)) };
}

async function ended(run: ReturnType<typeof readTool.run>): Promise<Outcome> {
  for (;;) {
    const step = await run.next();
    if (step.done === true) return step.value;
  }
}

function textIn({ content }: Outcome): string {
  return content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join(" ");
}

/** Where it comes from is said ahead of it, in the same block: nothing inside can stand before that. */
function named(block: ContentBlock, path: string, attached: string): ContentBlock {
  if (block.type !== "text") return { ...block, attached };
  return {
    ...block,
    text: `(Attached to the message: ${JSON.stringify(path)}, as Read shows it.)\n${block.text}`,
    attached,
  };
}

/** `src/a.ts (120 lines)`, `src/a.ts (lines 10-20 of 120)`, `src (4 entries)`, `a.png (1280×720)`. */
function rowOf(given: string, { details }: Outcome): string {
  const of = (name: string): string | number | undefined => {
    const value: unknown = typeof details === "object" && details !== null ? Reflect.get(details, name) : undefined;
    return typeof value === "string" || typeof value === "number" ? value : undefined;
  };
  const path = String(of("path") ?? given);
  const n = (value: string | number | undefined, one: string, many = `${one}s`) =>
    `${path} (${value} ${value === 1 ? one : many})`;
  if (of("entries") !== undefined) return n(of("entries"), "entry", "entries");
  if (of("width") !== undefined) return `${path} (${of("width") ?? ""}×${of("height") ?? ""})`;
  if (of("cells") !== undefined) return n(of("cells"), "cell");
  const [from, to, total] = [of("from"), of("to"), of("total")];
  if (total === undefined) return path;
  return (from === 1 && to === total) || total === 0
    ? n(total, "line")
    : `${path} (lines ${from ?? 1}-${to ?? ""} of ${total})`;
}
