import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** Where `agent` is started, seen from git. */
export const LAYOUTS = ["repository", "package of a monorepo", "linked worktree"] as const;
export type Layout = (typeof LAYOUTS)[number];

/** Runs git outside, as the person would. */
export function git(dir: string, ...args: string[]): string {
  return execFileSync("git", ["-C", dir, "-c", "user.name=t", "-c", "user.email=t@t.invalid", ...args], {
    encoding: "utf8",
    maxBuffer: 1 << 28,
  });
}

export function write(dir: string, path: string, text: string | Buffer): void {
  mkdirSync(dirname(join(dir, path)), { recursive: true });
  writeFileSync(join(dir, path), text);
}

/** Packages with small modules that import each other, and a test by `node --test` in each. */
export function generated(dir: string, packages: number, modules: number): void {
  write(dir, "package.json", `${JSON.stringify({ name: "big", private: true, type: "module" })}\n`);
  write(dir, ".gitignore", "node_modules/\ndist/\n.cache/\n");
  for (let p = 0; p < packages; p++) {
    const at = `packages/p${p}`;
    const scripts = { test: "node --test", build: "mkdir -p dist && cat src/*.js > dist/all.js" };
    write(dir, `${at}/package.json`, `${JSON.stringify({ name: `p${p}`, type: "module", scripts })}\n`);
    for (let m = 0; m < modules; m++) {
      const before = m === 0 ? "" : `import { sum${m - 1} } from "./m${m - 1}.js";\n`;
      const base = m === 0 ? "0" : `sum${m - 1}(n)`;
      write(dir, `${at}/src/m${m}.js`, `${before}/** See oldName. */\nexport const sum${m} = (n) => ${base} + n;\n`);
    }
    const last = modules - 1;
    const test = `import test from "node:test";\nimport assert from "node:assert";\nimport { sum${last} } from "../src/m${last}.js";\ntest("sums", () => assert.equal(sum${last}(1), ${modules}));\n`;
    write(dir, `${at}/test/sum.test.js`, test);
  }
}

/** Makes a repository of `dir`'s files in `layout` below `base`; gives the folder to start in. `sub` is a package in it. */
export function arrange(base: string, fill: (dir: string) => void, layout: Layout, sub: string): string {
  const repo = join(base, "repo");
  mkdirSync(repo, { recursive: true });
  git(repo, "init", "-q", "-b", "main");
  fill(repo);
  git(repo, "config", "user.name", "t");
  git(repo, "config", "user.email", "t@t.invalid");
  git(repo, "add", "-A");
  git(repo, "commit", "-qm", "start");
  if (layout === "repository") return repo;
  if (layout === "package of a monorepo") return join(repo, sub);
  git(repo, "worktree", "add", "-q", "-b", "side", join(base, "side"));
  return join(base, "side");
}
