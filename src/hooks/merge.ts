import type { Answer } from "./answer.ts";

/** A hook's answer under its name. */
export interface Heard extends Answer {
  name: string;
}

/** What all hooks of one moment came to, in the order in which they are written. */
export interface Merged {
  /** The strictest; undefined: none said anything, or allowed. */
  decision?: "ask" | "deny";
  /** Who decided so, and why. */
  by: readonly { name: string; reason: string }[];
  /** The first that rewrote the input, and others that wanted it otherwise. */
  input?: { value: Record<string, unknown>; by: string };
  otherInputs: readonly string[];
  context: readonly { name: string; text: string }[];
  stop?: { name: string; reason: string };
}

/** Puts answers together: the strictest decision wins, the first rewritten input does, all contexts count. Pure. */
export function mergeAnswers(heard: readonly Heard[]): Merged {
  const decision = (["deny", "ask"] as const).find((d) => heard.some((h) => h.decision === d));
  const by = heard.filter((h) => decision !== undefined && h.decision === decision);
  const rewrote = heard.flatMap(({ name, input }) => (input === undefined ? [] : [{ value: input, by: name }]));
  const [input] = rewrote;
  const ends = heard.find((h) => h.stop !== undefined);
  return {
    ...(decision === undefined ? {} : { decision }),
    by: by.map(({ name, reason = "" }) => ({ name, reason })),
    ...(input === undefined ? {} : { input }),
    otherInputs: rewrote.filter((r) => !same(r.value, input?.value)).map((r) => r.by),
    context: heard.flatMap(({ name, context }) => (context === undefined ? [] : [{ name, text: context }])),
    ...(ends?.stop === undefined ? {} : { stop: { name: ends.name, reason: ends.stop } }),
  };
}

function same(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
