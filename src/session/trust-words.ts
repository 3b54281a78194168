import { visible } from "../util/visible.ts";
import { countOf, isExecutable, type Part, PART_KINDS } from "./trust-part.ts";
import type { TrustLook } from "./trust.ts";

/** So many lines of one part are shown where it must be seen as a whole. */
const MOST_RUNS = 200;
/** So many parts of a kind that runs nothing by itself at the start. */
const MOST_OTHERS = 40;

/** A row of what a folder brings. `must`: it runs, so a yes counts only once it was on screen. */
export interface TrustRow {
  text: string;
  look: "head" | "part" | "run" | "note" | "warning";
  must: boolean;
}

/** Every part with what it runs, literally, each sign visible; what runs is never left out, of long lists of texts the rest is counted. */
export function trustRows({ survey, reasons, state, differences, texts }: TrustLook): TrustRow[] {
  const note = (text: string, look: TrustRow["look"] = "note"): TrustRow => ({ text, look, must: false });
  const others = [...differences, ...texts];
  return [
    ...reasons.map((why) => note(why, "warning")),
    ...(state === "changed" ? [note("Other than what you last said yes or no to:", "warning")] : []),
    ...others.map(({ what, id }) => note(`${what}: ${visible(id, "")}`, "warning")),
    ...PART_KINDS.flatMap((kind) => kindRows(survey.parts.filter((part) => part.kind === kind))),
    ...survey.problems.map((problem) => note(visible(problem, ""))),
    ...(survey.whole ? [] : [note("There is more, which was not looked at: a yes is for this start only.", "warning")]),
  ];
}

function kindRows(parts: readonly Part[]): TrustRow[] {
  const [first] = parts;
  if (first === undefined) return [];
  const must = isExecutable(first);
  const shown = parts.slice(
    0,
    first.kind === "hook" || first.kind === "server" || first.kind === "check" ? Infinity : MOST_OTHERS,
  );
  const more = parts.length - shown.length;
  return [
    { text: countOf(first.kind, parts.length), look: "head", must },
    ...shown.flatMap((part) => partRows(part, must)),
    ...(more === 0
      ? []
      : [
          {
            text: `and ${more.toLocaleString("en")} more (agent trust show --json lists them)`,
            look: "note" as const,
            must,
          },
        ]),
  ];
}

function partRows({ path, name, runs }: Part, must: boolean): TrustRow[] {
  const text = `${visible(path, "")}${name === "" ? "" : `: ${visible(name, "")}`}`;
  const shown = runs.slice(0, MOST_RUNS).map((run): TrustRow => ({ text: visible(run, ""), look: "run", must }));
  const more = runs.length - shown.length;
  return [
    { text, look: "part", must },
    ...shown,
    ...(more === 0 ? [] : [{ text: `and ${more} more`, look: "note" as const, must }]),
  ];
}

const STATES: Readonly<Record<TrustLook["state"], string>> = {
  nothing: "brings nothing that needs trust",
  trusted: "is trusted",
  declined: "is opened without what it brings, as you said",
  changed: "is not trusted: what runs in it is other than when you said so",
  new: "is not trusted",
};

/** The same as lines of plain text, for the terminal and pipes. */
export function trustLines(look: TrustLook): string[] {
  const since = look.at === undefined || look.state === "changed" ? "" : ` since ${look.at.slice(0, 10)}`;
  const indent = { head: "", part: "  ", run: "    ", note: "  ", warning: "" };
  return [
    `${visible(look.folder, "")} ${STATES[look.state]}${since}`,
    ...trustRows(look).map((row) => indent[row.look] + row.text),
  ];
}
