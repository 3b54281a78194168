import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { lookAround } from "../../../src/session/import/look.ts";
import { AGENT_NAMES } from "../../../src/session/import/names.ts";
import { take, takenLines, type Taken, thereAlready } from "../../../src/session/import/take.ts";
import { readServers } from "../../../src/session/mcp-files.ts";
import { layersOf } from "../../../src/session/settings-layers.ts";
import { makeSecrets } from "../../../src/util/secrets/secrets.ts";
import { randomId, systemClock } from "../../../src/util/system.ts";
import { place, type Place } from "../../support/session.ts";

const secrets = makeSecrets({ key: new Uint8Array(32), values: ["CANARY-known-value"] });
const KEY = `sk-ant-api03-${createHash("sha512").update("k").digest("base64url").slice(0, 80)}`;

function put(base: string, files: Readonly<Record<string, string | object>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(base, path)), { recursive: true });
    writeFileSync(join(base, path), typeof text === "string" ? text : JSON.stringify(text));
  }
}

function found(at: Place) {
  const { folder, home, config } = at;
  const where = { folder, home, configDir: config, xdgConfig: join(home, ".config"), codexHome: join(home, ".codex") };
  return lookAround(AGENT_NAMES, where, secrets).flatMap((one) => one.found);
}

const depsOf = ({ folder, home, config: configDir }: Place) => ({
  folder,
  home,
  configDir,
  clock: systemClock,
  makeId: randomId,
});
const serversIn = (at: Place) =>
  Object.fromEntries(found(at).flatMap((one) => (one.kind === "server" ? [[one.name, one]] : [])));
const whyNot = (at: Place) =>
  Object.fromEntries(found(at).flatMap((one) => (one.kind === "not" ? [[one.from, one.why]] : [])));

describe("U6: agent import", () => {
  it("U6: servers of Claude Code, Codex CLI, Gemini CLI and opencode become servers of ours, each for where it counted", () => {
    const at = place("import");
    put(at.home, {
      ".claude.json": {
        mcpServers: { one: { command: "npx", args: ["-y", "one"], env: { MODE: "fast" } } },
        projects: { [at.folder]: { mcpServers: { here: { type: "http", url: "https://example.com/mcp" } } } },
      },
      ".codex/config.toml":
        '[mcp_servers.two]\ncommand = "uvx"\nargs = ["two"]\nenv_vars = ["TWO_TOKEN"]\nstartup_timeout_sec = 20\n[mcp_servers.far]\nurl = "https://example.com/far"\nbearer_token_env_var = "FAR_TOKEN"\n',
      ".gemini/settings.json":
        '{ // mine\n "mcpServers": { "three": { "httpUrl": "https://example.com/3", "timeout": 5000, "headers": { "X-Team": "$TEAM" } } } }',
      ".config/opencode/opencode.jsonc": {
        mcp: { four: { type: "local", command: ["bun", "x", "four"], environment: { FOUR_KEY: "{env:FOUR_KEY}" } } },
      },
    });
    const servers = serversIn(at);
    expect(servers["one"]).toMatchObject({
      scope: "user",
      setting: { command: "npx", args: ["-y", "one"], env: { MODE: "fast" } },
    });
    expect(servers["here"]).toMatchObject({
      scope: "person",
      setting: { type: "http", url: "https://example.com/mcp" },
    });
    expect(servers["two"]).toMatchObject({
      setting: { command: "uvx", env: { TWO_TOKEN: "${TWO_TOKEN}" }, startSeconds: 20 },
    });
    expect(servers["far"]).toMatchObject({ setting: { headers: { Authorization: "Bearer ${FAR_TOKEN}" } } });
    expect(servers["three"]).toMatchObject({
      setting: { url: "https://example.com/3", callSeconds: 5, headers: { "X-Team": "${TEAM}" } },
    });
    expect(servers["four"]).toMatchObject({
      setting: { command: "bun", args: ["x", "four"], env: { FOUR_KEY: "${FOUR_KEY}" } },
    });
  });

  it("U6, P9: no value that may be a key is copied: a variable stands in its place, and the note says which to set", () => {
    const at = place("import");
    const env = {
      API_TOKEN: "CANARY-by-name",
      NOTE: "CANARY-known-value",
      ODD: `${"CANARYx9".repeat(4)}`,
      DB: "postgres://u:CANARYpw@h/d",
    };
    put(at.home, {
      ".claude.json": {
        mcpServers: {
          k: { command: "x", args: ["--api-key", "CANARY-flag", "--token=CANARY-flag2", KEY, "./ok"], env },
          h: {
            url: "https://example.com/mcp",
            headers: { Authorization: "Bearer CANARY-bearer", "X-Api-Key": "CANARY-header", Accept: "text/plain" },
          },
          u: { url: "https://example.com/mcp?api_key=CANARY-url" },
        },
      },
    });
    const all = found(at);
    expect(JSON.stringify(all)).not.toMatch(/CANARY|sk-ant/);
    const { k, h } = serversIn(at);
    expect(k).toMatchObject({
      setting: {
        args: ["--api-key", "${K_API_KEY}", "--token=${K_TOKEN}", "${K_KEY}", "./ok"],
        env: { API_TOKEN: "${API_TOKEN}", DB: "${DB}" },
      },
    });
    expect(h).toMatchObject({
      setting: { headers: { Authorization: "Bearer ${H_AUTHORIZATION}", Accept: "text/plain" } },
    });
    expect(h?.notes).toContain("its value stays where it is: set H_AUTHORIZATION in your environment");
    expect(whyNot(at)["~/.claude.json: mcpServers.u"]).toMatch(/its address holds a key/);
  });

  it("U6, G2: an allow is offered as it stands; one that spares every question of its kind is not, nor is what can't be understood", () => {
    const at = place("import");
    const allow = ["Bash(npm test)", "Bash", "Bash(*)", "mcp__tracker", "Read(src/**)", "Bash(((", "*"];
    put(at.home, {
      ".claude/settings.json": { permissions: { allow, deny: ["Bash(rm *)"] }, hooks: { Stop: [] }, model: "opus" },
    });
    put(at.home, {
      ".config/opencode/opencode.json": {
        permission: { edit: "allow", bash: { "git push *": "deny", "*": "allow", "git status": "allow" } },
      },
    });
    const rules = found(at).flatMap((one) => (one.kind === "rule" ? [`${one.action} ${one.text}`] : []));
    expect(rules).toEqual(["allow Bash(npm test)", "deny Bash(git push *)", "allow Bash(git status)"]);
    const why = whyNot(at);
    expect(why['~/.claude/settings.json: permissions.allow: "Bash"']).toMatch(/spares every question/);
    expect(why['~/.claude/settings.json: permissions.allow: "mcp__tracker"']).toMatch(/spares every question/);
    expect(why["~/.claude/settings.json: hooks"]).toMatch(/start programs/);
    expect(why["~/.claude/settings.json: model"]).toMatch(/agent config set model/);
    const used = found(at).flatMap((one) => (one.kind === "used" ? [one.from] : []));
    expect(used).toContain("~/.claude/settings.json: permissions.deny, permissions.ask");
  });

  it("U6, U7: what is taken stands in the person's settings as agent mcp add writes it, comments stay, and nothing is written twice", async () => {
    const at = place("import");
    const deps = depsOf(at);
    writeFileSync(join(at.config, "settings.json"), '{\n  // mine\n  "mcpServers": { "old": { "command": "x" } }\n}\n');
    put(at.home, {
      ".claude.json": { mcpServers: { old: { command: "y" }, new: { command: "z" } } },
      ".gemini/settings.json": { mcpServers: { new: { command: "other" } } },
      ".claude/settings.json": { permissions: { allow: ["Bash(npm test)"] } },
    });
    const fresh: Taken[] = [];
    const why = found(at).flatMap((one) => {
      if (one.kind !== "server" && one.kind !== "rule") return [];
      const there = thereAlready(one, fresh, deps);
      return there === undefined ? (fresh.push(one), []) : [`${one.from}: ${there}`];
    });
    expect(why).toEqual([
      "~/.claude.json: mcpServers.old: your settings name a server so already",
      "~/.gemini/settings.json: mcpServers.new: ~/.claude.json: mcpServers.new has this name",
    ]);
    expect(fresh.flatMap(takenLines)).toEqual([
      'permissions.allow: "Bash(npm test)"',
      'mcpServers.new: {"command":"z"}',
    ]);
    for (const one of fresh) await take(one, deps);
    const text = readFileSync(join(at.config, "settings.json"), "utf8");
    expect(text).toContain("// mine");
    expect(
      readServers(deps)
        .own.map(({ name }) => name)
        .toSorted(),
    ).toEqual(["new", "old"]);
    expect(layersOf(deps)[0]?.read.rules).toMatchObject([{ action: "allow", text: "Bash(npm test)" }]);
    const [rule] = fresh;
    expect(thereAlready(rule ?? expect.fail(), [], deps)).toBe("your settings have this rule already");
  });

  it.each([
    [".codex/config.toml", "[mcp_servers\n", /can't be read/],
    [".codex/config.toml", "x = 1", undefined],
    [".claude.json", "{ broken", /can't be read: line 1/],
    [".gemini/settings.json", "[]", /no table of settings/],
    [".claude.json", '{"mcpServers": {"a__b": {"command": "x"}}}', /a server's name has/],
    [".claude.json", '{"mcpServers": {"s": {"type": "sse", "url": "https://x"}}}', /transport sse/],
    [".claude.json", '{"mcpServers": {"s": 7}}', /neither "command"/],
  ])("U6: %s with %j is told and stops nothing", (file, text, why) => {
    const at = place("import");
    put(at.home, { [file]: text });
    const told = Object.values(whyNot(at));
    expect(why === undefined ? told : told.filter((words) => why.test(words))).toHaveLength(why === undefined ? 0 : 1);
  });
});
