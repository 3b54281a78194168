import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Effect } from "../../../src/events/effect.ts";
import { decide } from "../../../src/permissions/decide.ts";
import { inRoots } from "../../../src/permissions/rule-roots.ts";
import { foldersAround } from "../../../src/session/settings-around.ts";
import { loadSettings, settingsFiles } from "../../../src/session/settings.ts";
import { git } from "../../support/big-tree.ts";
import { openRig } from "../../support/rig.ts";
import { scratch } from "../../support/scratch.ts";
import { place } from "../../support/session.ts";
import { command, entry, landing } from "../permissions/effects.ts";

function write(file: string, content: object): string {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, JSON.stringify(content));
  return file;
}

/** A work tree with a package in it, and a folder beside it. */
function tree() {
  const dir = scratch("around");
  const [top, beside] = [join(dir, "top"), join(dir, "beside")];
  const folder = join(top, "packages/p");
  for (const at of [join(top, ".git"), folder, beside]) mkdirSync(at, { recursive: true });
  const load = (more: { addDirs?: readonly string[]; home?: string } = {}) =>
    loadSettings({ configDir: join(dir, "config"), folder, home: "/home/me", ...more });
  /** As the loop sees rules: with what absolute paths mean within the roots. */
  const judge = (effect: Effect, addDirs: readonly string[] = []) =>
    decide(effect, "auto", inRoots(load({ addDirs }).rules, [folder, ...addDirs]), true);
  return { dir, top, beside, folder, load, judge };
}

const reads = (path: string): Effect => ({ tool: "Read", subject: path, paths: [path], needs: [], contained: true });
const edits = (path: string): Effect => landing([entry(path)]);

describe("P6: settings of the folders around the one that was started in", () => {
  it("what a repository's top denies and asks holds in a package of it, with the top's paths", () => {
    const { top, judge } = tree();
    write(join(top, ".agent/settings.json"), {
      permissions: {
        deny: [
          "Read(/packages/p/secret/**)",
          "Read(other/**)",
          "Read(.env)",
          "Bash(make release)",
          "Edit(packages/*/lib/)",
        ],
        ask: ["Edit(/packages/p/db/**)"],
      },
    });
    expect(judge(reads("secret/a")).action).toBe("deny");
    expect(judge(reads("other/a")).action).toBe("allow");
    expect(judge(reads(`${top}/other/a`)).action).toBe("deny");
    expect(judge(reads("deep/.env")).action).toBe("deny");
    expect(judge(edits("lib/a.ts")).action).toBe("deny");
    expect(judge(edits("db/1.sql")).action).toBe("ask");
    expect(judge(edits("src/a.ts")).action).toBe("allow");
    expect(judge(command("make release")).action).toBe("deny");
  });
  it("so do those of .claude/, in every folder on the way, and what forbids --bypass; each rule with its place", () => {
    const { top, judge, load } = tree();
    const one = write(join(top, "packages/.claude/settings.local.json"), { permissions: { deny: ["Read(/p/a/**)"] } });
    write(join(top, ".claude/settings.json"), { permissions: { deny: ["Edit(./packages/p/b)"] } });
    const two = write(join(top, ".agent/settings.json"), {
      permissions: { disableBypass: true, commands: "before" },
      maxTurns: 3,
    });
    expect(judge(reads("a/x")).action).toBe("deny");
    expect(judge(edits("b")).action).toBe("deny");
    const { noBypass, tools, limits, places, files } = load();
    expect(noBypass).toBe(`${two}:1`);
    expect(tools.bash.before).toBe(true);
    expect(limits.turns).toBe(3);
    expect([...places.values()]).toContain(`${one}:1`);
    expect(files).toContain(two);
  });
  it("their allows never count, nor what would steer", () => {
    const { top, load, judge } = tree();
    write(join(top, ".agent/settings.json"), { mode: "auto", model: "m", permissions: { allow: ["Bash(npm test)"] } });
    write(join(top, ".claude/settings.json"), { permissions: { allow: ["Bash(npm test)"] } });
    expect(load()).toMatchObject({ mode: "ask", rules: [] });
    expect(judge(reads("a")).action).toBe("allow");
  });
  it("one with a mistake stops the start and is named, one of .claude/ asks for everything", () => {
    const { top, load, judge } = tree();
    const file = write(join(top, ".agent/settings.json"), { permissions: { deny: ["Raed(x)"] } });
    expect(() => load()).toThrow(`${file}:1:`);
    write(file, {});
    writeFileSync(write(join(top, ".claude/settings.json"), {}), "{");
    expect(judge(reads("a")).action).toBe("ask");
  });
  it("an added folder's own rules hold, with its paths", () => {
    const { beside, judge } = tree();
    write(join(beside, ".agent/settings.json"), {
      permissions: { deny: ["Read(.env)", "Read(/keys/**)", "Bash(make release)"] },
    });
    expect(judge(reads("keys/a")).action).toBe("allow");
    expect(judge(reads("keys/a"), [beside]).action).toBe("deny");
    expect(judge(reads("x/.env"), [beside]).action).toBe("deny");
    expect(judge(command("make release"), [beside]).action).toBe("deny");
  });
  it("which folders: up to the work tree's top, none outside of one, never the home's own", () => {
    const { dir, top, folder, beside } = tree();
    const up = [join(top, "packages"), top];
    expect(foldersAround(folder, [], "/home/me")).toEqual(up);
    expect(foldersAround(folder, [], top)).toEqual(up.slice(0, 1));
    expect(foldersAround(beside, [], "/home/me")).toEqual([]);
    const link = join(dir, "link");
    symlinkSync(beside, link);
    expect(foldersAround(top, [link, join(dir, "gone")], "/home/me")).toEqual([beside]);
    // Where an added folder holds the start, paths are named from the added one's top.
    expect(foldersAround(folder, [top], "/home/me")).toEqual([...up, folder]);
    expect(settingsFiles({ configDir: dir, folder, home: "/home/me" })).toContain(join(top, ".agent/settings.json"));
  });
});

it("P6: a session that opens in a package of a repository keeps what its top denies", async () => {
  const at = place("around");
  git(at.folder, "init", "-q");
  write(join(at.folder, ".agent/settings.json"), { permissions: { deny: ["Read(packages/p/key.txt)"] } });
  const folder = join(at.folder, "packages/p");
  write(join(folder, "key.txt"), {});
  const { rules } = loadSettings({ configDir: at.config, folder, home: at.home });
  const rig = await openRig({ ...at, folder }, "auto", { rules });
  expect((await rig.call("Read", { file_path: "key.txt" })).status).toBe("denied");
  expect((await rig.bash("cat key.txt")).result).not.toContain("{}");
  await rig.session.close();
});
