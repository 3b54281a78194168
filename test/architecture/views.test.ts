import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";

const ui = resolve(import.meta.dirname, "../../src/ui");
const files = readdirSync(ui, { recursive: true, encoding: "utf8" }).filter((f) => /\.tsx?$/.test(f));
const textOf = (file: string) => readFileSync(join(ui, file), "utf8");
const components = files.filter((f) => f.startsWith("views/"));
const all = (file: string, pattern: RegExp) => [...textOf(file).matchAll(pattern)].map((m) => m[1] ?? m[0]);

/** What a component may have of React and Ink: what draws, and the caret. No state, no effect, no input, no size. */
const DRAWS = new Set(["Box", "Text", "memo", "useCursor"]);

describe("components", () => {
  it("U1: none holds logic: they import what draws and nothing else, and keep no state", () => {
    expect(components.length).toBeGreaterThan(0);
    for (const file of components) {
      const modules = all(file, /from "([^"]+)"/g).filter((name) => !["ink", "react"].includes(name));
      const names = all(file, /import (?:type )?\{([^}]*)\} from/g).flatMap((list) => list.split(","));
      const hooks = all(file, /\b(use[A-Z]\w*)/g);
      expect({
        file,
        modules,
        names: names.map((name) => name.trim()).filter((name) => name !== "" && !DRAWS.has(name)),
        hooks: hooks.filter((hook) => !DRAWS.has(hook)),
        process: /\bprocess\b|\bsetTimeout\b|\bDate\b/.test(textOf(file)),
      }).toEqual({ file, modules: [], names: [], hooks: [], process: false });
    }
  });
  it("U1: React and Ink are known to components and to what mounts them, to nothing else", () => {
    const users = files.filter((f) => /from "(?:ink|react)"/.test(textOf(f)));
    expect(users.filter((f) => !f.startsWith("views/"))).toEqual(["screen/ink.tsx"]);
  });
  it("U1: no file of the screen has more than 300 lines", () => {
    expect(files.filter((f) => textOf(f).split("\n").length - 1 > 300)).toEqual([]);
  });
});
