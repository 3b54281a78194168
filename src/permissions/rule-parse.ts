import type { Rule } from "../events/effect.ts";
import { nearest } from "../util/nearest.ts";
import { PathPattern } from "./glob.ts";
import { ELSEWHERE } from "./rule-elsewhere.ts";
import { type HostRule, readFetchRule, readHostRule } from "./rule-host.ts";
import { readWordsRule, type WordsRule } from "./rule-words.ts";
import { commandTool, rulesOf, toolNames } from "./tool-rules.ts";

type PathKind = "Edit" | "Read" | "Delete" | "Land" | "Outside";

/** A rule, understood. Without `paths`, `command` or `tool` it means every one. `of`: the tool that takes words, or `Unsandboxed`. */
export type ParsedRule = { rule: Rule } & (
  | { kind: "command"; of: string; command?: WordsRule }
  | { kind: "path"; of: PathKind; paths?: PathPattern }
  | ({ kind: "network" } & HostRule)
  | ({ kind: "fetch" } & HostRule)
  | { kind: "mcp"; server: string; tool?: string; pin?: string }
  | { kind: "tool"; name: string }
);

/** What is wrong with a rule and what to write instead; where it stands is added by whoever read it. */
export class RuleError extends Error {
  constructor(text: string, problem: string) {
    super(`rule ${JSON.stringify(text)}: ${problem}`);
    this.name = "RuleError";
  }
}

/** Rules that name an effect, whatever tool has it. Every other rule begins with a tool's name. */
const EFFECTS = ["Edit", "Read", "Delete", "Network", "WebFetch", "Outside", "Unsandboxed", "Land"];
/** An allow of these must name the exact need (P3). */
const EXACT = new Set(["Network", "WebFetch", "Outside", "Unsandboxed", "Delete", "Land"]);

/** What a rule may look like, for error texts. */
function forms(): string {
  const tool = commandTool();
  return `${tool}(words), ${tool}(words:*), Edit(glob), Read(glob), Delete(glob), Network(host:port), WebFetch(https://host), Outside(path), Unsandboxed(words), Land(glob) or mcp__server__tool`;
}

/** Understands a rule's text. Throws a RuleError that says what is wrong and what to write. */
export function parseRule(rule: Rule): ParsedRule {
  try {
    return rule.text.trim().startsWith("mcp__") ? mcp(rule) : named(rule);
  } catch (error) {
    throw new RuleError(rule.text, error instanceof Error ? error.message : String(error));
  }
}

function named(rule: Rule): ParsedRule {
  const parts = /^\s*([A-Za-z]+)\s*(?:\(([\s\S]*)\))?\s*$/.exec(rule.text);
  const written = parts?.[1];
  if (written === undefined) throw new Error(`not a rule; write ${forms()}`);
  const kinds = [...EFFECTS, ...toolNames()];
  const name = kinds.includes(written) ? written : ELSEWHERE.get(written);
  if (name === undefined && !ELSEWHERE.has(written)) {
    const near = nearest(written, kinds);
    throw new Error(
      `${written} is no kind of rule; ${near === undefined ? `write ${forms()}` : `did you mean ${near}?`}`,
    );
  }
  const inner = parts?.[2]?.trim();
  if (inner === "") throw new Error(`the parentheses are empty; write ${forms()}`);
  if (rule.action === "allow") checkAllow(name ?? written, inner);
  return understand(rule, name ?? written, inner);
}

function understand(rule: Rule, name: string, inner: string | undefined): ParsedRule {
  switch (name) {
    case "Read":
    case "Edit":
    case "Delete":
    case "Land":
    case "Outside":
      return path(rule, name, inner);
    case "Unsandboxed":
      return command(rule, name, inner);
    case "Network":
      return { rule, kind: "network", ...readHostRule(inner ?? "*", rule.action) };
    case "WebFetch":
      if (inner === undefined || (rule.action !== "allow" && /^(domain:)?\*$/.test(inner)))
        return { rule, kind: "tool", name };
      return { rule, kind: "fetch", ...readFetchRule(inner, rule.action) };
    default:
      return ofTool(rule, name, inner);
  }
}

/** A rule that begins with a tool's name means what the tool declares of itself. */
function ofTool(rule: Rule, name: string, inner: string | undefined): ParsedRule {
  const rules = rulesOf(name);
  if (rules === "command") return command(rule, name, inner);
  if (rules === "change") return path(rule, "Edit", inner);
  if (inner === undefined) return { rule, kind: "tool", name };
  const instead = rules === "read" ? `Read(glob), which counts for ${readers()} too` : `${name} alone`;
  throw new Error(`${name} takes nothing in parentheses; write ${instead}`);
}

function readers(): string {
  return toolNames()
    .filter((name) => rulesOf(name) === "read" && name !== "Read")
    .join(" and ");
}

function checkAllow(name: string, inner: string | undefined): void {
  if (name === "Read")
    throw new Error(
      `reading inside the folder needs no rule; for a path outside write Outside(${inner?.startsWith("//") === true ? inner.slice(1) : "path"})`,
    );
  if (EXACT.has(name) && inner === undefined)
    throw new Error(
      `an allow names exactly what it lifts; write ${name === "WebFetch" ? "WebFetch(https://host)" : `${name}(…)`}`,
    );
  const rules = rulesOf(name);
  if (inner === undefined && name !== "Edit" && rules !== "command" && rules !== "change")
    throw new Error(`nothing to allow here: ${name} by itself never asks`);
}

function path(rule: Rule, of: PathKind, inner: string | undefined): ParsedRule {
  if (inner === undefined) return { rule, kind: "path", of };
  if (of === "Outside" && !inner.startsWith("/"))
    throw new Error("a path outside is absolute; write Outside(/path) or, in a settings file, Outside(~/path)");
  if (/^~(\/|$)/.test(inner))
    throw new Error(`~ stands for your home in settings files alone; write ${of}(//path/of/it)`);
  return { rule, kind: "path", of, paths: new PathPattern(inner, { absolute: of === "Outside" }) };
}

function command(rule: Rule, of: string, inner: string | undefined): ParsedRule {
  const words = inner === undefined ? undefined : readWordsRule(inner, rule.action);
  if (words === undefined && of === "Unsandboxed" && rule.action === "allow")
    throw new Error("an allow names exactly what it lifts; write Unsandboxed(words)");
  return { rule, kind: "command", of, ...(words === undefined ? {} : { command: words }) };
}

/** `mcp__server`, `mcp__server__*`, `mcp__server__tool`, and `@` with the hash that a tool is pinned by. */
function mcp(rule: Rule): ParsedRule {
  const text = rule.text.trim();
  const [, server, tool, pin] = /^mcp__([\w-]+?|\*)(?:__([\w-]+|\*)(?:@([0-9a-f]{32,64}))?)?$/.exec(text) ?? [];
  if (server === undefined)
    throw new Error(
      text.includes("@") ? "behind @ stand 32 to 64 digits of the tool's hash, 0-9 and a-f" : "write mcp__server__tool",
    );
  const one = tool === undefined || tool === "*" ? undefined : tool;
  if (rule.action === "allow" && (one === undefined || server === "*"))
    throw new Error("an allow names one tool; write mcp__server__tool");
  return {
    rule,
    kind: "mcp",
    server,
    ...(one === undefined ? {} : { tool: one }),
    ...(pin === undefined ? {} : { pin }),
  };
}
