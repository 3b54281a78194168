import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { broughtHooks } from "../../../src/session/hook-files.ts";
import { partsList } from "../../../src/session/trust-part.ts";
import { holdsHome, placeReasons } from "../../../src/session/trust-place.ts";
import { listTrust } from "../../../src/session/trust-store.ts";
import { surveyFolder } from "../../../src/session/trust-survey.ts";
import { trustLines } from "../../../src/session/trust-words.ts";
import { FolderTrust, mustAsk } from "../../../src/session/trust.ts";
import { systemClock } from "../../../src/util/system.ts";
import { fifo } from "../../support/fifo.ts";
import { scratch } from "../../support/scratch.ts";

const uid = process.getuid?.() ?? 0;
let made = 0;

function put(folder: string, files: Readonly<Record<string, string>>): string {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

function folderWith(files: Readonly<Record<string, string>>): { base: string; folder: string; config: string } {
  const base = scratch("trust");
  const folder = join(base, "project");
  mkdirSync(folder);
  mkdirSync(join(base, "config"), { mode: 0o700 });
  return { base, folder: put(folder, files), config: join(base, "config") };
}

function trustOf(
  { folder, config }: { folder: string; config: string },
  more: { flag?: boolean; homes?: string[] } = {},
) {
  const makeId = (prefix: string) => `${prefix}_${++made}`;
  return new FolderTrust({
    configDir: config,
    folder,
    homes: ["/home/nobody-here"],
    uid,
    clock: systemClock,
    makeId,
    ...more,
  });
}

const hook = (command: string) =>
  JSON.stringify({ hooks: { PreToolUse: [{ matcher: "Bash", hooks: [{ type: "command", command }] }] } });

const EVERYTHING = {
  ".agent/settings.json": JSON.stringify({
    hooks: { SessionStart: [{ command: "touch MARK\u001b[2J" }] },
    checks: [{ command: "npm test" }, { mustExist: ["a"] }],
    permissions: { deny: ["Read(x)"] },
    statusLine: { command: "touch MARK" },
  }),
  ".claude/settings.json": hook("$CLAUDE_PROJECT_DIR/.claude/hooks/x.sh --fast"),
  ".claude/settings.local.json": hook("./own.sh"),
  ".claude/hooks/x.sh": "echo x",
  "own.sh": "echo own",
  ".mcp.json": JSON.stringify({
    mcpServers: {
      db: { command: "node", args: ["./server.js", "a b"], env: { NODE_OPTIONS: "--require ./e.js" } },
      web: { url: "https://mcp.example.test/x" },
    },
  }),
  "server.js": "1",
  ".agent/skills/deploy/SKILL.md": "---\nname: deploy\n---\n!`touch MARK`",
  ".agent/skills/deploy/scripts/run.sh": "echo run",
  ".agent/skills/empty/README.md": "no skill",
  ".claude/commands/team/ship.md": "Ship: !`git push`",
  ".agent/agents/judge.md": "You judge.",
  ".agent/rules/style.md": "Use tabs.",
  "CLAUDE.md": "Hello",
  "AGENTS.md": "Hello",
  ".env": "NODE_OPTIONS=--require=./evil.js",
};

describe("what a folder brings", () => {
  it("H5, G8: each with path, kind and what it runs, literally and with every sign visible; a denying rule or .env needs no trust", () => {
    const { folder } = folderWith(EVERYTHING);
    const { parts, problems, whole } = surveyFolder(folder);
    expect(partsList(parts)).toEqual([
      "4 hooks",
      "2 MCP servers",
      "1 completion check",
      "1 skill",
      "1 command",
      "1 agent",
      "1 rule file",
      "CLAUDE.md",
      "AGENTS.md",
    ]);
    expect({ problems, whole }).toEqual({ problems: [], whole: true });
    const text = trustLines({
      folder,
      survey: surveyFolder(folder),
      reasons: [],
      state: "new",
      keeps: true,
      differences: [],
      texts: [],
    }).join("\n");
    for (const line of [
      "touch MARK\\u{1b}[2J",
      ".claude/settings.json: PreToolUse (Bash)",
      "$CLAUDE_PROJECT_DIR/.claude/hooks/x.sh --fast",
      "file own.sh",
      "node ./server.js 'a b'",
      "with NODE_OPTIONS='--require ./e.js'",
      "https://mcp.example.test/x",
      "file server.js",
      "npm test",
      "touch MARK",
      "file .agent/skills/deploy/scripts/run.sh",
      ".claude/commands/team/ship.md: /team:ship",
      "git push",
    ])
      expect(text).toContain(line);
    expect(text).not.toContain("\u001b");
    expect(text).not.toContain("statusLine");
  });

  it("H5: a folder that brings nothing is not asked about; rules that only tighten and a .env bring nothing", async () => {
    const at = folderWith({
      ".agent/settings.json": '{"permissions":{"deny":["Read(x)"]}}',
      ".env": "A=1",
      "src/a.ts": "",
    });
    const look = await trustOf(at).look();
    expect(look).toMatchObject({ state: "nothing", reasons: [] });
    expect(mustAsk(look)).toBe(false);
    expect(existsSync(join(at.config, "trust"))).toBe(false);
  });

  it("H5: links out of the folder, pipes, rubbish and what may not be read are told and not used; links within are", async () => {
    const { base, folder } = folderWith({
      ".claude/settings.json": '{"hooks": ',
      ".agent/rules/a.md": "x",
      "AGENTS.md": "x",
    });
    put(base, { "outside/skills/evil/SKILL.md": "!`touch MARK`", "outside/CLAUDE.md": "CANARY" });
    symlinkSync(join(base, "outside/skills"), join(folder, ".agent/skills"));
    symlinkSync("../outside/CLAUDE.md", join(folder, "CLAUDE.local.md"));
    symlinkSync("AGENTS.md", join(folder, "CLAUDE.md"));
    symlinkSync("nothing", join(folder, ".agent/AGENTS.md"));
    fifo(join(folder, ".mcp.json"));
    const { parts, problems, whole } = surveyFolder(folder);
    expect(parts.map(({ kind, path }) => `${kind} ${path}`)).toEqual([
      "rule .agent/rules/a.md",
      "memory CLAUDE.md",
      "memory AGENTS.md",
    ]);
    expect(problems.join("\n")).toMatch(/\.claude\/settings\.json: can't be understood as JSON/);
    expect(problems.join("\n")).toMatch(/\.mcp\.json: no ordinary file; not used/);
    expect(problems.join("\n")).toMatch(/\.agent\/skills: a link out of the folder, to .*outside\/skills; not used/);
    expect(problems.join("\n")).toMatch(/CLAUDE\.local\.md: a link out of the folder/);
    expect(problems.join("\n")).toMatch(/\.agent\/AGENTS\.md: a link to nothing/);
    expect(whole).toBe(true);
  });

  it("H5: a folder of settings that is a link out of the folder brings no hooks", () => {
    const { base, folder } = folderWith({});
    put(base, { "outside/settings.json": hook("touch MARK") });
    symlinkSync(join(base, "outside"), join(folder, ".claude"));
    const { parts, problems } = surveyFolder(folder);
    expect(parts).toEqual([]);
    expect(problems[0]).toMatch(/\.claude\/settings\.json: a link out of the folder/);
    // Whoever reads hooks reads none there either.
    expect(broughtHooks(folder).hooks).toEqual([]);
    expect(broughtHooks(put(folder, { ".agent/settings.json": hook("a") })).hooks).toHaveLength(1);
  });

  it("H5: names that are no text, a loop of links and 10,000 skills are bounded and said", () => {
    const { folder } = folderWith({ ".agent/commands/a.md": "a" });
    symlinkSync("..", join(folder, ".agent/commands/loop"));
    writeFileSync(
      Buffer.concat([Buffer.from(`${folder}/.agent/commands/`), Buffer.from([0xff, 0x0a]), Buffer.from(".md")]),
      "odd",
    );
    const odd = surveyFolder(folder, undefined, { entries: 500, bytes: 1 << 20 });
    expect(odd.whole).toBe(false);
    expect(odd.parts.some(({ path }) => path.includes("\ufffd"))).toBe(true);
    rmSync(join(folder, ".agent/commands"), { recursive: true });
    for (let n = 0; n < 60; n++) put(folder, { [`.agent/skills/s${n}/SKILL.md`]: `!\`run ${n}\`` });
    const many = surveyFolder(folder, undefined, { entries: 50, bytes: 1 << 20 });
    expect(many.whole).toBe(false);
    const whole = surveyFolder(folder);
    expect(whole).toMatchObject({ whole: true });
    const lines = trustLines({
      folder,
      survey: whole,
      reasons: [],
      state: "new",
      keeps: true,
      differences: [],
      texts: [],
    });
    expect(lines.length).toBeLessThan(200);
    expect(lines.join("\n")).toMatch(/and 20 more \(agent trust show --json lists them\)/);
    expect(surveyFolder(folder, undefined, { entries: 5000, bytes: 100 })).toMatchObject({ whole: false });
  });

  it("C2: memory files above, up to the top of the repository, are brought along", () => {
    const base = put(scratch("trust"), { "CLAUDE.md": "top", "packages/one/CLAUDE.md": "one" });
    const paths = (workTree?: string) =>
      surveyFolder(join(base, "packages/one"), workTree).parts.map(({ path }) => path);
    expect(paths(base)).toEqual(["CLAUDE.md", "../../CLAUDE.md"]);
    expect(paths()).toEqual(["CLAUDE.md"]);
  });
});

describe("trust in a folder", () => {
  it("H5: is kept by real path, 0600, and counts until what runs is other; then it says what", async () => {
    const at = folderWith(EVERYTHING);
    const trust = trustOf(at);
    const first = await trust.look();
    expect(first.state).toBe("new");
    expect(trust.say(true, first)).toBeUndefined();
    expect(await trust.look()).toMatchObject({ state: "trusted", by: "person" });
    expect(await trustOf(at).look()).toMatchObject({ state: "trusted", by: "store", texts: [] });
    const file = join(at.config, "trust", readdirSync(join(at.config, "trust"))[0] ?? "");
    expect(lstatSync(file).mode & 0o777).toBe(0o600);
    expect(lstatSync(dirname(file)).mode & 0o777).toBe(0o700);
    put(at.folder, { ".claude/settings.json": hook("curl evil.test") });
    const changed = await trustOf(at).look();
    expect(changed.state).toBe("changed");
    expect(changed.by).toBeUndefined();
    expect(mustAsk(changed)).toBe(true);
    expect(changed.differences).toEqual([{ what: "changed", id: "hook .claude/settings.json PreToolUse (Bash)" }]);
    expect(trustLines(changed).join("\n")).toContain("changed: hook .claude/settings.json PreToolUse (Bash)");
    // The process that was told yes doesn't go on trusting another thing.
    expect((await trust.look()).state).toBe("changed");
  });

  it.each([
    ["a hook's script", ".claude/hooks/x.sh"],
    ["a script that a hook names", "own.sh"],
    ["a server's program", "server.js"],
    ["a skill's script", ".agent/skills/deploy/scripts/run.sh"],
    ["a skill's text", ".agent/skills/deploy/SKILL.md"],
    ["a command", ".claude/commands/team/ship.md"],
    ["an agent", ".agent/agents/judge.md"],
  ])("H5: ends when %s changes", async (_what, path) => {
    const at = folderWith(EVERYTHING);
    const trust = trustOf(at);
    trust.say(true, await trust.look());
    put(at.folder, { [path]: "other" });
    expect((await trustOf(at).look()).state).toBe("changed");
  });

  it("H5: a new part and one that is gone are told; a changed memory file is marked once and ends nothing", async () => {
    const at = folderWith(EVERYTHING);
    const trust = trustOf(at);
    trust.say(true, await trust.look());
    put(at.folder, { "CLAUDE.md": "Other" });
    const look = await trustOf(at).look();
    expect(look).toMatchObject({ state: "trusted", texts: [{ what: "changed", id: "memory CLAUDE.md" }] });
    trustOf(at).told(look);
    expect(await trustOf(at).look()).toMatchObject({ state: "trusted", texts: [] });
    rmSync(join(at.folder, ".mcp.json"));
    put(at.folder, { ".agent/commands/new.md": "x" });
    expect((await trustOf(at).look()).differences).toEqual([
      { what: "new", id: "command .agent/commands/new.md /new" },
      { what: "gone", id: "server .mcp.json db" },
      { what: "gone", id: "server .mcp.json web" },
    ]);
  });

  it("H5: a no is remembered too, and asked again when what runs is other", async () => {
    const at = folderWith({ ".claude/settings.json": hook("a") });
    const trust = trustOf(at);
    trust.say(false, await trust.look());
    const look = await trustOf(at).look();
    expect(look.state).toBe("declined");
    expect(look.by).toBeUndefined();
    expect(mustAsk(look)).toBe(false);
    put(at.folder, { ".claude/settings.json": hook("b") });
    expect(mustAsk(await trustOf(at).look())).toBe(true);
  });

  it("H5: a trusted folder makes none below it trusted, the same under another path neither; forgotten it is asked again", async () => {
    const at = folderWith({ ".claude/settings.json": hook("a"), "sub/.claude/settings.json": hook("a") });
    const trust = trustOf(at);
    trust.say(true, await trust.look());
    expect((await trustOf({ ...at, folder: join(at.folder, "sub") }).look()).state).toBe("new");
    expect(listTrust(at.config)).toMatchObject([{ folder: at.folder, trusted: true }]);
    expect(trust.forget()).toBe(true);
    expect(trust.forget()).toBe(false);
    expect((await trust.look()).state).toBe("new");
  });

  it("H5: what can't be relied on is no trust: damaged, another folder's, writable by others", async () => {
    const at = folderWith({ ".claude/settings.json": hook("a") });
    const trust = trustOf(at);
    trust.say(true, await trust.look());
    const file = join(at.config, "trust", readdirSync(join(at.config, "trust"))[0] ?? "");
    chmodSync(file, 0o666);
    expect((await trustOf(at).look()).state).toBe("new");
    chmodSync(file, 0o600);
    expect((await trustOf(at).look()).state).toBe("trusted");
    writeFileSync(file, '{"v":1,"folder":"/else"}');
    expect((await trustOf(at).look()).state).toBe("new");
    expect(listTrust(at.config)).toEqual([]);
  });

  it("H5: --trust-folder is for one process and is not kept", async () => {
    const at = folderWith({ ".claude/settings.json": hook("a") });
    expect(await trustOf(at, { flag: true }).look()).toMatchObject({ state: "trusted", by: "flag" });
    expect((await trustOf(at).look()).state).toBe("new");
  });
});

describe("places that are asked about whatever they bring", () => {
  it("P8, H5: the home, what holds it and /; a yes there is for one start", async () => {
    const at = folderWith({});
    const trust = trustOf(at, { homes: [at.folder] });
    const look = await trust.look();
    expect(look).toMatchObject({ state: "new", keeps: false });
    expect(look.reasons[0]).toMatch(/home folder/);
    trust.say(false, look);
    expect(mustAsk(await trust.look())).toBe(false);
    expect(mustAsk(await trustOf(at, { homes: [at.folder] }).look())).toBe(true);
    expect(placeReasons("/", { homes: [], uid: 0 })[0]?.why).toMatch(/whole machine/);
    expect(holdsHome(at.base, [join(at.folder, "nowhere")])).toBe(true);
    expect(holdsHome(at.folder, [at.base])).toBe(false);
    expect(holdsHome(`${at.folder}-evil`, [at.folder])).toBe(false);
  });

  it("H5: a link to the home is the home", () => {
    const at = folderWith({});
    symlinkSync(at.folder, join(at.base, "home"));
    expect(holdsHome(at.folder, [join(at.base, "home")])).toBe(true);
  });

  it("H5: where others may write, or put another folder in its place", () => {
    const at = folderWith({});
    const why = () =>
      placeReasons(at.folder, { homes: [], uid })
        .map((r) => r.why)
        .join("\n");
    expect(why()).toBe("");
    chmodSync(at.folder, 0o1777);
    expect(why()).toMatch(/Every user of this machine may write here/);
    chmodSync(at.folder, 0o755);
    chmodSync(at.base, 0o777);
    expect(why()).toMatch(/another folder in its place/);
    chmodSync(at.base, 0o1777);
    expect(why()).toBe("");
  });

  it("H5: another user's folder; a yes is kept while it stays theirs", async () => {
    const at = folderWith({});
    const theirs = new FolderTrust({
      configDir: at.config,
      folder: at.folder,
      homes: [],
      uid: uid + 1,
      clock: systemClock,
      makeId: (p) => `${p}_f`,
    });
    const look = await theirs.look();
    expect(look).toMatchObject({ state: "new", keeps: true });
    expect(look.reasons[0]).toMatch(/another user/);
    theirs.say(true, look);
    expect((await trustOf(at).look()).state).toBe("trusted");
    if (uid !== 0) return;
    chownSync(at.folder, 1, 1);
    expect((await trustOf(at).look()).state).toBe("new");
  });
});
