import { unsendable } from "../input/key-name.ts";
import { type Action, type Context, type Keymap } from "../input/keymap.ts";
import { type Line, line, wrap } from "../render/spans.ts";
import { cleanRow } from "../render/clean.ts";
import { keyWords, pageKey } from "./help.ts";

const TITLES: Readonly<Record<Context, string>> = {
  any: "Everywhere",
  composer: "While you write",
  menu: "In the list below the composer",
  search: "In the search of what was sent",
  prompt: "In a question",
  overlay: "In a list",
  pager: "On a screen of its own, such as the transcript",
  review: "In a review of changes",
};

/** What the keys are known by. */
export interface KeyFacts {
  keymap: Keymap;
  /** The terminal tells all keys apart; undefined: nobody knows. */
  allKeys: boolean | undefined;
  /** Where the person's own lie. */
  file: string;
}

/** Every key as it counts now, by context and action; those are marked that this terminal can't send. */
export function keyLines({ keymap, allKeys, file }: KeyFacts, width: number): Line[] {
  let marked = false;
  const rows = (Object.keys(TITLES) as Context[]).flatMap((context): Line[] => {
    const actions = new Map<Action, string[]>();
    for (const [id, action] of Object.entries(keymap[context])) {
      const paged = context === "pager" || context === "review";
      const mark = allKeys !== true && !(paged && /^shift\+\S$/u.test(id)) && unsendable(id) !== undefined;
      marked ||= mark;
      actions.set(action, [
        ...(actions.get(action) ?? []),
        `${paged ? pageKey(id) : chordWords(id)}${mark ? "*" : ""}`,
      ]);
    }
    return [
      ...wrap(line(`${TITLES[context]} (${context})`, "heading"), { width }),
      ...[...actions].flatMap(([action, keys]) => actionRows(action, keys, width)),
      [],
    ];
  });
  const told = allKeys === false ? "does not" : "may not";
  const note = marked ? [`* this terminal ${told} tell it from another key (docs/screen.md, Keys)`] : [];
  return [...rows, ...[...note, `Your own: ${cleanRow(file)}`].flatMap((text) => wrap(line(text, "dim"), { width }))];
}

function actionRows(action: Action, keys: readonly string[], width: number): Line[] {
  const wide = width > 50 ? 22 : 2;
  const name = width > 50 ? action.padEnd(wide) : `${action}: `;
  return wrap([{ text: name, style: "bold" }, { text: keys.join(", ") }], { width, rest: line(" ".repeat(wide)) });
}

/** `Ctrl+X Ctrl+E`. */
function chordWords(id: string): string {
  return id.split(" ").map(keyWords).join(" ");
}
