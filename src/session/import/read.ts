import { parse } from "smol-toml";
import { z } from "zod";
import { JsoncError, parseJsonc, placeOf, toValue } from "../jsonc.ts";
import { readSettingsText, SettingsError } from "../settings-file.ts";
import type { Found } from "./found.ts";

const Table = z.record(z.string(), z.unknown());
type Table = z.infer<typeof Table>;

/** A file of another agent's as a table of values; undefined: there is none. What can't be read is told, and stops no other. */
export function tableIn(file: string, shown: string, tell: (found: Found) => void): Table | undefined {
  try {
    const text = readSettingsText(file, true);
    if (text === undefined || text.trim() === "") return undefined;
    const table = Table.safeParse(file.endsWith(".toml") ? parse(text) : json(text));
    if (table.success) return table.data;
    tell({ kind: "not", from: shown, why: "it holds no table of settings" });
  } catch (error) {
    const why = error instanceof SettingsError ? error.message.replace(`${file}: `, "") : firstLine(error);
    tell({ kind: "not", from: shown, why: `it can't be read: ${why}` });
  }
  return undefined;
}

function json(text: string): unknown {
  try {
    return toValue(parseJsonc(text));
  } catch (error) {
    if (!(error instanceof JsoncError)) throw error;
    const { line, column } = placeOf(text, error.offset);
    throw new Error(`line ${line}, column ${column}: ${error.message}`, { cause: error });
  }
}

function firstLine(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split("\n")[0] ?? "";
}

/** What stands at a key, where it is a table. */
export function tableAt(table: Table | undefined, ...keys: readonly string[]): Table | undefined {
  let here = table;
  for (const key of keys) here = Table.safeParse(here?.[key]).data;
  return here;
}

/** What stands at a key, where it is a text. */
export function textAt(table: Table | undefined, key: string): string | undefined {
  const value = table?.[key];
  return typeof value === "string" ? value : undefined;
}

export function numberAt(table: Table | undefined, key: string): number | undefined {
  const value = table?.[key];
  return typeof value === "number" && Number.isFinite(value) && value > 0 ? value : undefined;
}

/** Texts of a list; others are left out. */
export function wordsAt(table: Table | undefined, key: string): string[] | undefined {
  const value = table?.[key];
  return Array.isArray(value) ? value.filter((word): word is string => typeof word === "string") : undefined;
}

/** Texts of a table, numbers and switches as text; others are left out. */
export function textsAt(table: Table | undefined, key: string): Record<string, string> | undefined {
  const found = tableAt(table, key);
  if (found === undefined) return undefined;
  return Object.fromEntries(
    Object.entries(found).flatMap(([name, value]) =>
      typeof value === "string" || typeof value === "number" || typeof value === "boolean"
        ? [[name, String(value)]]
        : [],
    ),
  );
}
