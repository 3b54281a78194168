import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, it } from "vitest";

const src = resolve(import.meta.dirname, "../../src");

/** Files of the project, and packages that `later()` keeps in the same chunk, by what is loaded with a file. */
function loadedWith(entries: readonly string[]): { files: Set<string>; packages: Set<string> } {
  const files = new Set<string>();
  const packages = new Set<string>();
  const queue = entries.map((entry) => join(src, entry));
  for (let file = queue.pop(); file !== undefined; file = queue.pop()) {
    if (files.has(file)) continue;
    files.add(file);
    const text = readFileSync(file, "utf8");
    for (const [, name = ""] of text.matchAll(/\blater<[^>]*>\("([^"]+)"\)/g)) packages.add(name);
    for (const [, clause = "", to = ""] of text.matchAll(/^(?:import|export) ([^;]*?)from "([^"]+)";/gms)) {
      if (clause.startsWith("type ")) continue;
      if (to.startsWith(".")) queue.push(join(file, "..", to));
      else if (!to.startsWith("node:")) packages.add(to);
    }
  }
  return { files, packages };
}

it("TUI-B2: what the screen's start reads holds no pages' reader, pictures, servers, service or diff views of later", () => {
  const screens = readdirSync(join(src, "ui"), { recursive: true, encoding: "utf8" });
  expect(screens).toContain("main.tsx");
  const { files, packages } = loadedWith(["cli/main.ts", "cli/run-screen.ts", "ui/main.tsx"]);
  expect(files.size).toBeGreaterThan(100);
  const late =
    /^(?:linkedom|@mozilla|turndown|@joplin|@modelcontextprotocol\/client|@anthropic-ai|highlight\.js|lowlight|jschardet|iconv-lite|bullmq|ioredis)/;
  expect([...packages].filter((name) => late.test(name))).toEqual([]);
});
