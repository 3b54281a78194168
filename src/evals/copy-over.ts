import { cpSync, lstatSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";

/**
 * Copies a file or a folder with all below it to `path` below `dir`, over what lies there. Links in `dir` may lead anywhere, and are never
 * written through: a link, or a file where a folder is to be, gives way. "" is `dir` itself.
 */
export function copyOver(from: string, dir: string, path = ""): void {
  for (const above of parentsOf(path)) clearedFor(join(dir, above));
  over(from, join(dir, path));
}

function parentsOf(path: string): string[] {
  const above = dirname(path);
  return above === "." ? [] : [...parentsOf(above), above];
}

/** Makes way for a folder. */
function clearedFor(at: string): void {
  if (lstatSync(at, { throwIfNoEntry: false })?.isDirectory() === true) return;
  rmSync(at, { force: true });
  mkdirSync(at);
}

// cpSync alone merges folders through links, and ends the process where a folder meets a file.
function over(from: string, to: string): void {
  const there = lstatSync(to, { throwIfNoEntry: false });
  if (there?.isDirectory() === true && lstatSync(from).isDirectory()) {
    for (const name of readdirSync(from)) over(join(from, name), join(to, name));
    return;
  }
  rmSync(to, { recursive: true, force: true });
  cpSync(from, to, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true });
}
