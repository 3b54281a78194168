import { text, type ContentBlock } from "../events/block.ts";
import type { Effect } from "../events/effect.ts";
import type { SavedOutcome, SessionEvent } from "../events/event.ts";
import type { CallState } from "../events/state.ts";
import type { Question } from "../permissions/asker.ts";
import { asData } from "../tools/as-data.ts";
import { isCommand } from "./command-of.ts";
import type { LoopDeps } from "./deps.ts";
import { withoutKeys } from "./keys.ts";
import { leaves } from "./leaves.ts";
import type { Instead } from "./permit.ts";
import { prepare, type Prepared } from "./prepare.ts";

type Ready = Prepared & { ok: true };

/** What a person may answer about a call beside yes and no: a command has words to change, and what leaves the copy they can do as well. */
export function alsoFor({ input }: Ready, { needs }: Effect): Pick<Question, "also"> {
  // Another program's tool may have a field of that name, which is no command.
  if (!isCommand(input) || needs.some((need) => need.kind === "mcp")) return {};
  const stays = "run_in_background" in input && input.run_in_background === true;
  return { also: needs.some(leaves) && !stays ? ["edit", "self"] : ["edit"] };
}

/** What a yes to the call would keep. */
export function keptBy({ tool, input }: Ready): Pick<Question, "keeps"> {
  const keeps = tool.keeps?.(input);
  return keeps === undefined ? {} : { keeps };
}

/** The call with the person's command in it, which is a fact before anything judges it. */
export async function* edited(
  { block }: Ready,
  { command, questionId, note }: Instead & { kind: "edit" },
  deps: LoopDeps,
): AsyncGenerator<SessionEvent, Prepared> {
  const input = { ...block.input, command };
  const more = note === undefined ? {} : { note };
  yield await deps.log.append({ type: "call.edited", callId: block.id, questionId, input, ...more });
  return withoutKeys(prepare({ ...block, input }, deps.tools), deps);
}

/** The result of a call that the person did in its place. */
export async function* doneByPerson(
  { input }: Ready,
  { exit, output, note }: Instead & { kind: "self" },
  deps: LoopDeps,
): AsyncGenerator<SessionEvent, SavedOutcome> {
  const command = isCommand(input) ? input.command : "";
  if (exit !== undefined)
    yield await deps.log.append({
      type: "shell.ran",
      operationId: deps.makeId("op"),
      command,
      outside: true,
      exit,
      output: output ?? "",
    });
  const content = [text(selfText(exit, output)), ...(note === undefined ? [] : [text(saysText(note))])];
  return {
    status: "ok",
    content,
    touched: [],
    details: { command, by: "person", ...(exit === undefined ? {} : { exit }) },
  };
}

function selfText(exit: number | null | undefined, output: string | undefined): string {
  if (exit === undefined)
    return "[The person says that they have done this themselves, outside the copy. What came of it is not known: look, before you build on it.]";
  const said = output === undefined ? [] : [output.trim() === "" ? "(no output)" : asData(output.trimEnd())];
  const unseen = output === undefined ? "; what it said is not known" : "";
  return [
    ...said,
    `[The person ran this themselves, in their own shell outside the copy: ${exit === null ? "ended by a signal" : `exit code ${exit}`}${unseen}]`,
  ].join("\n");
}

/** Behind a call's result: what the person made of it, and what they said with their yes. */
export function personWords(
  call: Pick<CallState, "differs" | "edited" | "said" | "input"> | undefined,
): ContentBlock[] {
  if (call === undefined) return [];
  const own = call.edited === true && isCommand(call.input) ? [text(editedText(call.input.command))] : [];
  if (call.differs !== undefined) own.push(text(rewrittenText(call.differs)));
  return [...own, ...(call.said ?? []).map((note) => text(saysText(note)))];
}

function editedText(command: string): string {
  const rows = command.split("\n").map((row) => `> ${row}`);
  return `[The person changed this command before it was run. In place of yours stands:\n${rows.join("\n")}\n]`;
}

function rewrittenText(differs: string): string {
  return `[The person changed this file's text before it was to land. "-" is yours, "+" theirs:\n${asData(differs)}\n]`;
}

function saysText(note: string): string {
  return `[The person says to this: "${note.trim()}"]`;
}
