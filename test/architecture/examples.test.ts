import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { parseArgs } from "../../src/cli/args.ts";
import { readScript } from "../../src/permissions/words.ts";
import { parseJsonc, toValue } from "../../src/session/jsonc.ts";
import { SettingsFile } from "../../src/session/settings-schema.ts";

const root = resolve(import.meta.dirname, "../..");
const read = (file: string): string => readFileSync(join(root, file), "utf8");
const PAGES = [
  "README.md",
  ...readdirSync(join(root, "docs"))
    .filter((f) => f.endsWith(".md"))
    .map((f) => `docs/${f}`),
];

/** Fenced examples in one of these languages, with the page that each stands on. */
function examples(...languages: readonly string[]): { page: string; text: string }[] {
  return PAGES.flatMap((page) =>
    [...read(page).matchAll(/^```(\w*)\n([^]*?)^```/gm)]
      .filter(([, language = ""]) => languages.includes(language))
      .map(([, , text = ""]) => ({ page, text })),
  );
}

/** Settings that stand alone, or a part of a file without its braces. */
function settingsIn(text: string): Record<string, unknown> {
  const whole = /^\s*(\/\/.*\n)*\s*"/.test(text) ? `{${text.trim().replace(/,$/, "")}}` : text;
  const value = toValue(parseJsonc(whole));
  return typeof value === "object" && value !== null ? { ...value } : {};
}

describe("U2: what the docs show works", () => {
  it("every `agent` command of an example is one that the program takes", () => {
    const commands = examples("sh", "bash").flatMap(({ page, text }) =>
      readScript(text)
        .commands.filter(({ program }) => program === "agent")
        .map(({ words }) => ({ page, argv: words.slice(1).map(({ value }) => value) })),
    );
    expect(commands.length).toBeGreaterThan(30);
    const refused = commands.flatMap(({ page, argv }) => {
      const parsed = parseArgs(argv, "0");
      return parsed.ok || parsed.code === 0 ? [] : [`${page}: agent ${argv.join(" ")}: ${parsed.err}`];
    });
    expect(refused).toEqual([]);
  });

  it("every example of settings is one that the program reads", () => {
    const shown = examples("json", "jsonc").map(({ page, text }) => ({ page, settings: settingsIn(text) }));
    const own = shown.filter(({ settings }) => Object.keys(settings).some((key) => key in SettingsFile.shape));
    expect(own.length).toBeGreaterThan(12);
    const wrong = own.flatMap(({ page, settings }) => {
      const parsed = SettingsFile.safeParse(settings);
      return parsed.success ? [] : [`${page}: ${JSON.stringify(settings)}: ${parsed.error.message}`];
    });
    expect(wrong).toEqual([]);
  });

  it("U3: every program that the docs show lies in examples/, which is type-checked and run, and the other way round", () => {
    const files = readdirSync(join(root, "examples")).map((name) => read(`examples/${name}`).replace(/^\/\/.*\n/, ""));
    const shown = examples("ts").map(({ text }) => text);
    expect(shown.length).toBeGreaterThan(3);
    expect(shown.toSorted()).toEqual(files.toSorted());
  });

  it("docs/README.md leads to every page, and only to pages", () => {
    const led = [...read("docs/README.md").matchAll(/\]\(([^)]+\.md)\)/g)].map(([, to = ""]) => to).toSorted();
    const pages = readdirSync(join(root, "docs")).filter((f) => f.endsWith(".md") && f !== "README.md");
    expect(led).toEqual(["../README.md", ...pages].toSorted());
  });
});
