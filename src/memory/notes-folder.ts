import { lstatSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { hashText } from "../util/hash.ts";
import { readRegularNow } from "../util/regular-file.ts";

/** A note of the model's own: a Markdown file with its title as the heading. */
export interface Note {
  /** Of its file, without `.md`. */
  name: string;
  title: string;
  body: string;
  /** ISO day of the last change. */
  day: string;
  /** SHA-256 of the file, hex. */
  hash: string;
}

/** The model's notes on one project. They are the program's own files: the person may read, change and delete them. */
export interface NotesFolder {
  readonly folder: string;
  path(name: string): string;
  list(): readonly Note[];
  /** Gives the note's name, and whether one of this title was replaced; text is why it can't be. */
  save(title: string, body: string): { name: string; replaced: boolean } | string;
  /** False: there is none of this title. */
  remove(title: string): boolean;
}

const MOST_NOTES = 300;
const MOST_BYTES = 16_000;

/** Nothing is made before the first note. */
export function notesFolder(folder: string, makeId: (prefix: string) => string): NotesFolder {
  const path = (name: string): string => join(folder, `${name}.md`);
  const list = (): Note[] =>
    namesIn(folder).flatMap((file) => {
      const note = readNote(folder, file);
      return note === undefined ? [] : [note];
    });
  const named = (title: string): Note | undefined => list().find((note) => plainOf(note.title) === plainOf(title));
  // Other titles come to the same name: the letters that a file's name can't have are all that tells them apart.
  const freeName = (title: string): string => {
    const slug = slugOf(title);
    for (let n = 1; ; n++) {
      const name = n === 1 ? slug : `${slug}-${n}`;
      if (lstatSync(path(name), { throwIfNoEntry: false }) === undefined) return name;
    }
  };
  return {
    folder,
    path,
    list,
    save(title, body) {
      const old = named(title);
      if (old === undefined && namesIn(folder).length >= MOST_NOTES)
        return `There are ${MOST_NOTES} notes: remove what no longer holds first.`;
      const name = old?.name ?? freeName(title);
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      const fresh = join(folder, `.${makeId("note")}`);
      writeFileSync(fresh, `# ${title}\n\n${body}\n`, { mode: 0o600, flag: "wx" });
      renameSync(fresh, path(name));
      return { name, replaced: old !== undefined };
    },
    remove(title) {
      const old = named(title);
      if (old === undefined) return false;
      rmSync(path(old.name), { force: true });
      return true;
    },
  };
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith(".md") && !name.startsWith("."))
      .toSorted()
      .slice(0, MOST_NOTES);
  } catch {
    return [];
  }
}

function readNote(folder: string, file: string): Note | undefined {
  try {
    const path = join(folder, file);
    const text = readRegularNow(path, { most: MOST_BYTES }).toString("utf8");
    const name = file.slice(0, -3);
    const heading = /^\uFEFF?#[ \t]+(\S[^\n]*)\n?/.exec(text);
    const title = heading?.[1]?.trim() ?? name;
    const body = (heading === null ? text : text.slice(heading[0].length)).trim();
    const day = new Date(lstatSync(path).mtimeMs).toISOString().slice(0, 10);
    return { name, title, body, day, hash: hashText(text) };
  } catch {
    // A pipe, a huge file, one that was deleted just now: no note.
    return undefined;
  }
}

/** Titles that differ in letter case and blanks alone are one. */
function plainOf(title: string): string {
  return title.normalize("NFKC").toLowerCase().replaceAll(/\s+/g, " ").trim();
}

/** A name that a file can have everywhere; titles of other letters get one by their hash. */
function slugOf(title: string): string {
  const plain = title
    .normalize("NFKD")
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-+|-+$/g, "")
    .slice(0, 50);
  return plain.length < 3 ? `note-${hashText(title).slice(0, 10)}` : plain;
}
