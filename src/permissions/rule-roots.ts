import type { Rule } from "../events/effect.ts";
import { literal } from "./glob-parts.ts";
import { parseRule, type ParsedRule } from "./rule-parse.ts";

const known = new WeakMap<readonly Rule[], { roots: string; all: readonly Rule[] }>();

/**
 * Rules with what their absolute paths mean inside of the roots, where changes and reads are named from the root's own top: `Read(//home/me/**)`
 * is `Read(**)` for a folder below it too. The rules themselves stay. Pure; the same list gives the same objects again.
 */
export function inRoots(rules: readonly Rule[], roots: readonly string[]): readonly Rule[] {
  const key = roots.join("\\0");
  const before = known.get(rules);
  if (before?.roots === key) return before.all;
  const all = rules.flatMap((rule) => [rule, ...inside(rule, roots)]);
  known.set(rules, { roots: key, all });
  return all;
}

function inside(rule: Rule, roots: readonly string[]): Rule[] {
  const parsed = understood(rule);
  if (parsed?.kind !== "path" || parsed.of === "Outside" || parsed.paths?.absolute !== true) return [];
  const { of, paths } = parsed;
  const texts = roots.flatMap((root) => paths.within(root, rule.action !== "allow"));
  return [...new Set(texts)].map((text) => ({ ...rule, text: `${of}(${text})` }));
}

/**
 * A rule out of a folder's own file as it is meant in a session that didn't start there: what it names from that folder's top is
 * absolute. Names without a folder mean any place, as ever.
 */
export function fromFolder(rule: Rule, folder: string): Rule {
  const parsed = understood(rule);
  if (parsed?.kind !== "path" || parsed.paths?.anchored !== true || parsed.paths.absolute) return rule;
  const inner = rule.text.slice(rule.text.indexOf("(") + 1, rule.text.lastIndexOf(")")).trim();
  return { ...rule, text: `${parsed.of}(/${literal(folder)}/${inner.replace(/^\.?\/+/, "")})` };
}

function understood(rule: Rule): ParsedRule | undefined {
  try {
    return parseRule(rule);
  } catch {
    return undefined;
  }
}

/** A rule as it is written in a settings file or on the command line: `~/` in a rule of paths is the person's home. */
export function inHome(text: string, home: string): string {
  const [, head, name, rest] = /^(\s*([A-Za-z]+)\s*\(\s*)~(?=[/)])([\s\S]*)$/.exec(text) ?? [];
  if (head === undefined || name === undefined) return text;
  const at = literal(home) + (rest ?? "");
  if (name === "Outside") return head + at;
  const parsed = understood({ action: "deny", text: `${name}(x)`, source: "user" });
  return parsed?.kind === "path" ? `${head}/${at}` : text;
}
