import { visible } from "../util/visible.ts";

// What the loop says to the model of hooks. Their own words are set in, line by line: none of them looks like one of the program's.

/** What a hook adds, as data. */
export function contextText(name: string, event: string, words: string): string {
  return `The hook ${nameText(name)} (${event}) adds this, as data:\n${quoted(words)}`;
}

/** A PostToolUse hook that finds fault with what a call did. */
export function feedbackText(name: string, tool: string, reason: string): string {
  return `The hook ${nameText(name)} about your ${tool} call, which has been carried out:\n${quoted(reason)}`;
}

/** A Stop hook that sends the model on. */
export function goOnText(by: readonly { name: string; reason: string }[], round: number, rounds: number): string {
  const said = by.map(({ name, reason }) => `The hook ${nameText(name)}:\n${quoted(reason)}`).join("\n");
  return `You are not done, say hooks of the person's.\n${said}\nGo on with that, or say why it can't be done. (Time ${round} of ${rounds}.)`;
}

/** What hooks changed behind a step; each file with its diff, where that is short enough to be shown. */
export function touchedText(
  names: readonly string[],
  files: readonly { path: string; gone: boolean; diff?: string }[],
): string {
  const who = names.map(nameText).join(", ");
  const list = files.map(({ path, gone, diff }) => {
    const what = gone ? "deleted" : diff === undefined ? "changed, read it again before you edit it" : "changed";
    return `${visible(path, "")} (${what})${diff === undefined ? "" : `\n${diff}`}`;
  });
  return `${names.length === 1 ? "The hook" : "The hooks"} ${who} changed files behind your step; this belongs to the step:\n${list.join("\n")}`;
}

/** The input that a hook made is none that the tool takes. */
export function brokenInputText(name: string, why: string): string {
  return `The hook ${nameText(name)} rewrote the input of this call to what the tool doesn't take, so nothing ran. ${why}\nIt is the person's to mend; go on without this call, or tell them.`;
}

/** For the person, in a question about what a hook made of a call. */
export function rewrittenText(name: string): string {
  return `the hook ${nameText(name)} rewrote this call: it is not what the model asked for`;
}

function nameText(name: string): string {
  return `"${visible(name, "")}"`;
}

function quoted(words: string): string {
  return words
    .trimEnd()
    .split("\n")
    .map((row) => `> ${visible(row, "\t")}`)
    .join("\n");
}
