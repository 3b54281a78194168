import { mkdirSync, realpathSync, writeFileSync } from "node:fs";
import { dirname, isAbsolute, join } from "node:path";
import type { Place, Program } from "./program.ts";
import { fileOf } from "./script.ts";
import type { Job } from "./server.ts";
import type { Work } from "./script.ts";

/** Files that are there to be read. */
const FILES = 50;

/** A program in its place: ready to be started. */
export interface Ready {
  program: Program;
  place: Place;
  /** Absolute words. */
  command: readonly string[];
  env: Record<string, string>;
}

/** Makes home and project folder below `base`, with the program's settings. `modules`: where it was installed. */
export function readyIn(base: string, program: Program, url: string, modules: string): Ready {
  const [home, folder] = [join(base, "home"), join(base, "project")];
  // A temporary folder of its own too: some refuse to run helpers out of a home that lies below the common one.
  for (const dir of [home, folder, join(home, "tmp")]) mkdirSync(dir, { recursive: true });
  const place = { home: realpathSync(home), folder: realpathSync(folder), url };
  for (let i = 1; i <= FILES; i++) {
    const { name, mark } = fileOf(i);
    writeFileSync(join(folder, name), `${mark}\n${"a line of a file that is read\n".repeat(20)}`);
  }
  for (const [path, text] of Object.entries(program.files(place))) {
    mkdirSync(dirname(join(home, path)), { recursive: true });
    writeFileSync(join(home, path), text);
  }
  const env = Object.fromEntries(
    Object.entries(program.env).map(([name, value]) => [name, value.replace("@url@", url)]),
  );
  const command = program.command.map((word) =>
    word === "node" ? process.execPath : isAbsolute(word) ? word : join(modules, word),
  );
  return {
    program,
    place,
    command,
    env: {
      PATH: `${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`,
      LANG: "C.UTF-8",
      TERM: "xterm-256color",
      COLORTERM: "truecolor",
      HOME: place.home,
      TMPDIR: join(place.home, "tmp"),
      ...env,
    },
  };
}

export function jobOf({ program, place }: Ready, work: Work): Job {
  return { work, tool: program.tool, template: program.template, folder: place.folder };
}
