import { textOf } from "../events/block.ts";
import type { CallState, SessionState } from "../events/state.ts";
import type { ToolContext } from "./tool.ts";

/** A file that is about to be changed, as it is now. */
interface Holder {
  /** As the model names it. */
  shown: string;
  /** Undefined: there is none yet, or it is no text. */
  text: string | undefined;
}

/**
 * The texts of a change with the real values of their placeholders, as far as the file holds these now. A placeholder that the file
 * holds as text is text. Text as a result is a problem, for the model.
 */
export function putBack(
  texts: readonly string[],
  { shown, text = "" }: Holder,
  { secrets, state }: Pick<ToolContext, "secrets" | "state">,
): readonly string[] | string {
  const placeholders = secrets?.placeholders(texts.join("\n")) ?? [];
  if (secrets === undefined || placeholders.length === 0) return texts;
  const values = secrets.valuesIn(text);
  const foreign = placeholders.find((one) => !values.has(one) && !text.includes(one));
  if (foreign !== undefined) return notHere(foreign, shown, state());
  const real = (one: string): string => values.get(one) ?? one;
  return texts.map((words) => placeholders.reduce((all, one) => all.replaceAll(one, () => real(one)), words));
}

function notHere(placeholder: string, shown: string, state: SessionState): string {
  const { of, file } = holderOf(placeholder, state);
  const where = file === undefined || file === shown ? "the file that holds it" : file;
  return `${placeholder} stands for a key${of}, and ${shown} doesn't hold it. Only Edit and Write on ${where} put it back, so nothing was changed. Leave it out here, and tell the person what they have to fill in.`;
}

/** Why a call with a placeholder doesn't run. */
export function notForCalls(placeholder: string, state: SessionState): string {
  const { of, file } = holderOf(placeholder, state);
  const where = file === undefined ? "the file that holds it" : file;
  return `${placeholder} stands for a key${of}, which is kept from you: it can't be used here, so nothing ran. Only Edit and Write on ${where} put it back. Let a program read the key from where it lies, or ask the person.`;
}

/** Where the session met a key last: in words, and the file where it was one. */
function holderOf(placeholder: string, { calls, items }: SessionState): { of: string; file?: string } {
  // A call that failed tells of the placeholder, and of no file that holds the key.
  const met = [...calls.values()]
    .toReversed()
    .filter(({ result }) => result?.status === "ok" && textOf(result.content).includes(placeholder));
  const file = met.map((call) => fileOf(call, placeholder)).find((name) => name !== undefined);
  if (file !== undefined) return { of: ` in ${file}`, file };
  const typed = items.some((item) => item.kind === "prompt" && textOf(item.content).includes(placeholder));
  const [first] = met.toReversed();
  return { of: typed ? " that the person wrote" : first === undefined ? "" : ` that ${first.tool} met` };
}

function fileOf({ tool, input, result }: CallState, placeholder: string): string | undefined {
  const { file_path: named } = input;
  if ((tool === "Read" || tool === "Edit" || tool === "Write") && typeof named === "string")
    return named.includes(placeholder) ? undefined : named;
  if (tool !== "Grep") return undefined;
  // Its results stand below the name of their file.
  const lines = textOf(result?.content ?? []).split("\n");
  for (let n = lines.findIndex((line) => line.includes(placeholder)); n >= 0; n--) {
    const line = lines[n] ?? "";
    if (line !== "" && line !== "--" && !/^\d+[:-]/.test(line)) return line;
  }
  return undefined;
}
