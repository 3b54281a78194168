import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { parseArgs } from "../../src/cli/args.ts";
import { Mode } from "../../src/events/effect.ts";
import { COMMANDS as SLASH } from "../../src/ui/commands/table.ts";
import { EndReason, LogBody } from "../../src/events/event.ts";
import { exitCode, EXIT } from "../../src/session/exit-code.ts";

const root = resolve(import.meta.dirname, "../..");
const read = (file: string): string => readFileSync(join(root, file), "utf8");
const COMMANDS = [
  "sessions",
  "export",
  "trace",
  "replay",
  "key",
  "import",
  "config",
  "cost",
  "stats",
  "permissions",
  "why",
  "policy",
  "eval",
  "completion",
  "trust",
  "mcp",
  "acp",
  "changes",
  "undo",
  "redo",
  "review",
  "land",
  "doctor",
  "demo",
  "init-work",
  "work",
];

/** The help of the program, or of one of its commands. */
function help(...words: string[]): string {
  const parsed = parseArgs([...words, "--help"], "0");
  if (parsed.ok) throw new Error("no help");
  return parsed.out;
}
function flagsIn(text: string): string[] {
  return [...new Set([...text.matchAll(/(?<![\w-])--[a-z][a-z-]+/g)].map((m) => m[0]))].toSorted();
}
function foldersOf(dir: string): string[] {
  return readdirSync(join(root, dir), { withFileTypes: true }).flatMap((e) => (e.isDirectory() ? [e.name] : []));
}

describe("docs/architecture.md", () => {
  const text = read("docs/architecture.md");
  it("names every folder of src, and those of its screen", () => {
    expect(foldersOf("src").filter((name) => !text.includes(`\`src/${name}/\``))).toEqual([]);
    expect(foldersOf("src/ui").filter((name) => !text.includes(`\`${name}/\``))).toEqual([]);
  });
  it("names no folder that is not there", () => {
    const named = [...text.matchAll(/`((?:src|bin|test|docs|bench|scripts|fixtures)\/[\w/]*)`/g)].map(
      (m) => m[1] ?? "",
    );
    expect(named.length).toBeGreaterThan(10);
    expect(named.filter((dir) => !existsSync(join(root, dir)))).toEqual([]);
  });
  it("names every fact, and only those", () => {
    const listed = /^Facts \(`LogBody`[^:]*: (.*?)\. Live/m.exec(text)?.[1]?.split(", ") ?? [];
    expect(listed.toSorted()).toEqual(LogBody.options.map((fact) => fact.shape.type.value).toSorted());
  });
});

describe("README.md", () => {
  it("names every slash command", () => {
    const row = /commands: `([^`]*)`/.exec(read("README.md"))?.[1]?.split(" ") ?? [];
    expect(row.toSorted()).toEqual(SLASH.map(({ name }) => `/${name}`).toSorted());
  });
});

describe("docs/cli.md", () => {
  const text = read("docs/cli.md");
  it("U2: names every option that --help shows, and no other", () => {
    const below = [
      help("sessions", "rename"),
      help("sessions", "delete"),
      help("permissions", "allow"),
      help("permissions", "remove"),
      help("policy", "test"),
      help("mcp", "add"),
      help("mcp", "auth"),
      help("mcp", "list"),
      help("mcp", "remove"),
      help("config", "list"),
      help("config", "set"),
    ];
    const shown = flagsIn([help(), ...COMMANDS.map((name) => help(name)), ...below].join("\n"));
    expect(shown.length).toBeGreaterThan(15);
    expect(flagsIn(text)).toEqual(shown);
  });
  it("names every command", () => {
    const commands = /^Commands:\n([^]*?)\n\n/m.exec(help())?.[1] ?? "";
    const names = [...commands.matchAll(/^ {2}([\w-]+)/gm)].map((m) => m[1]);
    expect(names).toEqual(COMMANDS);
    expect(names.filter((name) => !text.includes(`\`agent ${name}`))).toEqual([]);
  });
  it("U2: names every exit code", () => {
    const codes = new Set([...EndReason.options.map(exitCode), ...Object.values(EXIT)]);
    codes.delete(130);
    expect([...codes].filter((code) => !text.includes(`\n| ${code} | `))).toEqual([]);
  });
  it("names every mode", () => {
    expect(Mode.options.filter((mode) => !text.includes(`\`${mode}\``))).toEqual([]);
  });
});

describe("README.md", () => {
  const text = (): string => read("README.md");
  it("P1: names every mode", () => {
    expect(Mode.options.filter((mode) => !new RegExp(`\\b${mode}\\b`).test(text()))).toEqual([]);
  });
  it("leads nowhere that is not there", () => {
    const paths = [...text().matchAll(/\]\(([^)#:\s]+)(?:#[^)]*)?\)|(?:src|href)="([^":#]+)"/g)].map(
      (m) => m[1] ?? m[2] ?? "",
    );
    expect(paths.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });
  it("tells only scripts that package.json has", () => {
    const manifest = JSON.parse(read("package.json")) as { scripts: Record<string, string> };
    const told = [...text().matchAll(/npm (?:run ([a-z-]+)|(start|test)\b)/g)].map((m) => m[1] ?? m[2] ?? "");
    expect(told).toContain("start");
    expect(told).toContain("test");
    expect(told.filter((name) => !Object.keys(manifest.scripts).includes(name))).toEqual([]);
  });
});
