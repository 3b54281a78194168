import { appendFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import type { RawPath } from "../util/bytes.ts";

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
