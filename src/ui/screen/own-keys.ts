import { existsSync, type FSWatcher, watch } from "node:fs";
import { basename } from "node:path";
import { keymapFile, readKeymap } from "../input/keymap-file.ts";
import { DEFAULT_KEYMAP, type Keymap } from "../input/keymap.ts";
import type { TerminalWord } from "../term/background.ts";

/** The keys as they are now. */
export interface KeysNow {
  keymap(): Keymap;
  /** The terminal tells all keys apart; undefined: nothing was heard of it. */
  allKeys(): boolean | undefined;
  /** Where the person's own lie. */
  file: string;
}

/** The person's own keys, read again when their file changes (N-5). */
export interface OwnKeys extends KeysNow {
  tell(word: TerminalWord): void;
  /** Reads the file, and again whenever it changes; what is wrong with it is said. */
  start(say: (words: string) => void): void;
  close(): void;
}

/** Editors write a file in several steps. */
const SETTLED_MS = 100;

/** See `OwnKeys`. Nothing is read before `start`. */
export function createOwnKeys(configDir: string): OwnKeys {
  const file = keymapFile(configDir);
  let keymap = DEFAULT_KEYMAP;
  let allKeys: boolean | undefined;
  let watcher: FSWatcher | undefined;
  let timer: NodeJS.Timeout | undefined;
  const read = (say: (words: string) => void, again: boolean) => {
    const found = readKeymap(configDir);
    ({ keymap } = found);
    if (found.problems.length > 0) say(found.problems.join("\n"));
    else if (again) say(`Keys are as ${file} says now.`);
  };
  return {
    file,
    keymap: () => keymap,
    allKeys: () => allKeys,
    tell(word) {
      if (word.allKeys === true) allKeys = true;
      if (word.done === true) allKeys ??= false;
    },
    start(say) {
      if (existsSync(file)) read(say, false);
      if (!existsSync(configDir)) return;
      try {
        // The folder: a file that is exchanged as a whole is another one afterwards.
        watcher = watch(configDir, { persistent: false }, (_event, name) => {
          if (name !== basename(file)) return;
          clearTimeout(timer);
          timer = setTimeout(() => read(say, true), SETTLED_MS);
        });
        watcher.on("error", () => undefined);
      } catch {
        // Too many watches: the file counts at the next start.
      }
    },
    close() {
      clearTimeout(timer);
      watcher?.close();
    },
  };
}
