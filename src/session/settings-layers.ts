import type { RuleSource } from "../events/effect.ts";
import { MANAGED_FILE, personSettingsFile, projectSettingsFile, userSettingsFile } from "./rules-files.ts";
import { write, type SaveDeps } from "./rules-write.ts";
import { nodeAt, pathOf, withoutValue, withValue } from "./settings-edit.ts";
import { checkSettings, readSettings, type ReadSettings, SettingsError } from "./settings-file.ts";
import { parseJsonc, placeOf, toValue } from "./jsonc.ts";
import { nearest } from "../util/nearest.ts";
import { visible } from "../util/visible.ts";
import { knownKeys } from "./settings-schema.ts";
import { readManaged } from "./settings-managed.ts";
import type { WritableSource } from "./rules-edit.ts";

/** A settings file that is there, from the strongest to the weakest. */
export interface Layer {
  source: RuleSource;
  read: ReadSettings;
}

/** Where a value stands. `value`: as it is written. */
export interface Placed {
  key: string;
  source: RuleSource;
  file: string;
  line: number;
  value: unknown;
}

/** The machine's settings, the person's own for this folder, their own for all, the folder's. @throws SettingsError. */
export function layersOf({ configDir, folder, home }: Pick<SaveDeps, "configDir" | "folder" | "home">): Layer[] {
  const machine = readManaged({ file: MANAGED_FILE, uid: 0 }, home);
  const files = [
    { source: "person", file: personSettingsFile(configDir, folder), own: true },
    { source: "user", file: userSettingsFile(configDir), own: true },
    { source: "project", file: projectSettingsFile(folder), own: false },
  ] as const;
  return [
    ...(machine === undefined ? [] : [{ source: "managed" as const, read: machine }]),
    ...files.flatMap(({ source, file, own }): Layer[] => {
      const read = readSettings(file, source, { home, own });
      return read === undefined ? [] : [{ source, read }];
    }),
  ];
}

/** Every value of a layer by its whole key, lists as one value; or what stands at a key. */
export function valuesOf({ source, read }: Layer, key?: string): Placed[] {
  const at = (path: readonly string[]): Placed[] => {
    const node = path.length === 0 ? read.tree : nodeAt(read.tree, path);
    if (node === undefined) return [];
    if (node.kind === "object" && node.entries.length > 0 && key === undefined)
      return node.entries.flatMap((entry) => at([...path, entry.key]));
    if (path.length === 0) return [];
    const { line } = placeOf(read.text, node.start);
    return [{ key: path.map(quoted).join("."), source, file: read.file, line, value: toValue(node) }];
  };
  return at(key === undefined ? [] : pathOf(key));
}

function quoted(word: string): string {
  return /^[^."\s]+$/.test(word) ? word : `"${word}"`;
}

/** Sets a value of the person's, or takes it out (undefined); checked before it is written, comments and all else stay. Gives the file. */
export async function setValue(key: string, value: unknown, source: WritableSource, deps: SaveDeps): Promise<string> {
  const path = pathOf(key);
  if (path.length === 0) throw new SettingsError(["the key is empty: write one such as limits.tokens"]);
  let written = "";
  await write(source, deps, (before, file) => {
    written = file;
    const text =
      before?.text ?? (source === "user" ? "{}\n" : `${JSON.stringify({ folder: deps.folder }, undefined, 2)}\n`);
    const tree = before?.tree ?? parseJsonc(text);
    const after = value === undefined ? withoutValue(text, tree, path) : withValue(text, tree, path, value);
    if (after === undefined) throw new SettingsError([`${key} is not set in ${file}: agent config list shows what is`]);
    checked(file, after, source, deps.home);
    return after;
  });
  return written;
}

/** What would stand in the file is no place to look at: the mistake is in what was typed. */
function checked(file: string, text: string, source: WritableSource, home: string): void {
  try {
    checkSettings(file, text, source, home);
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    const typed = error.problems.map((problem) =>
      problem.startsWith(`${file}:`) ? problem.slice(file.length + 1).replace(/^\d+:\d+: /, "") : problem,
    );
    throw new SettingsError([...typed.slice(0, -1), `${typed.at(-1) ?? ""} (nothing was written)`]);
  }
}

/** Keys that settings know, for who mistyped one; the first word of a key decides. */
export function keyProblem(key: string): string | undefined {
  const [first = ""] = pathOf(key);
  const known = knownKeys([]);
  if (known.includes(first)) return undefined;
  const near = nearest(first, known);
  return near === undefined
    ? `there is no key ${key}; there are ${known.join(", ")}`
    : `there is no key ${key}; did you mean ${near}?`;
}

/** A value as it is typed: JSON, or the word itself. */
export function valueTyped(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

/** A value with the file that it stands in, as people read it; every sign visible. */
export function placedLine({ key, source, file, line, value }: Placed): string {
  const whose = source in WHOSE ? WHOSE[source as keyof typeof WHOSE] : source;
  return `${visible(key, "")} = ${visible(JSON.stringify(value), "")}  (${whose}, ${visible(file, "")}:${line})`;
}

const WHOSE = { managed: "the machine's", person: "yours, for this folder", user: "yours", project: "the folder's" };
