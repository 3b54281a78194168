import { existsSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import type { Secrets } from "../../util/secrets/secrets.ts";
import { rulesFromElsewhere } from "../rules-elsewhere.ts";
import type { Found, ImportPlace, Scope } from "./found.ts";
import { numberAt, tableAt, tableIn, textAt, textsAt, wordsAt } from "./read.ts";
import { serverFound } from "./server.ts";

/** What Claude Code left: most of it is read where it lies. */
export function claudeFound({ folder, home }: ImportPlace, secrets: Pick<Secrets, "mask">): Found[] {
  const found: Found[] = [];
  const tell = (one: Found) => void found.push(one);
  const own: [path: string, words: string][] = [
    ["CLAUDE.md", "instructions"],
    ["agents", "kinds of sub-agents"],
    ["skills", "skills"],
    ["commands", "commands"],
  ];
  const read = own.filter(([path]) => path !== "agents");
  for (const [path, words] of read) usedAt(join(home, ".claude", path), `~/.claude/${path}`, words, tell);
  if (existsSync(join(home, ".claude/agents")))
    tell({ kind: "not", from: "~/.claude/agents", why: "copy them to agents/ beside your settings (docs/agents.md)" });
  for (const path of [
    "CLAUDE.md",
    ".claude/CLAUDE.md",
    ".claude/agents",
    ".claude/skills",
    ".claude/commands",
    ".claude/rules",
    ".mcp.json",
  ])
    usedAt(join(folder, path), path, "read while you trust the folder", tell);
  for (const [file, shown, scope] of [
    [join(home, ".claude/settings.json"), "~/.claude/settings.json", "user"],
    [join(folder, ".claude/settings.json"), ".claude/settings.json", "person"],
    [join(folder, ".claude/settings.local.json"), ".claude/settings.local.json", "person"],
  ] as const)
    settings({ file, shown, scope, folder, home }, tell);
  const state = tableIn(join(home, ".claude.json"), "~/.claude.json", tell);
  servers(tableAt(state, "mcpServers"), "~/.claude.json", "user", secrets, tell);
  const project = tableAt(state, "projects", folder);
  servers(tableAt(project, "mcpServers"), "~/.claude.json (this folder)", "person", secrets, tell);
  for (const written of wordsAt(project, "allowedTools") ?? [])
    allow(written, { from: "~/.claude.json (this folder): allowedTools", scope: "person", folder, home }, tell);
  return found;
}

function usedAt(path: string, from: string, words: string, tell: (found: Found) => void): void {
  if (existsSync(path)) tell({ kind: "used", from, words });
}

interface SettingsAt {
  file: string;
  shown: string;
  scope: Scope;
  folder: string;
  home: string;
}

const Hooks = z.record(z.string(), z.array(z.unknown()));

function settings({ file, shown, scope, folder, home }: SettingsAt, tell: (found: Found) => void): void {
  const table = tableIn(file, shown, tell);
  const permissions = tableAt(table, "permissions");
  const rules = [...(wordsAt(permissions, "deny") ?? []), ...(wordsAt(permissions, "ask") ?? [])].length;
  if (rules > 0)
    tell({
      kind: "used",
      from: `${shown}: permissions.deny, permissions.ask`,
      words: `${rules} rules count as they stand`,
    });
  for (const written of wordsAt(permissions, "allow") ?? [])
    allow(written, { from: `${shown}: permissions.allow`, scope, folder, home }, tell);
  const hooks = Object.keys(Hooks.safeParse(table?.["hooks"]).data ?? {});
  if (hooks.length > 0)
    tell(
      scope === "person"
        ? { kind: "used", from: `${shown}: hooks`, words: "run while you trust the folder" }
        : {
            kind: "not",
            from: `${shown}: hooks`,
            why: `they start programs, so you name them yourself: copy the key to your settings by agent config edit (${hooks.join(", ")})`,
          },
    );
  for (const key of ["env", "model", "apiKeyHelper", "statusLine", "enabledPlugins", "sandbox"])
    if (table?.[key] !== undefined)
      tell({ kind: "not", from: `${shown}: ${key}`, why: WHY[key] ?? "it has no counterpart here" });
}

const WHY: Readonly<Record<string, string>> = {
  env: "variables may hold keys: set them in your own environment",
  model: "names differ: agent config set model NAME (agent models lists them)",
  apiKeyHelper: "no program is run for a key: agent key set keeps one",
};

/** Rules that would let all of a kind through. */
const ALL = /^(?:\*|[A-Za-z]+(?:\(\s*(?:\*|\*\*|:\*)?\s*\))?|mcp__[^_]+(?:__\*)?)$/;

/** An allow is offered as it is written, or not at all. */
export function allow(
  written: string,
  { from, scope, folder, home }: Omit<SettingsAt, "file" | "shown"> & { from: string },
  tell: (found: Found) => void,
): void {
  const shown = `${from}: ${JSON.stringify(written)}`;
  if (/^Read\b|^(?:Glob|Grep|LS)\b/.test(written))
    return tell({ kind: "used", from: shown, words: "reads in the folder are never asked about" });
  if (ALL.test(written.trim()))
    return tell({
      kind: "not",
      from: shown,
      why: "it spares every question of its kind: agent permissions allow names what you mean",
    });
  const { rules, lost } = rulesFromElsewhere(written, "allow", { source: scope, folder, home });
  if (lost !== undefined) return tell({ kind: "not", from: shown, why: lost });
  for (const { text } of rules) tell({ kind: "rule", from: shown, scope, action: "allow", text });
}

/** Servers as `.mcp.json` and its like name them. */
export function servers(
  named: Readonly<Record<string, unknown>> | undefined,
  shown: string,
  scope: Scope,
  secrets: Pick<Secrets, "mask">,
  tell: (found: Found) => void,
): void {
  for (const name of Object.keys(named ?? {})) {
    const one = tableAt(named, name);
    const from = `${shown}: mcpServers.${name}`;
    const type = textAt(one, "type");
    if (type === "sse" || type === "ws") {
      tell({ kind: "not", from, why: `the transport ${type} is not spoken here` });
      continue;
    }
    const timeout = numberAt(one, "timeout");
    const written = {
      ...optional("command", textAt(one, "command")),
      ...optional("args", wordsAt(one, "args")),
      ...optional("env", textsAt(one, "env")),
      ...optional("cwd", textAt(one, "cwd")),
      ...optional("url", textAt(one, "httpUrl") ?? textAt(one, "url")),
      ...optional("headers", textsAt(one, "headers")),
      ...optional("callSeconds", timeout === undefined ? undefined : Math.min(86_400, timeout / 1000)),
      ...(one?.["disabled"] === true ? { enabled: false } : {}),
    };
    tell(serverFound({ name, written, from, scope }, secrets));
  }
}

/** A key with a value, or none. */
export function optional<K extends string, V>(key: K, value: V | undefined): { [P in K]?: V } {
  return (value === undefined ? {} : { [key]: value }) as { [P in K]?: V };
}
