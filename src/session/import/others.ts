import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Rule } from "../../events/effect.ts";
import { parseRule } from "../../permissions/rule-parse.ts";
import type { Secrets } from "../../util/secrets/secrets.ts";
import { optional, servers } from "./claude.ts";
import type { Found, ImportPlace, Scope } from "./found.ts";
import { numberAt, tableAt, tableIn, textAt, textsAt, wordsAt } from "./read.ts";
import { serverFound } from "./server.ts";

type Mask = Pick<Secrets, "mask">;
type Tell = (found: Found) => void;

/** A file of instructions that is not read where it lies. */
function instructions(file: string, from: string, tell: Tell): void {
  if (existsSync(file))
    tell({
      kind: "not",
      from,
      why: "instructions for everywhere lie in AGENTS.md beside your settings: @import it there (docs/memory.md)",
    });
}

/** What Codex CLI left (`config.toml`). */
export function codexFound({ folder, codexHome }: ImportPlace, secrets: Mask): Found[] {
  const found: Found[] = [];
  const tell: Tell = (one) => void found.push(one);
  const shown = "~/.codex/config.toml";
  const table = tableIn(join(codexHome, "config.toml"), shown, tell);
  const named = tableAt(table, "mcp_servers");
  for (const name of Object.keys(named ?? {})) {
    const one = tableAt(named, name);
    const bearer = textAt(one, "bearer_token_env_var");
    const fromEnv = Object.entries(textsAt(one, "env_http_headers") ?? {}).map(([key, v]) => [key, `\${${v}}`]);
    const headers = {
      ...textsAt(one, "http_headers"),
      ...Object.fromEntries(fromEnv),
      ...(bearer === undefined ? {} : { Authorization: `Bearer \${${bearer}}` }),
    };
    const env = {
      ...textsAt(one, "env"),
      ...Object.fromEntries((wordsAt(one, "env_vars") ?? []).map((variable) => [variable, `\${${variable}}`])),
    };
    const written = {
      ...optional("command", textAt(one, "command")),
      ...optional("args", wordsAt(one, "args")),
      env,
      ...optional("cwd", textAt(one, "cwd")),
      ...optional("url", textAt(one, "url")),
      headers,
      ...optional("startSeconds", numberAt(one, "startup_timeout_sec")),
      ...optional("callSeconds", numberAt(one, "tool_timeout_sec")),
      ...(one?.["enabled"] === false ? { enabled: false } : {}),
    };
    tell(serverFound({ name, written, from: `${shown}: mcp_servers.${name}`, scope: "user" }, secrets));
  }
  for (const key of ["model", "model_provider", "approval_policy", "sandbox_mode", "notify"])
    if (table?.[key] !== undefined) tell({ kind: "not", from: `${shown}: ${key}`, why: CODEX[key] ?? "" });
  instructions(join(codexHome, "AGENTS.md"), "~/.codex/AGENTS.md", tell);
  if (existsSync(join(codexHome, "prompts")))
    tell({
      kind: "not",
      from: "~/.codex/prompts",
      why: "they are commands: copy them to commands/ beside your settings (docs/commands.md)",
    });
  if (existsSync(join(folder, "AGENTS.md")))
    tell({ kind: "used", from: "AGENTS.md", words: "read while you trust the folder" });
  return found;
}

const CODEX: Readonly<Record<string, string>> = {
  model: "names differ: agent config set model NAME (agent models lists them)",
  model_provider: "services are chosen by the model's name (docs/models.md)",
  approval_policy: "what is asked is the mode: agent config set mode plan, ask or auto",
  sandbox_mode: "commands always run in the copy here (docs/copy.md)",
  notify: "it starts a program: a Notification hook does that (docs/hooks.md)",
};

/** What Gemini CLI left. */
export function geminiFound({ folder, home }: ImportPlace, secrets: Mask): Found[] {
  const found: Found[] = [];
  const tell: Tell = (one) => void found.push(one);
  for (const [file, shown, scope] of [
    [join(home, ".gemini/settings.json"), "~/.gemini/settings.json", "user"],
    [join(folder, ".gemini/settings.json"), ".gemini/settings.json", "person"],
  ] as const) {
    const table = tableIn(file, shown, tell);
    const named = tableAt(table, "mcpServers") ?? {};
    const ours = Object.entries(named).flatMap(([name, value]) => {
      const one = tableAt(named, name);
      if (textAt(one, "url") === undefined || textAt(one, "httpUrl") !== undefined)
        return [[name, withVariables(value)]];
      tell({
        kind: "not",
        from: `${shown}: mcpServers.${name}`,
        why: "its url is for the transport sse, which is not spoken here; httpUrl is",
      });
      return [];
    });
    servers(Object.fromEntries(ours) as Record<string, unknown>, shown, scope, secrets, tell);
  }
  instructions(join(home, ".gemini/GEMINI.md"), "~/.gemini/GEMINI.md", tell);
  if (existsSync(join(folder, "GEMINI.md")))
    tell({ kind: "not", from: "GEMINI.md", why: "AGENTS.md is read: write @GEMINI.md into it" });
  if (existsSync(join(home, ".gemini/commands")))
    tell({
      kind: "not",
      from: "~/.gemini/commands",
      why: "they are TOML: a command is a Markdown file here (docs/commands.md)",
    });
  return found;
}

/** `$NAME` as `${NAME}`, in every text of a value. */
function withVariables(value: unknown): unknown {
  if (typeof value === "string") return value.replaceAll(/\$([A-Za-z_]\w*)/g, "${$1}");
  if (Array.isArray(value)) return value.map(withVariables);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, withVariables(one)]));
}

/** What opencode left. */
export function opencodeFound({ folder, xdgConfig }: ImportPlace, secrets: Mask): Found[] {
  const found: Found[] = [];
  const tell: Tell = (one) => void found.push(one);
  const own = join(xdgConfig, "opencode");
  for (const name of ["opencode.json", "opencode.jsonc"]) {
    const files = [
      [join(own, name), `~/.config/opencode/${name}`, "user"],
      [join(folder, name), name, "person"],
    ] as const;
    for (const [file, shown, scope] of files) {
      const table = tableIn(file, shown, tell);
      const named = tableAt(table, "mcp");
      for (const server of Object.keys(named ?? {})) {
        const one = tableAt(named, server);
        const [command, ...args] = wordsAt(one, "command") ?? [];
        const written = mapped({
          ...optional("command", command),
          args,
          env: textsAt(one, "environment") ?? {},
          ...optional("url", textAt(one, "url")),
          headers: textsAt(one, "headers") ?? {},
          ...(one?.["enabled"] === false ? { enabled: false } : {}),
        });
        tell(serverFound({ name: server, written, from: `${shown}: mcp.${server}`, scope }, secrets));
      }
      permissionsOf(tableAt(table, "permission") ?? {}, `${shown}: permission`, scope, tell);
      if (table?.["instructions"] !== undefined)
        tell({ kind: "not", from: `${shown}: instructions`, why: "@import those files in AGENTS.md (docs/memory.md)" });
    }
  }
  instructions(join(own, "AGENTS.md"), "~/.config/opencode/AGENTS.md", tell);
  return found;
}

/** `{env:NAME}` as `${NAME}`. */
function mapped<T>(value: T): T {
  return JSON.parse(JSON.stringify(value).replaceAll(/\{env:([A-Za-z_]\w*)\}/g, "${$1}")) as T;
}

const TOOLS: Readonly<Record<string, string>> = { bash: "Bash", edit: "Edit", read: "Read", webfetch: "WebFetch" };

function permissionsOf(table: Readonly<Record<string, unknown>>, from: string, scope: Scope, tell: Tell): void {
  for (const [key, value] of Object.entries(table)) {
    const tool = TOOLS[key];
    const pairs: [pattern: string, action: unknown][] =
      typeof value === "string" ? [["*", value]] : Object.entries(tableAt(table, key) ?? {});
    for (const [pattern, action] of pairs) {
      const at = `${from}.${key}${pattern === "*" ? "" : `: ${JSON.stringify(pattern)}`} = ${JSON.stringify(action)}`;
      const why = tool === undefined ? "it has no counterpart here" : ruleOf(tool, pattern, action);
      if (typeof why === "string") tell({ kind: "not", from: at, why });
      else tell({ kind: "rule", from: at, scope, ...why });
    }
  }
}

function ruleOf(tool: string, pattern: string, action: unknown): { action: Rule["action"]; text: string } | string {
  if (action !== "allow" && action !== "ask" && action !== "deny") return "it is neither allow, ask nor deny";
  if (pattern === "*" && action === "allow")
    return "it spares every question of its kind: agent permissions allow names what you mean";
  if (pattern === "*" && action === "ask")
    return "changes and what reaches outside are asked about by the mode (agent config set mode ask)";
  const text = pattern === "*" ? tool : `${tool}(${pattern})`;
  try {
    parseRule({ action, text, source: "user" });
    return { action, text };
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
