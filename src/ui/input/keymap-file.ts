import { join } from "node:path";
import { nearest } from "../../util/nearest.ts";
import { entriesOf, type OwnFile, readOwnFile } from "../own-file.ts";
import { readKeyName } from "./key-name.ts";
import { type Action, type Bindings, type Context, DEFAULT_KEYMAP, EDIT_ACTIONS, type Keymap } from "./keymap.ts";

/** Where a person's own keys lie (N-5). */
export const keymapFile = (configDir: string): string => join(configDir, "keymap.json");

/** The keys that count, and what is wrong with the file, `file:line: …` each. */
export interface ReadKeymap {
  keymap: Keymap;
  problems: readonly string[];
}

/** The defaults with what the person's file changes; what can't be understood of it changes nothing. */
export function readKeymap(configDir: string): ReadKeymap {
  const file = readOwnFile(keymapFile(configDir));
  return file === undefined ? { keymap: DEFAULT_KEYMAP, problems: [] } : keymapOf(file);
}

const CONTEXTS = Object.keys(DEFAULT_KEYMAP) as Context[];

/** The same from what was read. */
export function keymapOf(file: OwnFile): ReadKeymap {
  const changed = new Map<Context, { bindings: Record<string, Action>; at: Map<string, number> }>();
  for (const { key, at, value } of file.entries) {
    const context = CONTEXTS.find((c) => c === key);
    if (context === undefined) file.fail(at, `${key}: no such context; ${hint(key, CONTEXTS)}`);
    else if (value.kind !== "object") file.fail(at, `${key}: an object in { } is due`);
    else changed.set(context, rebound(context, entriesOf(value), file));
  }
  const keymap = { ...DEFAULT_KEYMAP };
  for (const [context, { bindings }] of changed) keymap[context] = bindings;
  for (const [context, { at }] of changed) keymap[context] = withoutHidden(keymap, context, at, file);
  return { keymap, problems: file.problems };
}

function rebound(context: Context, entries: OwnFile["entries"], file: OwnFile) {
  const bindings: Record<string, Action> = { ...DEFAULT_KEYMAP[context] };
  const at = new Map<string, number>();
  const paged = context === "pager" || context === "review";
  for (const entry of entries) {
    const fail = (words: string) => file.fail(entry.at, `${context}.${entry.key}: ${words}`);
    const ids = entry.key
      .trim()
      .split(/\s+/)
      .map((written) => readKeyName(written, paged));
    const bad = ids.find((id) => "problem" in id);
    if (bad !== undefined) {
      fail("problem" in bad ? bad.problem : "");
      continue;
    }
    const id = ids.map((part) => ("id" in part ? part.id : "")).join(" ");
    if (at.has(id)) {
      fail("is bound above already");
      continue;
    }
    const action = actionFor(context, id, entry.value, fail);
    if (action === undefined) continue;
    at.set(id, entry.at);
    if (action === null) delete bindings[id];
    else bindings[id] = action;
  }
  return { bindings, at };
}

/** null: unbound. undefined: it can't be used, and was told. */
function actionFor(
  context: Context,
  id: string,
  value: OwnFile["entries"][number]["value"],
  fail: (words: string) => void,
): Action | null | undefined {
  const wrong = (words: string) => (fail(words), undefined);
  // The way out of everything.
  if (id === "ctrl+c") return wrong("Ctrl-C stays as it is: it always stops");
  if (value.kind === "value" && value.value === null) return null;
  const known = actionsOf(context);
  const action = value.kind === "value" ? known.find((a) => a === value.value) : undefined;
  if (action === undefined) {
    const written = value.kind === "value" ? String(value.value) : "";
    return wrong(`no such action here; ${hint(written, known)}`);
  }
  if ((context === "pager" || context === "review") && id.includes(" ")) return wrong("there are no chords here");
  if (context === "prompt" && action.startsWith("yes") && (id === "space" || id === "return"))
    return wrong("Space and Enter are no yes by themselves");
  if (context === "composer" && /^(?:space|[^\s+])(?:$| )/u.test(id) && id !== "?")
    return wrong("types text in the composer; take one with ctrl or alt");
  return action;
}

/** What a key can mean in a context. */
export function actionsOf(context: Context): Action[] {
  const own = new Set<Action>([...Object.values(DEFAULT_KEYMAP[context]), ...Object.values(DEFAULT_KEYMAP.any)]);
  if (context === "composer") for (const action of EDIT_ACTIONS) own.add(action);
  return [...own].toSorted();
}

/** A key that is bound can't begin a chord: the chord would never be reached. */
function withoutHidden(keymap: Keymap, context: Context, at: ReadonlyMap<string, number>, file: OwnFile): Bindings {
  const own = keymap[context];
  const all = { ...keymap.any, ...own };
  const hidden = Object.keys(own).filter((id) => {
    const keys = id.split(" ");
    const first = keys.slice(0, -1).map((_, n) => keys.slice(0, n + 1).join(" "));
    const taken = first.find((prefix) => Object.hasOwn(all, prefix));
    if (taken === undefined) return false;
    const place = at.get(id) ?? at.get(taken) ?? 0;
    file.fail(place, `${context}.${id}: ${taken} is ${all[taken]} already; unbind it with null`);
    return true;
  });
  return Object.fromEntries(Object.entries(own).filter(([id]) => !hidden.includes(id)));
}

function hint(written: string, known: readonly string[]): string {
  const near = nearest(written, known);
  return near === undefined ? `there are ${known.join(", ")}` : `did you mean ${near}?`;
}
