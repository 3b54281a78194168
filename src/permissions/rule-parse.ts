import type { Rule } from "../events/effect.ts";
import { nearest } from "../util/nearest.ts";
import { PathPattern } from "./glob.ts";
import { readScript } from "./words.ts";

/** Words of a command: `words` when the rule is one simple command; a compound one is compared as text. */
export interface WordsRule {
  text: string;
  words?: readonly string[];
  prefix: boolean;
}

/** A rule, understood. Without `paths`, `command` or `tool` it means every one. */
export type ParsedRule = { rule: Rule } & (
  | { kind: "command"; of: "Bash" | "Unsandboxed"; command?: WordsRule }
  | { kind: "path"; of: "Edit" | "Read" | "Delete" | "Land" | "Outside"; paths?: PathPattern }
  | { kind: "network"; host: string; port?: number }
  | { kind: "mcp"; server: string; tool?: string }
  | { kind: "tool"; name: string }
);

/** What is wrong with a rule and what to write instead; where it stands is added by whoever read it. */
export class RuleError extends Error {
  constructor(text: string, problem: string) {
    super(`rule ${JSON.stringify(text)}: ${problem}`);
    this.name = "RuleError";
  }
}

const TOOLS =
  "Bash BashOutput KillShell Read Write Edit Delete Glob Grep AskUser TodoWrite Task Skill WebFetch ExitPlan ToolSearch CallTool".split(
    " ",
  );
const KINDS = [...TOOLS, "Network", "Outside", "Unsandboxed", "Land"];
/** What a rule may look like, for error texts. */
const FORMS =
  "Bash(words), Bash(words:*), Edit(glob), Read(glob), Delete(glob), Network(host:port), Outside(path), Unsandboxed(words), Land(glob) or mcp__server__tool";
/** An allow of these must name the exact need (P3). */
const EXACT = new Set(["Network", "Outside", "Unsandboxed", "Delete", "Land"]);

/** Understands a rule's text. Throws a RuleError that says what is wrong and what to write. */
export function parseRule(rule: Rule): ParsedRule {
  const { text } = rule;
  if (text.startsWith("mcp__")) return mcp(rule);
  const parts = /^\s*([A-Za-z]+)\s*(?:\(([\s\S]*)\))?\s*$/.exec(text);
  const name = parts?.[1];
  if (name === undefined) throw new RuleError(text, `not a rule; write ${FORMS}`);
  if (!KINDS.includes(name)) {
    const near = nearest(name, KINDS);
    throw new RuleError(
      text,
      `${name} is no kind of rule; ${near === undefined ? `write ${FORMS}` : `did you mean ${near}?`}`,
    );
  }
  const inner = parts?.[2]?.trim();
  if (inner === "") throw new RuleError(text, `the parentheses are empty; write ${FORMS}`);
  if (rule.action === "allow") checkAllow(rule, name, inner);
  return understand(rule, name, inner);
}

function understand(rule: Rule, name: string, inner: string | undefined): ParsedRule {
  switch (name) {
    case "Bash":
    case "Unsandboxed":
      return {
        rule,
        kind: "command",
        of: name,
        ...(inner === undefined ? {} : { command: command(rule.text, inner) }),
      };
    case "Edit":
    case "Write":
      return path(rule, "Edit", inner);
    case "Read":
    case "Delete":
    case "Land":
    case "Outside":
      return path(rule, name, inner);
    case "Network":
      return network(rule, inner);
    default:
      if (inner !== undefined)
        throw new RuleError(rule.text, `${name} takes nothing in parentheses; write ${instead(name)}`);
      return { rule, kind: "tool", name };
  }
}

function instead(name: string): string {
  if (name === "WebFetch") return "Network(host:port)";
  if (name === "Glob" || name === "Grep") return "Read(glob), which counts for Glob and Grep too";
  return `${name} alone`;
}

function checkAllow({ text }: Rule, name: string, inner: string | undefined): void {
  if (name === "Read")
    throw new RuleError(text, "reading inside the folder needs no rule; for a path outside write Outside(path)");
  if (EXACT.has(name) && inner === undefined)
    throw new RuleError(text, `an allow names exactly what it lifts; write ${name}(…)`);
  if (inner === undefined && !["Bash", "Edit", "Write"].includes(name)) {
    const what = name === "WebFetch" ? "write Network(host:port)" : `${name} by itself never asks`;
    throw new RuleError(text, `nothing to allow here: ${what}`);
  }
}

function path(rule: Rule, of: "Edit" | "Read" | "Delete" | "Land" | "Outside", inner: string | undefined): ParsedRule {
  if (inner === undefined) return { rule, kind: "path", of };
  if (of === "Outside" && !inner.startsWith("/"))
    throw new RuleError(
      rule.text,
      "a path outside is absolute; write Outside(/path) or, in a settings file, Outside(~/path)",
    );
  try {
    return { rule, kind: "path", of, paths: new PathPattern(inner, { absolute: of === "Outside" }) };
  } catch (error) {
    throw new RuleError(rule.text, error instanceof Error ? error.message : String(error));
  }
}

function command(text: string, inner: string): WordsRule {
  const prefix = inner.endsWith(":*");
  const source = (prefix ? inner.slice(0, -2) : inner).trim();
  const script = readScript(source);
  if (script.opaque || script.commands.length === 0)
    throw new RuleError(text, "these words can't be read as a command");
  if (!script.sure)
    throw new RuleError(
      text,
      "words that the shell would expand ($x, *, ~, …) can't be matched; quote them, or end the rule with :* to allow any further words",
    );
  const [only] = script.commands;
  if (script.simple && only?.bare === true && only.words.length > 0)
    return { text: source, words: only.words.map((w) => w.value), prefix };
  if (prefix) throw new RuleError(text, "before :* stands one command without redirections or variables in front");
  return { text: source, prefix };
}

function network(rule: Rule, inner: string | undefined): ParsedRule {
  const parts = /^(\*|\[[0-9a-fA-F:.]+\]|[^\s:/@[\]]+)(?::(\d{1,5}|\*))?$/.exec(inner ?? "*");
  const [, host, port] = parts ?? [];
  if (host === undefined) throw new RuleError(rule.text, "write Network(host:port), such as Network(example.com:443)");
  if (host !== "*" && host.replace(/^\*\./, "").includes("*"))
    throw new RuleError(rule.text, "* stands for a whole host, or in front for all names below one: *.example.com");
  if (rule.action === "allow" && port === undefined)
    throw new RuleError(rule.text, `name the port, such as Network(${host}:443)`);
  const number = port === undefined || port === "*" ? undefined : Number(port);
  if (number !== undefined && (number < 1 || number > 65535))
    throw new RuleError(rule.text, `there is no port ${port}`);
  return { rule, kind: "network", host: plainHost(host), ...(number === undefined ? {} : { port: number }) };
}

/** Hosts are compared whole, in this form. */
export function plainHost(host: string): string {
  return host
    .toLowerCase()
    .replace(/^\[(.*)\]$/, "$1")
    .replace(/\.$/, "");
}

function mcp(rule: Rule): ParsedRule {
  const [, server, tool] = /^mcp__([A-Za-z0-9_-]+?)(?:__([A-Za-z0-9_-]+))?$/.exec(rule.text) ?? [];
  if (server === undefined) throw new RuleError(rule.text, "write mcp__server__tool");
  if (rule.action === "allow" && tool === undefined)
    throw new RuleError(rule.text, "an allow names one tool; write mcp__server__tool");
  return { rule, kind: "mcp", server, ...(tool === undefined ? {} : { tool }) };
}
