import { appendFileSync, lstatSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { rawBytes, toRaw, type RawPath } from "../util/bytes.ts";
import { upperOf } from "../workspace/change.ts";

/** An entry of a group's layer, as far as it matters whether it is still the same. */
export type Print = string;
export const GONE = "gone";
export const BLOCKED = "blocked";

const Line = z.object({
  root: z.number(),
  path: z.string(),
  print: z.string(),
  /** Of the person's file that was written into the group's view: its ctime and inode. */
  source: z.string().optional(),
  /** The step by which the group's own change was offered. */
  offered: z.string().optional(),
});
type Line = z.infer<typeof Line>;

/**
 * What in a group's layer is no change of its own: written there by the door or the watcher, or offered and answered already. Kept
 * in the step folder as well, so that it is still known after a crash.
 */
export class Known {
  readonly #file: string;
  readonly #lines = new Map<string, Line>();

  constructor(stepFolder: string) {
    this.#file = join(stepFolder, "known.jsonl");
    for (const line of this.#saved()) this.#lines.set(`${line.root}/${line.path}`, line);
  }

  #saved(): Line[] {
    let text: string;
    try {
      text = readFileSync(this.#file, "utf8");
    } catch {
      return [];
    }
    // A torn last line was not yet true.
    return text.split("\n").flatMap((line) => {
      try {
        return [Line.parse(JSON.parse(line))];
      } catch {
        return [];
      }
    });
  }

  get(root: number, path: RawPath): Readonly<Line> | undefined {
    return this.#lines.get(`${root}/${path}`);
  }

  put(...lines: Line[]): void {
    if (lines.length === 0) return;
    for (const line of lines) this.#lines.set(`${line.root}/${line.path}`, line);
    appendFileSync(this.#file, lines.map((line) => `${JSON.stringify(line)}\n`).join(""), { mode: 0o600 });
  }
}

/**
 * What lies in the layer at a path: "gone" for a mark of deletion, undefined for nothing, "blocked" below what is no folder there
 * (the group took the folder away or replaced it).
 */
export function layerPrint(stepFolder: string, root: number, path: RawPath): Print | undefined {
  const parts = path.split("/");
  let at = toRaw(upperOf(stepFolder, root));
  for (const [n, part] of parts.entries()) {
    at = `${at}/${part}`;
    const stat = lstatSync(rawBytes(at), { bigint: true, throwIfNoEntry: false });
    if (stat === undefined) return undefined;
    const last = n === parts.length - 1;
    if (!last && !stat.isDirectory()) return BLOCKED;
    if (!last) continue;
    if (stat.isCharacterDevice() && stat.rdev === 0n) return GONE;
    if (stat.isDirectory()) return `folder ${stat.ino}`;
    return `${stat.mode} ${stat.ino} ${stat.size} ${stat.mtimeNs} ${stat.ctimeNs}`;
  }
  return undefined;
}
