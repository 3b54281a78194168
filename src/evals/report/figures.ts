import type { MeasureName } from "../numbers/summary.ts";

export const MEASURE_WORDS: Readonly<Record<MeasureName, string>> = {
  steps: "steps",
  tokens: "tokens",
  usd: "cost",
  ms: "time",
};

/** A measure for people: `4`, `12,400`, `$0.0123`, `8.2 s`, `3 min 05 s`. */
export function figure(name: MeasureName, value: number | undefined): string {
  if (value === undefined) return "–";
  switch (name) {
    case "steps":
      return String(Math.round(value * 10) / 10);
    case "tokens":
      return Math.round(value).toLocaleString("en-US");
    case "usd":
      return `$${value.toFixed(value > 0 && value < 0.1 ? 4 : 2)}`;
    case "ms":
      return seconds(value / 1000);
  }
}

function seconds(value: number): string {
  if (value < 9.95) return `${value.toFixed(1)} s`;
  const whole = Math.round(value);
  return whole < 60 ? `${whole} s` : `${Math.floor(whole / 60)} min ${String(whole % 60).padStart(2, "0")} s`;
}

/** The same with its sign. */
export function change(name: MeasureName, value: number): string {
  const text = figure(name, Math.abs(value));
  return value === 0 ? text : `${value < 0 ? "−" : "+"}${text}`;
}

/** `1 trial`, `12 trials`. */
export function several(n: number, one: string): string {
  return `${n.toLocaleString("en-US")} ${one}${n === 1 ? "" : "s"}`;
}
