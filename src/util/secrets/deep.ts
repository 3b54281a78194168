import type { Secrets } from "./secrets.ts";

/** Data of pictures, signatures of thoughts: never looked into. */
const OPAQUE = new Set(["signature", "data", "mac", "manifestHash", "hash"]);
/** Shorter names of fields hold no key. */
const LONG_NAME = 16;

/** A copy of plain data with every text masked, names of fields too; shares what has no key. Lists of lines are masked as one text. */
export function maskDeep<T>(value: T, secrets: Pick<Secrets, "mask">): T;
export function maskDeep(value: unknown, secrets: Pick<Secrets, "mask">): unknown {
  if (typeof value === "string") return secrets.mask(value);
  if (Array.isArray(value)) return maskList(value, secrets);
  if (typeof value !== "object" || value === null) return value;
  let changed = false;
  const entries = Object.entries(value).map(([name, before]): [string, unknown] => {
    const after: unknown = OPAQUE.has(name) && typeof before === "string" ? before : maskDeep(before, secrets);
    const named = name.length < LONG_NAME ? name : secrets.mask(name);
    changed ||= after !== before || named !== name;
    return [named, after];
  });
  return changed ? Object.fromEntries(entries) : value;
}

function maskList(list: readonly unknown[], secrets: Pick<Secrets, "mask">): readonly unknown[] {
  const lines = linesOf(list);
  if (lines !== undefined) {
    const masked = secrets.mask(lines.join("\n")).split("\n");
    return masked.some((line, n) => line !== lines[n]) ? masked : list;
  }
  const after = list.map((one) => maskDeep(one, secrets));
  return after.some((one, n) => one !== list[n]) ? after : list;
}

function linesOf(list: readonly unknown[]): string[] | undefined {
  const lines = list.filter((one) => typeof one === "string" && !one.includes("\n"));
  return lines.length > 1 && lines.length === list.length ? (lines as string[]) : undefined;
}
