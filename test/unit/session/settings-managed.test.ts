import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { managedLines } from "../../../src/cli/doctor-managed.ts";
import { decide } from "../../../src/permissions/decide.ts";
import { personSettingsFile, userSettingsFile } from "../../../src/session/rules-files.ts";
import { SettingsError } from "../../../src/session/settings-file.ts";
import { refuseAllows, refuseLocked, refuseLooser } from "../../../src/session/settings-managed.ts";
import { loadSettings, type Flags } from "../../../src/session/settings.ts";
import { scratch } from "../../support/scratch.ts";

const uid = process.getuid?.() ?? 0;

function bench(managed: string | object, others: { user?: object; person?: object } = {}) {
  const dir = scratch("managed");
  const options = { configDir: join(dir, "config"), folder: join(dir, "project"), home: join(dir, "home") };
  const file = join(dir, "etc", "settings.json");
  const put = (path: string, content: string | object) => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
  };
  put(file, managed);
  if (others.user !== undefined) put(userSettingsFile(options.configDir), others.user);
  if (others.person !== undefined) put(personSettingsFile(options.configDir, options.folder), others.person);
  const load = (flags: Flags = {}, machine = { file, uid }) => loadSettings({ ...options, flags, machine });
  return { file, load };
}
function problemsOf(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    if (error instanceof SettingsError) return error.message;
    throw error;
  }
  return "";
}

const PUSH = { tool: "Bash", subject: "git push", needs: [], contained: true };

describe("P6: the machine's settings", () => {
  it("their rules come first, with their place, and no allow of anybody outranks a deny of theirs", () => {
    const b = bench({ permissions: { deny: ["Bash(git push:*)"] } }, { user: { permissions: { allow: ["Bash"] } } });
    const { rules, places, files } = b.load({ allow: ["Bash(git push)"] });
    expect(rules.map((r) => `${r.source} ${r.action}`)).toEqual(["managed deny", "user allow", "cli allow"]);
    expect(places.get(rules[0] as (typeof rules)[0])).toBe(`${b.file}:1`);
    expect(files[0]).toBe(b.file);
    for (const mode of ["ask", "auto"] as const) expect(decide(PUSH, mode, rules, true).action).toBe("deny");
  });
  it("a file or folder that somebody else could write is refused, with what mends it, and nothing is loaded", () => {
    const b = bench({});
    expect(problemsOf(() => b.load())).toBe("");
    expect(problemsOf(() => b.load({}, { file: b.file, uid: uid + 1 }))).toMatch(/belongs to user \d+.*chown/);
    chmodSync(b.file, 0o666);
    expect(problemsOf(() => b.load())).toMatch(/settings\.json: can be written by others.*chmod go-w/);
    chmodSync(b.file, 0o644);
    chmodSync(dirname(b.file), 0o777);
    expect(problemsOf(() => b.load())).toMatch(/etc: can be written by others/);
  });
  it.each(["{", '{"permissions":{"deny":["Bahs(x)"]}}', '{"permissoins":{}}', '{"locked":["nothing"]}'])(
    "U7: %s is told with file and line, and nothing is loaded",
    (text) => {
      const b = bench(text);
      expect(problemsOf(() => b.load())).toContain(`${b.file}:1:`);
    },
  );
  it("what they set no file and no flag sets otherwise, and that is said", () => {
    const b = bench(
      { model: "theirs", baseUrl: "https://gate.example/", locked: ["effort"] },
      { user: { model: "mine", effort: "high", theme: "mono" }, person: { baseUrl: "https://other.example/" } },
    );
    const settings = b.load({ model: "typed", effort: "low", mode: "auto" });
    expect(settings).toMatchObject({ model: "theirs", baseUrl: "https://gate.example/", theme: "mono", mode: "auto" });
    expect(settings.effort).toBeUndefined();
    expect(settings.notices.join("\n")).toMatch(
      /--model is not used: .*locks model\n--effort is not used: .*\n.*:1: model is not used: .*\n.*effort is not used.*\n.*baseUrl is not used/,
    );
    expect(() => refuseLocked(settings.managed, "model")).toThrow("lock the model");
    expect(() => refuseLocked(settings.managed, "effort")).toThrow("lock the effort");
    expect(() => refuseLocked(undefined, "model")).not.toThrow();
  });
  it("S3: their limits are caps: lower ones of others count, higher ones don't, in the session either", () => {
    const b = bench(
      { maxTurns: 9, limits: { usd: 2, session: { usd: 5 } } },
      { user: { maxTurns: 99, limits: { usd: 1 } } },
    );
    const { limits, managed } = b.load({ usd: 50 });
    expect(limits).toMatchObject({ turns: 9, usd: 1, session: { usd: 5 } });
    expect(() => refuseLooser(managed, "session", "usd", 6)).toThrow("allow no more");
    expect(() => refuseLooser(managed, "session", "usd", undefined)).toThrow("allow no more");
    expect(() => refuseLooser(managed, "message", "turns", 10)).toThrow("allow no more");
    expect(() => refuseLooser(managed, "session", "usd", 5)).not.toThrow();
    expect(() => refuseLooser(managed, "message", "tokens", undefined)).not.toThrow();
  });
  it("with permissions.allow locked only their own allows count; asks and denies of all do", () => {
    const mine = { permissions: { allow: ["Bash(a)"], ask: ["Bash(b)"], deny: ["Bash(c)"] } };
    const b = bench({ locked: ["permissions.allow"], permissions: { allow: ["Bash(d)"] } }, { user: mine });
    const { rules, notices } = b.load({ allow: ["Bash(e)"], deny: ["Bash(f)"] });
    expect(rules.map((r) => r.text)).toEqual(["Bash(d)", "Bash(b)", "Bash(c)", "Bash(f)"]);
    expect(notices.join("\n")).toMatch(/--allow is not used[^]*permissions\.allow is not used/);
    expect(() => refuseAllows(b.load().managed)).toThrow("only their own allows");
    expect(() => refuseAllows(bench({}).load().managed)).not.toThrow();
  });
  it("P8: they, and any other file, can forbid --bypass", () => {
    const b = bench({ permissions: { disableBypass: true } });
    expect(b.load().noBypass).toBe(`${b.file}:1`);
    expect(bench({}).load().noBypass).toBeUndefined();
    expect(bench({}, { user: { permissions: { disableBypass: true } } }).load().noBypass).toContain("settings.json:1");
  });
  it("agent doctor shows what they decide, or what stops every start", () => {
    const b = bench({ model: "m", permissions: { deny: ["Bash(x)"], disableBypass: true } });
    const lines = (file: string, owner = uid) => managedLines({ file, uid: owner }, "/home/me").join("\n");
    expect(lines(b.file)).toBe(`${b.file}: 1 rule, locks model, forbids --bypass`);
    expect(lines("/nowhere/settings.json")).toBe("no settings of the machine (/nowhere/settings.json)");
    expect(lines(b.file, uid + 1)).toMatch(/nothing starts until[^]*belongs to user/);
  });
  it("no other file locks keys", () => {
    const b = bench({}, { user: { locked: ["model"] } });
    expect(problemsOf(() => b.load())).toContain("only the machine's settings");
  });
});
