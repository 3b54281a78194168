import { type Dirent, lstatSync, readdirSync, readlinkSync, realpathSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { rawBytes, type RawPath, showPath, toRaw } from "../util/bytes.ts";
import { breathe } from "../workspace/fingerprint.ts";
import { joinRaw } from "../workspace/tree.ts";
import { codeOf } from "./clone.ts";
import type { Hides } from "./hides.ts";
import { kindOf, type Kind } from "./home.ts";
import { SandboxError } from "./sandbox-error.ts";

/** More folders than these are not looked into for a command. */
const MOST_FOLDERS = 50_000;
/** A folder that changed this shortly before it was read may change again without another time. */
const YOUNG_NS = 100_000_000n;

/** A folder to be looked through: `at` is where its bytes lie, `shown` where commands see it, `name` how rules name it. */
export interface Searched {
  at: string;
  shown: string;
  /** In front of what lies in it: empty for a root, an absolute path ending in `/` outside of all. */
  name: string;
}

/** Something that a rule hides, where commands would see it. */
export interface HiddenPath {
  path: string;
  kind: Kind;
}

/** One folder as it was when it was last read. */
interface Looked {
  stamp: string;
  /** Names of folders in which something may be hidden. */
  into: readonly RawPath[];
  hits: readonly { name: RawPath; kind: Kind | "link" }[];
  /** It could not be read; a command might open it. */
  shut: boolean;
}

/**
 * Finds what deny rules for Read hide in folders. Only folders in which a rule may hide something are looked into, and one that is as it
 * was last time is not read again: then a search costs a look at each folder, not at what lies in it.
 */
export class HiddenWalk {
  #key = "";
  #known = new Map<RawPath, Looked>();

  /** All that is hidden; of a folder that is, nothing in it. Throws `SandboxError` where that can't be told. */
  async find(folders: readonly Searched[], hides: Hides): Promise<HiddenPath[]> {
    if (this.#key !== hides.key) this.#known = new Map();
    this.#key = hides.key;
    const seen = new Map<RawPath, Looked>();
    const found = new Map<string, HiddenPath>();
    for (const folder of folders) await this.#search(folder, hides, seen, found);
    this.#known = seen;
    return [...found.values()].filter(({ path }) => !hasFolderAbove(found, path));
  }

  async #search(
    searched: Searched,
    hides: Hides,
    seen: Map<RawPath, Looked>,
    found: Map<string, HiddenPath>,
  ): Promise<void> {
    const add = (hit: HiddenPath): void => void found.set(hit.path, hit);
    const stack: RawPath[] = [""];
    for (let folder = stack.pop(); folder !== undefined; folder = stack.pop()) {
      if (seen.size >= MOST_FOLDERS)
        throw new SandboxError(
          `more than ${MOST_FOLDERS.toLocaleString("en")} folders would have to be searched for what a deny rule for Read hides: a rule that names where, such as Read(/config/*.key), needs fewer`,
        );
      if (seen.size % 500 === 499) await breathe();
      const at = folder === "" ? toRaw(searched.at) : `${toRaw(searched.at)}/${folder}`;
      const looked = this.#look(at, `${toRaw(searched.name)}${folder}`, hides);
      if (looked === undefined) continue;
      seen.set(at, looked);
      if (looked.shut && folder !== "")
        add({ path: join(searched.shown, nameable(folder, searched.shown)), kind: "folder" });
      for (const name of looked.into) stack.push(joinRaw(folder, name));
      for (const { name, kind } of looked.hits) {
        const path = join(searched.shown, nameable(joinRaw(folder, name), searched.shown));
        if (kind === "link") ledTo(path, searched, showPath(joinRaw(folder, name))).forEach(add);
        else add({ path, kind });
      }
    }
  }

  /** Undefined where there is nothing that could be looked into. */
  #look(at: RawPath, name: RawPath, hides: Hides): Looked | undefined {
    const stat = lstatSync(rawBytes(at), { bigint: true, throwIfNoEntry: false });
    if (stat?.isDirectory() !== true) return undefined;
    const stamp = `${stat.ino} ${stat.mtimeNs} ${stat.ctimeNs} ${stat.mode}`;
    const known = this.#known.get(at);
    if (known?.stamp === stamp) return known;
    const young = BigInt(Date.now()) * 1_000_000n - stat.ctimeNs < YOUNG_NS;
    return { stamp: young ? "" : stamp, ...read(at, name, hides) };
  }
}

function read(at: RawPath, folder: RawPath, hides: Hides): Omit<Looked, "stamp"> {
  const into: RawPath[] = [];
  const hits: { name: RawPath; kind: Kind | "link" }[] = [];
  const entries = entriesOf(at);
  for (const entry of entries ?? []) {
    const name = entry.name.toString("latin1");
    const kind = typeOf(entry);
    if (kind === undefined) continue;
    const touched = hides.touches(
      showPath(folder === "" || folder.endsWith("/") ? folder + name : `${folder}/${name}`),
    );
    if (touched === "yes") hits.push({ name, kind });
    else if (touched === "below" && kind === "folder") into.push(name);
  }
  return { into, hits, shut: entries === undefined };
}

/** Undefined where we may not look. */
function entriesOf(at: RawPath): Dirent<Buffer>[] | undefined {
  try {
    return readdirSync(rawBytes(at), { withFileTypes: true, encoding: "buffer" });
  } catch (error) {
    return codeOf(error) === "EACCES" ? undefined : [];
  }
}

function typeOf(entry: Dirent<Buffer>): Kind | "link" | undefined {
  if (entry.isFile()) return "file";
  if (entry.isDirectory()) return "folder";
  return entry.isSymbolicLink() ? "link" : undefined;
}

/** What is put into the copy is named by text. */
function nameable(path: RawPath, folder: string): string {
  const text = showPath(path);
  if (toRaw(text) === path) return text;
  throw new SandboxError(`${join(folder, text)} has a name that is no text, so it can't be hidden from commands`);
}

/** A link itself hides nothing: what it leads to inside of the same folder is what the rule means. */
function ledTo(path: string, { at, shown }: Searched, name: string): HiddenPath[] {
  try {
    const target = resolve(dirname(path), realTarget(join(at, name), path));
    const kind = kindOf(target);
    return kind === undefined || !target.startsWith(`${shown}/`) ? [] : [{ path: target, kind }];
  } catch {
    return [];
  }
}

/** A link of a layer leads from where commands see it. */
function realTarget(real: string, shown: string): string {
  return realpathSync(real === shown ? real : resolve(dirname(shown), readlinkSync(real)));
}

function hasFolderAbove(found: ReadonlyMap<string, HiddenPath>, path: string): boolean {
  for (let above = dirname(path); above !== "/"; above = dirname(above))
    if (found.get(above)?.kind === "folder") return true;
  return false;
}
