import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";

const src = resolve(import.meta.dirname, "../../src");
const files = readdirSync(src, { recursive: true, encoding: "utf8" })
  .filter((f) => /\.tsx?$/.test(f))
  .toSorted();

/** Names by which `node:fs` changes a file system; `open` and streams may. */
const WRITERS =
  /^(f|l)?(writeFile|write|writev|appendFile|rename|rm|rmdir|unlink|mkdir|mkdtemp|mkdtempDisposable|link|symlink|chmod|chown|utimes|utime|truncate|ftruncate|cp|copyFile|open|createWriteStream|WriteStream)(Sync)?$/;

/** Files that may write, each with what keeps them out of the person's folder; the door itself is `land-disk.ts`. */
const ALLOWED: Readonly<Record<string, string>> = {
  "workspace/land-disk.ts": "the door's system calls; who may have them is tested below",
  "events/": "the session's log and content store, below the state folder",
  "session/": "index, drafts and settings of the program, below the state and config folders",
  "sandbox/": "step folders, HOME and results of the copy, below the state folder",
  "cli/": "the key and state folders; the demo's temporary folder",
  "ui/": "prompt history and terminal devices",
  "memory/notes-folder.ts": "the model's own notes, below the state folder",
  "skills/load.ts": "copies of skills among the session's results, below the state folder",
  "mcp/result.ts": "what servers send and is no text, among the session's results below the state folder",
  "mcp/seen.ts": "what servers' tools were like, below the state folder",
  "tools/": "long results, below the state folder; files are opened to read",
  "workspace/git.ts": "an empty git dir of its own in a step folder",
  "model/": "no writes but records of requests below the state folder",
  "print/": "an output stream",
  "evals/": "runs and the trials' own folders, below the state folder; a new suite in a folder that is not there yet",
  "util/": "process and system plumbing",
};
function isAllowed(file: string): boolean {
  return Object.keys(ALLOWED).some(
    (allowed) => file === allowed || (allowed.endsWith("/") && file.startsWith(allowed)),
  );
}

/** Names that a file takes from node's file-system modules; `*` for a whole module, which may do anything. */
export function fsNames(text: string): string[] {
  const named = [...text.matchAll(/import\s+(type\s+)?\{([^}]*)\}\s+from\s+"(?:node:)?fs(?:\/promises)?"/g)];
  const names = named.flatMap(([, type, list]) =>
    type !== undefined ? [] : (list ?? "").split(",").map((n) => n.trim().split(/\s+as\s+/)[0] ?? ""),
  );
  const whole = /(?:import\s+(?:\*\s+as\s+)?\w+\s+from\s+|import\(|require\()"(?:node:)?fs(?:\/promises)?"/.test(text);
  return [...names.filter((n) => n !== "" && !n.startsWith("type ")), ...(whole ? ["*"] : [])];
}

describe("the one door", () => {
  it("W3: no other file of src has a function that could write into the folder", () => {
    const wrong = files.flatMap((file) => {
      if (isAllowed(file)) return [];
      const names = fsNames(readFileSync(join(src, file), "utf8"));
      return names.filter((n) => n === "*" || n === "promises" || WRITERS.test(n)).map((n) => `${file}: ${n}`);
    });
    expect(wrong).toEqual([]);
  });
  it("W3: only land*.ts, and open.ts which guards it for the others, take the unguarded disk", () => {
    const takers = files.filter((file) => /\bsystemDisk\b/.test(readFileSync(join(src, file), "utf8")));
    expect(takers).toEqual(["workspace/land-disk.ts", "workspace/open.ts"]);
  });
  it("W3: outside land*.ts the door's disk only looks; what writes is the guarded one", () => {
    const calls =
      /\b(?:door|running\.door|checks)\.disk\.(rename|link|unlink|mkdir|rmdir|chmod|chown|utimes|symlink|copy|write)\(/;
    const wrong = files.filter(
      (file) => !file.startsWith("workspace/land") && calls.test(readFileSync(join(src, file), "utf8")),
    );
    expect(wrong).toEqual([]);
  });
  it("finds the ways to write", () => {
    expect(fsNames('import { readFile, rm as gone } from "node:fs/promises";')).toEqual(["readFile", "rm"]);
    expect(fsNames('import fs from "node:fs";')).toEqual(["*"]);
    expect(fsNames('const { rm } = await import("fs/promises");')).toEqual(["*"]);
    expect(["rm", "writeFileSync", "open", "lchmod", "cpSync"].every((n) => WRITERS.test(n))).toBe(true);
    expect(["readFile", "lstatSync", "readdir", "realpath", "opendir"].some((n) => WRITERS.test(n))).toBe(false);
  });
});
