import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { aboveWords, settingsAbove } from "../../../src/session/settings-above.ts";
import { git } from "../../support/big-tree.ts";
import { needs } from "../../support/runnable.ts";
import { openAt, place } from "../../support/session.ts";

function write(file: string): string {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, "{}");
  return file;
}

it("P6: settings between a package and its repository's top are found, the folder's own and the home's are not", () => {
  const { folder: top } = place("above");
  const folder = join(top, "packages/p");
  write(join(folder, ".agent/settings.json"));
  const files = [
    write(join(top, "packages/.claude/settings.local.json")),
    write(join(top, ".agent/settings.json")),
    write(join(top, ".claude/settings.json")),
  ];
  expect(settingsAbove(folder, top, "/nobody")).toEqual(files);
  expect(settingsAbove(folder, top, top)).toEqual(files.slice(0, 1));
  expect(settingsAbove(top, top, "/nobody")).toEqual([]);
  expect(settingsAbove(dirname(top), top, "/nobody")).toEqual([]);
  expect(aboveWords([])).toBeUndefined();
});

it("P6: a session that opens in a package says which settings above it are not read", async (ctx) => {
  const at = place("above");
  git(at.folder, "init", "-q");
  const file = write(join(at.folder, ".claude/settings.json"));
  const folder = join(at.folder, "packages/p");
  mkdirSync(folder, { recursive: true });
  const session = await openAt({ ...at, folder }, {});
  needs(ctx, session.sandbox.contained ? undefined : "no copy here");
  expect(session.notices.join("\n")).toContain(`Not read, since they belong to a folder above this one: ${file}.`);
});
