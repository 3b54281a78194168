import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { runAgent, startAgent } from "../support/run-agent.ts";
import { place } from "../support/session.ts";
import { scratch } from "../support/scratch.ts";

describe("M3: the tour without a terminal", () => {
  it.each([
    ["agent demo", ["demo"]],
    ["npm start", ["--tour-without-terminal"]],
  ])("%s plays it on a temporary copy, lands one file there, and leaves nothing behind", async (_, args) => {
    const at = place("demo");
    const TMPDIR = scratch("demo-tmp");
    const { code, out, err } = await runAgent(at, args, { TMPDIR });
    expect([code, err]).toEqual([0, ""]);
    expect(out).toContain("a demo without a key or a network");
    const order = [
      "Glob **/*.md",
      "20 Markdown files",
      "Grep",
      "10 TODOs in 6 files",
      "Read",
      "proposed: create TODO-overview.md",
      "decided: yes",
      "landed: create TODO-overview.md",
      "That was the tour",
    ];
    const places = order.map((words) => out.indexOf(words));
    expect(places).toEqual(places.toSorted((a, b) => a - b));
    expect(places).not.toContain(-1);
    expect(readdirSync(TMPDIR)).toEqual([]);
    for (const dir of [at.folder, at.home, at.config, at.state]) expect(readdirSync(dir)).toEqual([]);
  });

  it("Ctrl-C ends it, and its copy is gone", async () => {
    const at = place("demo");
    const TMPDIR = scratch("demo-tmp");
    const { child, done } = startAgent(at, ["demo"], { TMPDIR });
    child.stdout?.once("data", () => child.kill("SIGINT"));
    expect((await done).code).toBe(130);
    expect(readdirSync(TMPDIR)).toEqual([]);
  });

  it("a reader that goes away is no error", async () => {
    const at = place("demo");
    const TMPDIR = scratch("demo-tmp");
    const { child, done } = startAgent(at, ["demo"], { TMPDIR });
    child.stdout?.once("data", () => child.stdout?.destroy());
    expect(await done).toMatchObject({ code: 0, err: "" });
    expect(readdirSync(TMPDIR)).toEqual([]);
  });

  it("--model demo works in any folder, and nothing is written where nobody says yes", async () => {
    const at = place("demo");
    mkdirSync(join(at.folder, "empty"));
    const { code, out, err } = await runAgent(at, ["-p", "--model", "demo", "show me around"]);
    expect(code).toBe(0);
    expect(out).toContain("TODO-overview.md was not written");
    expect(err).toContain("denied Write TODO-overview.md");
    expect(existsSync(join(at.folder, "TODO-overview.md"))).toBe(false);
  });
});

describe("the bundled notes", () => {
  const dir = resolve(import.meta.dirname, "../../fixtures/notes");
  const names = readdirSync(dir);
  const lines = (name: string) =>
    new Set(
      readFileSync(join(dir, name), "utf8")
        .split("\n")
        .filter((l) => l !== ""),
    );
  /** Shared lines of all lines. */
  const alike = (a: string, b: string): number => {
    const [one, two] = [lines(a), lines(b)];
    const shared = [...one].filter((l) => two.has(l)).length;
    return shared / (one.size + two.size - shared);
  };
  const todo = names.filter((name) => /TODO/.test(readFileSync(join(dir, name), "utf8")));
  const drafts = names.filter((name) => name.startsWith("draft-"));
  const pairs = names.flatMap((a, i) => names.slice(i + 1).flatMap((b) => (alike(a, b) > 0.3 ? [[a, b]] : [])));

  it("V4: are 20, 6 with a TODO, 3 pairs nearly alike, 2 drafts, the rest plain", () => {
    expect(names.filter((name) => name.endsWith(".md"))).toHaveLength(20);
    expect(names).toHaveLength(20);
    expect(todo).toHaveLength(6);
    expect(drafts).toHaveLength(2);
    expect(pairs).toEqual([
      ["books-to-read.md", "reading-list.md"],
      ["sourdough-copy.md", "sourdough.md"],
      ["wifi-setup-old.md", "wifi-setup.md"],
    ]);
    expect(new Set([...todo, ...drafts, ...pairs.flat()]).size).toBe(14);
    expect(pairs.every(([a = "", b = ""]) => alike(a, b) < 1)).toBe(true);
  });
});
