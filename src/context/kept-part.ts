import { relative } from "node:path";
import { attachedTo, textOf } from "../events/block.ts";
import type { CallState, Item, SessionState } from "../events/state.ts";
import { startOf } from "../util/halves.ts";
import { quoted } from "../util/quoted.ts";

/** Of the window: the most that the person's own words take. */
const WORDS_SHARE = 0.1;
const ONE_MESSAGE = 4000;
/** Of a message that no longer fits whole. */
const SHORT = 160;
const MOST_FILES = 40;

/**
 * What no summary may lose, so it is never left to one: the program puts it behind the model's words, anew out of the fold each time, for all
 * of the conversation before `cut`. `file`: where everything stands in full.
 */
export function keptPart(state: SessionState, cut: number, windowChars: number, file: string): string {
  const from = state.items.findIndex((item) => item.seq > (state.resets.at(-1) ?? 0));
  const items = from < 0 ? [] : state.items.slice(from, cut);
  const before = new Set(items.map((item) => item.seq));
  const calls = [...state.calls.values()].filter((call) => before.has(call.replySeq));
  const sections = [
    section("The person's messages, word for word", personWords(items, windowChars * WORDS_SHARE)),
    section("What the person answered", calls.flatMap(answersOf)),
    section("Open todos", todosOf(state)),
    section("Files touched", filesOf(state, calls)),
    section("Background shells that run", shellsOf(state)),
    section(
      "Pinned by the person: counts to the end",
      state.pins.map((pin) => pin.text),
    ),
    `# Everything that was said before\nIn ${file}; what was earlier still in the before_*.txt files beside it. Read or Grep them before you guess, or ask for what is missing here.`,
  ];
  return sections.filter((words) => words !== "").join("\n\n");
}

function section(title: string, lines: readonly string[]): string {
  return lines.length === 0 ? "" : `# ${title}\n${lines.map((line) => `- ${indented(line)}`).join("\n")}`;
}

/** Only the program begins lines at the margin: nothing that stands in a text can look like a section or an entry. */
function indented(text: string): string {
  return text.replaceAll(/\r\n?|[\n\v\f\u0085\u2028\u2029]/g, "\n  ");
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}

/** All in full while they fit; then the first and the newest in full, the others by their beginning, the oldest of those not at all. */
function personWords(items: readonly Item[], most: number): string[] {
  const prompts = items.flatMap((item) => (item.kind === "prompt" ? [item] : []));
  const whole = prompts.map(({ content }) =>
    cut([textOf(content), ...attachedTo(content)].join(" ").trim(), ONE_MESSAGE),
  );
  const brief = whole.map((words) => cut(oneLine(words), SHORT));
  let left = most - (whole[0]?.length ?? 0);
  // Half of the room is for the newest in full.
  const half = left / 2;
  const shown = new Map<number, string>();
  for (let i = whole.length - 1; i > 0; i--) {
    const [all, short] = [whole[i] ?? "", brief[i] ?? ""];
    const fits = all.length <= left - short.length * i || left - all.length >= half;
    const words = fits ? all : short;
    if (words.length > left) break;
    left -= words.length;
    shown.set(i, words);
  }
  const gone = whole.length - shown.size - 1;
  return whole.flatMap((words, i) => {
    if (i === 0) return gone > 0 ? [words, `(${gone} more messages are in the file)`] : [words];
    return shown.get(i) ?? [];
  });
}

function cut(words: string, most: number): string {
  return words.length <= most ? words : `${startOf(words, most)} […]`;
}

/** To questions of the model's, and beside a yes or a no. */
function answersOf({ tool, input, note, said = [], result }: CallState): string[] {
  const beside = [...(note === undefined ? [] : [note]), ...said].filter((words) => words.trim() !== "");
  const about = cut(JSON.stringify(input), SHORT);
  const answer =
    (tool === "AskUser" || tool === "ExitPlan") && result?.status === "ok"
      ? [`${about}: ${cut(textOf(result.content), ONE_MESSAGE)}`]
      : [];
  return [...answer, ...beside.map((words) => `to ${tool} ${about}: "${cut(words, ONE_MESSAGE)}"`)];
}

function todosOf({ todos }: SessionState): string[] {
  const done = todos.filter((todo) => todo.status === "done").length;
  const open = todos.filter((todo) => todo.status !== "done").map((todo) => `${todo.status}: ${oneLine(todo.text)}`);
  return open.length > 0 && done > 0 ? [...open, `(${done} more are done)`] : open;
}

function filesOf({ folder }: SessionState, calls: readonly CallState[]): string[] {
  const how = new Map<string, "changed" | "read">();
  for (const { result } of calls)
    for (const touch of result?.touched ?? []) {
      const known = how.get(touch.path);
      how.delete(touch.path);
      how.set(touch.path, touch.how !== "read" || known === "changed" ? "changed" : "read");
    }
  return (["changed", "read"] as const).flatMap((kind) => {
    const paths = [...how].flatMap(([path, is]) => (is === kind ? [nameIn(folder, path)] : []));
    const more = paths.length > MOST_FILES ? `, and ${paths.length - MOST_FILES} more` : "";
    return paths.length === 0 ? [] : [`${kind}: ${paths.slice(-MOST_FILES).join(", ")}${more}`];
  });
}

function nameIn(folder: string, path: string): string {
  const name = relative(folder, path);
  return quoted(name === "" || name.startsWith("..") ? path : name);
}

function shellsOf({ groups }: SessionState): string[] {
  return groups.flatMap((group) =>
    group.end === undefined ? [`${group.groupId}: ${cut(oneLine(group.command), SHORT)}`] : [],
  );
}
