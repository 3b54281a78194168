import type { FileDiff } from "../workspace/workspace.ts";
import type { Question } from "./asker.ts";
import { hasInvisible } from "../util/visible.ts";

/** Controls, letters without width and marks that turn the direction. A file's tabs, and the CR at its lines' ends, are none. */
const HIDDEN =
  /(?![\t\r])\p{Cc}|\r(?!$)|(?!\u200d)[\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\u115f\u1160\u3164\uffa0\u2800]|(?<!\p{Extended_Pictographic}\ufe0f?\p{Emoji_Modifier}?)\u200d/u;

/** Where a question holds what a screen would not show (P-2): written out there as `\u{…}`, and told once. Empty: nowhere. */
export function unseenIn({ command, effect, diffs }: Question): string[] {
  const paths = (effect.changes?.entries ?? []).flatMap((e) => [e.path, e.from ?? "", e.target ?? ""]);
  const lines = diffs.flatMap(({ hunks }) => hunks.flatMap((h) => h.lines.filter((l) => HIDDEN.test(l.slice(1)))));
  const named = paths.filter(hasInvisible).length;
  return [
    ...(hasInvisible(command?.text ?? "") || hasInvisible(effect.subject) ? ["the command"] : []),
    ...(named === 0 ? [] : [named === 1 ? "a path" : `${named} paths`]),
    ...(lines.length === 0 ? [] : [lines.length === 1 ? "a line" : `${lines.length} lines`]),
  ];
}

/** Files of which the question shows nothing and can open nothing. */
export function untold({ diffs, open }: Pick<Question, "diffs" | "open">): readonly FileDiff[] {
  return diffs.filter((diff) => diff.hidden !== undefined && open === undefined);
}

/** Addresses in a command whose host is not of plain letters, with the host as machines read it (P-2). */
export function foreignHosts(text: string): { shown: string; real: string }[] {
  const found = text.matchAll(
    /\b[a-z][a-z0-9+.-]*:\/\/(?:[^\s/?#@"']*@)?([^\s/?#:"'`)]*[^\x00-\x7f][^\s/?#:"'`)]*)/giu,
  );
  return [...new Set([...found].flatMap(([, host]) => host ?? []))].map((host) => ({
    shown: host,
    real: URL.canParse(`http://${host}/`) ? new URL(`http://${host}/`).hostname : "no valid name",
  }));
}
