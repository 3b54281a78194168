import type { ContextPart, ContextSizes } from "../../session/sizes.ts";
import type { Receipt } from "../../session/receipts.ts";
import { cleanRow } from "../render/clean.ts";
import { line, type Line, truncate, wrap } from "../render/spans.ts";
import { grouped, short } from "../render/units.ts";
import type { Style } from "../theme.ts";
import type { Command } from "./command.ts";

/** Each part has a sign of its own: colour alone says nothing. */
const LOOKS: Readonly<Record<ContextPart | "free", { sign: string; words: string; style: Style }>> = {
  system: { sign: "◆", words: "system prompt", style: "accent" },
  tools: { sign: "▲", words: "tools", style: "number" },
  instructions: { sign: "◇", words: "instructions, remembered notes and skills", style: "link" },
  messages: { sign: "●", words: "your messages and notes", style: "person" },
  replies: { sign: "○", words: "the model's replies and calls", style: "ok" },
  results: { sign: "■", words: "results of calls", style: "warning" },
  pictures: { sign: "▣", words: "pictures and documents", style: "link" },
  free: { sign: "·", words: "free", style: "dim" },
};
const MOST_RECEIPTS = 20;
/** Signs of the picture: each one percent. */
const SIGNS = 100;

/** What the next request takes of the model's window, as a picture and in figures. */
export const contextCommand: Command = {
  name: "context",
  text: "What takes how much of the model's window",
  always: true,
  run: async (_args, context) => {
    const { session } = context;
    const sizes = session.context.sizes();
    const receipts = session.context.receipts();
    context.say((width) => [...contextLines(sizes, width), ...receiptLines(receipts, width)]);
  },
};

/** The picture and the figures. Pure. */
export function contextLines({ window, threshold, parts, counted }: ContextSizes, width: number): Line[] {
  const used = parts.reduce((sum, part) => sum + part.tokens, 0);
  const all = [...parts, { name: "free" as const, tokens: Math.max(0, window - used) }].filter((p) => p.tokens > 0);
  const whole = Math.max(window, used);
  const percent = Math.round((used / window) * 100);
  const head = `${grouped(used)} of ${grouped(window)} tokens (${percent} %)`;
  const how =
    counted === undefined
      ? "An estimate by length: nothing was sent yet."
      : "The sum is as the service counted the newest request; the parts are an estimate by length.";
  return [
    ...wrap(line(head, "bold"), { width }),
    ...picture(signsOf(all, whole), width),
    ...all.map(({ name, tokens }) => {
      const { sign, words, style } = LOOKS[name];
      const share = `${short(tokens).padStart(6)} ${`${Math.round((tokens / whole) * 100)} %`.padStart(5)}`;
      return truncate([{ text: `${sign} `, style }, { text: share }, { text: `  ${words}`, style: "dim" }], width);
    }),
    ...wrap(line(how, "dim"), { width }),
    ...wrap(line(thresholdWords(threshold, window), "dim"), { width }),
  ];
}

function thresholdWords(threshold: number | undefined, window: number): string {
  if (threshold === undefined) return "It is made shorter only by /compact.";
  const percent = Math.round((threshold / window) * 100);
  return `From ${grouped(threshold)} tokens on (${percent} %) old results are cleared and older messages summed up; /compact does it now.`;
}

/** What was taken out so far, the newest last. Pure. */
function receiptLines(receipts: readonly Receipt[], width: number): Line[] {
  if (receipts.length === 0) return [];
  const shown = receipts.slice(-MOST_RECEIPTS);
  return [
    line("Taken out so far (/compact --restore N brings it back):", "bold"),
    ...shown.map(({ n, turn, what, before, after, restored, kind }) => {
      const when = turn === undefined || turn === 0 ? "" : `turn ${turn}, `;
      const back = restored ? ", back again" : "";
      const words = `${n}  ${when}${kind}: ${what} (${grouped(before)} → ${grouped(after)})${back}`;
      return truncate(line(cleanRow(words), restored ? "dim" : undefined), width);
    }),
  ];
}

/** A sign for each percent; what takes something has at least one. */
function signsOf(
  parts: readonly { name: ContextPart | "free"; tokens: number }[],
  whole: number,
): (ContextPart | "free")[] {
  const counts = parts.map(({ name, tokens }) => ({ name, n: Math.max(1, Math.round((tokens / whole) * SIGNS)) }));
  const over = counts.reduce((sum, { n }) => sum + n, 0) - SIGNS;
  const widest = counts.toSorted((a, b) => b.n - a.n)[0];
  if (widest !== undefined) widest.n = Math.max(1, widest.n - over);
  return counts.flatMap(({ name, n }) => Array.from({ length: n }, () => name));
}

function picture(signs: readonly (ContextPart | "free")[], width: number): Line[] {
  const row = width >= 52 ? 50 : width >= 22 ? 20 : 10;
  return Array.from({ length: Math.ceil(signs.length / row) }, (_, at) =>
    truncate(
      signs.slice(at * row, (at + 1) * row).map((name) => ({ text: LOOKS[name].sign, style: LOOKS[name].style })),
      width,
    ),
  );
}
