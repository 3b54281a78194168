import { realpathSync } from "node:fs";
import { join } from "node:path";
import type { MemoryScope } from "../events/memory-event.ts";
import { toRaw } from "../util/bytes.ts";
import { visible } from "../util/visible.ts";
import { Inside } from "../workspace/inside.ts";
import { isBelow, pathIn } from "../workspace/roots.ts";
import { hashText } from "../util/hash.ts";
import { importsIn } from "./imports.ts";
import { MOST_CHARS, MOST_DEPTH, MOST_FILE_CHARS, MOST_FILES, type MemoryFile } from "./file.ts";

/** Where instructions may come from, and how much of the folder is trusted. */
export interface MemoryPlace {
  /** Real paths. `folder`: the one that the program works in; `config`: the program's settings; `home`: the person's. */
  folder: string;
  config: string;
  home: string;
  /** The folder's own files count. */
  trusted: boolean;
  /** A Read deny covers this absolute path. */
  hidden: (path: string) => boolean;
}

/** What is read by itself, or for an import. */
interface Wanted {
  path: string;
  scope: MemoryScope;
  by?: MemoryFile;
  depth: number;
}

/** Reads files of instructions and what they import, each once, within bounds. What is left out and why is in `problems`. */
export class MemoryReader {
  readonly files: MemoryFile[] = [];
  readonly problems: string[] = [];
  readonly #place: MemoryPlace;
  readonly #seen = new Set<string>();
  readonly #texts = new Map<string, string>();
  #chars = 0;

  constructor(place: MemoryPlace) {
    this.#place = place;
  }

  /** As people name it. */
  show(path: string): string {
    const { folder, home } = this.#place;
    if (isBelow(folder, path)) return visible(pathIn(folder, path), "");
    return visible(isBelow(home, path) ? join("~", pathIn(home, path)) : path, "");
  }

  /** The whole text of a regular file; undefined where there is none, or none that may be read. `within`: no link leads out of it. */
  textAt(path: string, within: string): string | undefined {
    if (this.#place.hidden(path)) return undefined;
    const seen = new Inside(within).look(toRaw(pathIn(within, path)));
    if (seen?.kind === "unused") this.#tell(path, seen.why);
    if (seen?.kind !== "file") return undefined;
    if (seen.text === undefined) this.#tell(path, "no UTF-8 text of at most 1 MiB");
    const real = realOf(path);
    return real === undefined || this.#place.hidden(real) ? undefined : seen.text;
  }

  /** Takes a file with what it imports. `text`: where it is not the whole file. */
  take(path: string, scope: MemoryScope, text: string): void {
    const file = this.#add({ path, scope, depth: 0 }, text);
    if (file !== undefined) this.#imports(file, 1);
  }

  #imports(file: MemoryFile, depth: number): void {
    for (const name of importsIn(file.text)) this.#import(name, file, depth);
  }

  #import(name: string, file: MemoryFile, depth: number): void {
    const { home } = this.#place;
    const plain = name.replaceAll("\\ ", " ");
    const path = plain.startsWith("~/")
      ? join(home, plain.slice(2))
      : plain.startsWith("/")
        ? join(plain)
        : join(file.path, "..", plain);
    const within = this.#mayImport(path, file);
    if (within === undefined) {
      // A word with a dot in it may be no name of a file at all: nothing is looked up outside to find out.
      if (/[/\\]/.test(plain)) this.#tell(file.path, `@${visible(plain, "")} lies outside, so it is not read`);
      return;
    }
    const real = realOf(path);
    // Of any other word nobody can say whether it is meant as a file.
    if (real === undefined && /\.(md|mdx|txt)$/i.test(plain))
      this.#tell(file.path, `@${visible(plain, "")} is not there`);
    if (real === undefined || this.#seen.has(real)) return;
    if (depth > MOST_DEPTH) return this.#tell(file.path, `@${visible(plain, "")} lies too deep in imports`);
    const text = this.textAt(path, within);
    if (text === undefined) return;
    const found = this.#add({ path, scope: file.scope, by: file, depth }, text);
    if (found !== undefined) this.#imports(found, depth + 1);
  }

  /** The folder that the path must stay in with all links followed; undefined: it may not be imported. */
  #mayImport(path: string, by: MemoryFile): string | undefined {
    const { folder, trusted } = this.#place;
    const own = this.#ownFolder(path);
    // The person's own folders hold keys and settings beside their words, and what the model noted in other projects: no project's file names
    // them, however it came to be read.
    if (own !== undefined) return this.#isOwn(by) && /\.(md|mdx|txt)$/i.test(path) ? own : undefined;
    return trusted && isBelow(folder, path) ? folder : undefined;
  }

  /** The person's folder that holds a path; one of the project's is none. */
  #ownFolder(path: string): string | undefined {
    const { folder, config, home } = this.#place;
    if (isBelow(folder, path)) return undefined;
    return [config, join(home, ".claude")].find((at) => isBelow(at, path));
  }

  /** Whether the person wrote it for themselves: it lies among their own files by its name, and was brought by none of a project's. */
  #isOwn(file: MemoryFile): boolean {
    return this.#ownFolder(file.path) !== undefined;
  }

  #add({ path, scope, by }: Wanted, whole: string): MemoryFile | undefined {
    const real = realOf(path);
    if (real === undefined || this.#seen.has(real) || whole.trim() === "") return undefined;
    this.#seen.add(real);
    const same = this.#texts.get(whole);
    // CLAUDE.md and AGENTS.md are often one text under two names.
    if (same !== undefined) return undefined;
    this.#texts.set(whole, path);
    const room = Math.min(MOST_FILE_CHARS, MOST_CHARS - this.#chars);
    if (this.files.length >= MOST_FILES || room <= 0) {
      this.#tell(path, "left out: there is too much beside it");
      return undefined;
    }
    const cut = whole.length > room;
    const text = visible(cut ? lineCut(whole, room) : whole, "\n\t\u{FE0F}").trim();
    if (cut) this.#tell(path, `cut at ${text.length} of ${whole.length} characters`);
    this.#chars += text.length;
    const shown = this.show(path);
    const file: MemoryFile = {
      path,
      shown,
      scope,
      text,
      hash: hashText(text),
      ...(cut ? { of: whole.length } : {}),
      ...(by === undefined ? {} : { by: by.shown }),
    };
    this.files.push(file);
    return file;
  }

  #tell(path: string, why: string): void {
    this.problems.push(`${this.show(path)}: ${why}`);
  }
}

/** At the end of a line where there is one near. */
function lineCut(text: string, at: number): string {
  const end = text.lastIndexOf("\n", at);
  const cut = text.slice(0, end > at * 0.8 ? end : at);
  return cut.isWellFormed() ? cut : cut.slice(0, -1);
}

function realOf(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}
