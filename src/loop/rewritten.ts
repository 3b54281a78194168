import type { SessionEvent } from "../events/event.ts";
import type { Question } from "../permissions/asker.ts";
import { locateAllowed } from "../tools/paths.ts";
import { asText, loadBytes } from "../tools/text-file.ts";
import type { ToolContext } from "../tools/tool.ts";
import { hunksOf } from "../workspace/hunk.ts";
import type { ChangeSet } from "../workspace/change.ts";
import type { LoopDeps } from "./deps.ts";
import { withoutKeys } from "./keys.ts";
import type { Instead } from "./permit.ts";
import { prepare, type Prepared } from "./prepare.ts";

type Ready = Prepared & { ok: true };
/** A call that stages one file's text, with where it runs. */
interface FileCall {
  call: Ready;
  ctx: ToolContext;
}

function fileOf({ tool, input }: Ready): string | undefined {
  if (tool.stages !== true || typeof input !== "object" || input === null || !("file_path" in input)) return undefined;
  const writes = "content" in input || "old_string" in input || "edits" in input;
  return writes && typeof input.file_path === "string" ? input.file_path : undefined;
}

/** The file that a call would write, for a person who wants to change it before it lands (UX P-3). Nothing is read before it is asked for. */
export function proposedFile(set: ChangeSet, of: FileCall, deps: LoopDeps): Pick<Question, "proposed"> {
  const path = fileOf(of.call);
  return path === undefined ? {} : { proposed: { path, text: () => textWith(set, path, of, deps) } };
}

async function textWith(set: ChangeSet, path: string, { ctx }: FileCall, { workspace }: LoopDeps): Promise<string> {
  return textAt(path, { ...ctx, view: workspace.view([...ctx.view.layers, set.stepFolder]) });
}

/** Throws with words for the person where it is no text. */
async function textAt(path: string, ctx: ToolContext): Promise<string> {
  const place = await locateAllowed(path, "write", ctx);
  if (typeof place === "string") throw new Error(place);
  const bytes = await loadBytes(place, ctx);
  const file = typeof bytes === "string" ? bytes : await asText(place, bytes);
  if (typeof file === "string") throw new Error(file);
  return file.text;
}

/**
 * The call with the person's text in it, a fact before anything judges it: what was proposed is dropped, and the call begins anew, with
 * hooks, rules and a question of its own.
 */
export async function* rewritten(
  set: ChangeSet,
  of: FileCall,
  { text, questionId, note }: Instead & { kind: "rewrite" },
  deps: LoopDeps,
): AsyncGenerator<SessionEvent, Prepared> {
  const { block } = of.call;
  const path = fileOf(of.call) ?? "";
  const differs = differenceOf(await textWith(set, path, of, deps), text);
  const input =
    "content" in block.input
      ? { ...block.input, content: text }
      : { file_path: path, ...asEdit(await textAt(path, of.ctx), text) };
  const more = note === undefined ? {} : { note };
  yield await deps.log.append({ type: "call.edited", callId: block.id, questionId, input, differs, ...more });
  return withoutKeys(prepare({ ...block, input }, deps.tools), deps);
}

/** One edit that makes `after` of `before`: the lines between what both begin and end with, and as many around as make them unique. */
export function asEdit(before: string, after: string): { old_string: string; new_string: string } {
  const old = before.split(/(?<=\n)/);
  const fresh = after.split(/(?<=\n)/);
  const most = Math.min(old.length, fresh.length);
  let head = 0;
  while (head < most && old[head] === fresh[head]) head++;
  let tail = 0;
  while (tail < most - head && old.at(-1 - tail) === fresh.at(-1 - tail)) tail++;
  for (; ; head = Math.max(0, head - 1), tail = Math.max(0, tail - 1)) {
    const old_string = old.slice(head, old.length - tail).join("");
    const once = old_string !== "" && before.indexOf(old_string) === before.lastIndexOf(old_string);
    if (once || (head === 0 && tail === 0))
      return { old_string, new_string: fresh.slice(head, fresh.length - tail).join("") };
  }
}

const MOST_LINES = 60;

/** How the person's text differs from what the call had proposed, line by line, for the model. */
function differenceOf(proposed: string, text: string): string {
  const lines = hunksOf(proposed, text).flatMap((hunk) => [`@@ line ${hunk.newStart} @@`, ...hunk.lines]);
  const cut = lines.length > MOST_LINES ? [`(${lines.length - MOST_LINES} more lines: Read the file)`] : [];
  return [...lines.slice(0, MOST_LINES).map((row) => (row.length > 500 ? `${row.slice(0, 500)}…` : row)), ...cut].join(
    "\n",
  );
}
