import { z } from "zod";
import { MAX_DEPTH, tooDeep } from "./canonical.ts";
import type { ContentStore } from "./content.ts";
import { LogBody } from "./event.ts";
import { FORMAT, upgraded } from "./migrate.ts";

/** Bytes of a line, its line end included (E1). */
export const MAX_LINE = 64 * 1024;
/** What `seal` adds, with room to spare. */
const SEAL = 100;
/** Strings longer than this are taken out of a line that is too long. */
const LONG = 2048;
/** More long strings than this are better kept together. */
const MANY = 200;

/**
 * What was taken out of a line: where it belongs in the body, the hash of its bytes in the content store, and whether those are the text
 * itself or JSON (whole fields, and texts that are no valid Unicode). The list is a field of the line beside the body, so nothing inside
 * the body can be mistaken for it. Outer values come before what belongs inside them.
 */
const Out = z.tuple([z.array(z.union([z.string(), z.number()])), z.string(), z.enum(["text", "json"])]);
type Out = z.infer<typeof Out>;
type Path = (string | number)[];

export interface Envelope {
  v: 1;
  seq: number;
  at: string;
}

/** The JSON of a line without its mac: one line whatever the content, of at most 64 KB; what is longer is put in the store first. */
export async function encodeLine(envelope: Envelope, body: LogBody, store: ContentStore): Promise<string> {
  const whole = toJson({ ...envelope, ...body });
  if (fits(whole)) return whole;
  const found: { path: Path; text: string }[] = [];
  const rest = withoutLong(body, [], found);
  if (
    found.length <= MANY &&
    fits(toJson({ ...envelope, ...rest, long: found.map((f) => [f.path, "0".repeat(64), "text"]) }))
  ) {
    const long: Out[] = [];
    for (const { path, text } of found) long.push(await putText(store, path, text));
    return toJson({ ...envelope, ...rest, long });
  }
  return wholeFields(envelope, body, store);
}

/** Takes out fields of the body as a whole, the largest first, until the rest fits. */
async function wholeFields(envelope: Envelope, body: LogBody, store: ContentStore): Promise<string> {
  const fields = Object.entries(body)
    .filter(([key]) => key !== "type")
    .map(([key, value]) => ({ key, value, json: toJson(value) }))
    .toSorted((a, b) => b.json.length - a.json.length);
  const kept: Record<string, unknown> = { ...body };
  const long: Out[] = [];
  for (const { key, value, json } of fields) {
    if (fits(toJson({ ...envelope, ...kept, long }))) break;
    kept[key] = "";
    long.push(
      typeof value === "string"
        ? await putText(store, [key], value)
        : [[key], await store.put(Buffer.from(json)), "json"],
    );
  }
  return toJson({ ...envelope, ...kept, long });
}

/** A lone surrogate has no UTF-8; JSON can say it. */
async function putText(store: ContentStore, path: Path, text: string): Promise<Out> {
  return text.isWellFormed()
    ? [path, await store.put(Buffer.from(text)), "text"]
    : [path, await store.put(Buffer.from(JSON.stringify(text))), "json"];
}

function withoutLong(value: unknown, path: Path, found: { path: Path; text: string }[]): object;
function withoutLong(value: unknown, path: Path, found: { path: Path; text: string }[]): unknown {
  if (typeof value === "string" && value.length > LONG) {
    found.push({ path, text: value });
    return "";
  }
  if (Array.isArray(value)) return value.map((v, i) => withoutLong(v, [...path, i], found));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([k, v]) => [k, withoutLong(v, [...path, k], found)]));
}

/** Other programs end lines at U+2028, U+2029 and U+0085 too. */
function toJson(value: unknown): string {
  return JSON.stringify(value).replace(
    /[\u2028\u2029\u0085]/g,
    (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

function fits(json: string): boolean {
  return json.length + SEAL <= MAX_LINE && Buffer.byteLength(json) + SEAL <= MAX_LINE;
}

export type Decoded =
  | { ok: true; v: number; seq: number; at: string; body: LogBody; missing: readonly string[] }
  /** `other`: it has the form of a line of another version of the program: its `version` says so, or what is in it (`content`). */
  | { ok: false; why: string; other?: "version" | "content" };

const Line = z.looseObject({
  v: z.number(),
  seq: z.number().optional(),
  at: z.string().optional(),
  type: z.string().optional(),
  long: z.array(Out).optional(),
});
const KNOWN: ReadonlySet<string> = new Set(LogBody.options.map((o) => o.shape.type.value));

/**
 * Reads a line. A text that is missing from the content store is replaced by a note and named in `missing`. Never throws.
 */
export function decodeLine(line: Buffer, store: ContentStore): Decoded {
  let json: unknown;
  try {
    json = JSON.parse(line.toString("utf8"));
  } catch {
    return { ok: false, why: "it is not valid JSON" };
  }
  const parsed = Line.safeParse(json);
  if (!parsed.success) return { ok: false, why: "it is no event" };
  const { v, seq, at, long, ...written } = parsed.data;
  if (v > FORMAT)
    return { ok: false, why: `it has format version ${v}, this program knows version ${FORMAT}`, other: "version" };
  if (seq === undefined || at === undefined) return { ok: false, why: "it is no event" };
  const missing = putBack(written, long ?? [], store);
  const body = upgraded(v, written);
  if (body === undefined) return { ok: false, why: "it is no event" };
  if (tooDeep(body, MAX_DEPTH + 1)) return { ok: false, why: `it is nested more than ${MAX_DEPTH} levels deep` };
  const event = LogBody.safeParse(body);
  if (event.success) return { ok: true, v, seq, at, body: event.data, missing };
  const other = missing.length === 0 ? { other: "content" as const } : {};
  const type = body["type"];
  if (typeof type !== "string" || !KNOWN.has(type))
    return { ok: false, why: `it holds an event of the unknown kind ${JSON.stringify(type)}`, ...other };
  return {
    ok: false,
    why: `its ${event.error.issues[0]?.path.join(".") ?? "content"} is not as it should be`,
    ...other,
  };
}

/** Puts the long texts of a line that was verified back in their places, and takes out the list of them. Gives what is missing. */
export function restoreLong(line: Record<string, unknown>, store: ContentStore): string[] {
  const long = z.array(Out).safeParse(line["long"]).data;
  delete line["long"];
  return long === undefined ? ["its list of long texts"] : putBack(line, long, store);
}

function putBack(body: Record<string, unknown>, long: readonly Out[], store: ContentStore): string[] {
  const missing: string[] = [];
  for (const [path, hash, as] of long) {
    const bytes = store.get(hash);
    if (bytes === undefined) missing.push(hash);
    setAt(
      body,
      path,
      bytes === undefined ? `[this text is missing from the content store: ${hash}]` : valueOf(bytes, as),
    );
  }
  return missing;
}

function valueOf(bytes: Buffer, as: "text" | "json"): unknown {
  if (as === "text") return bytes.toString("utf8");
  try {
    return JSON.parse(bytes.toString("utf8"));
  } catch {
    return undefined;
  }
}

/** Only replaces what is there: a path out of a damaged line must reach no prototype. */
function setAt(target: object, path: readonly (string | number)[], value: unknown): void {
  let at: unknown = target;
  for (const [i, key] of path.entries()) {
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, key)) return;
    if (i === path.length - 1)
      Object.defineProperty(at, key, { value, writable: true, enumerable: true, configurable: true });
    else at = Reflect.get(at, key);
  }
}
