import { resolve } from "node:path";
import type { Rule, RuleSource } from "../events/effect.ts";
import { parseRule } from "../permissions/rule-parse.ts";

export interface ElsewherePlace {
  source: RuleSource;
  /** Real path of the project: what `/path` means there. */
  folder: string;
  home: string;
}

const READS = new Set(["Read", "NotebookRead", "Glob", "Grep", "LS"]);
const CHANGES = new Set(["Edit", "Write", "MultiEdit", "NotebookEdit"]);

/**
 * A rule as other programs of this kind write it, as rules of this one: `//path` and `~/path` are absolute there, `/path` and `./path`
 * the project's own. `lost`: why it has no counterpart; `rules` are then what holds at least (an ask on its tool), or empty.
 * An allow is taken as it stands or not at all.
 */
export function rulesFromElsewhere(
  written: string,
  action: Rule["action"],
  place: ElsewherePlace,
): { rules: Rule[]; lost?: string } {
  const { source } = place;
  const text = written.trim();
  const [, name = "", inner] = /^([A-Za-z]+)\s*(?:\(([\s\S]*)\))?$/.exec(text) ?? [];
  const of = READS.has(name) ? "Read" : CHANGES.has(name) ? "Edit" : undefined;
  const path = of === undefined || inner === undefined || action === "allow" ? undefined : inner.trim();
  const texts =
    path === undefined || of === undefined
      ? [text.startsWith("mcp__") ? text.replace(/__\*$/, "") : text]
      : path === "*" || path === "**"
        ? [of]
        : pathRules(of, path, place);
  const rules = texts.map((t): Rule => ({ action, text: t, source }));
  const lost = rules.map(problem).find((p) => p !== undefined);
  if (lost === undefined) return { rules };
  const tool: Rule = { action: "ask", text: of ?? name, source };
  return { rules: action === "allow" || problem(tool) !== undefined ? [] : [tool], lost };
}

/** What is wrong with a rule; undefined: it can be understood. */
function problem(rule: Rule): string | undefined {
  try {
    parseRule(rule);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message.replace(/^rule "(?:[^"\\]|\\.)*": /, "") : String(error);
  }
}

function pathRules(of: "Read" | "Edit", path: string, { folder, home }: ElsewherePlace): string[] {
  const climbs = path.split("/").includes("..");
  const absolute = path.startsWith("//")
    ? path.slice(1)
    : path === "~" || path.startsWith("~/")
      ? literal(home) + path.slice(1)
      : climbs
        ? resolve(literal(folder), path.replace(/^\/+/, ""))
        : undefined;
  if (absolute === undefined) return [`${of}(${path})`];
  const inside = insideOf(absolute.split("/").filter(Boolean), folder.split("/").filter(Boolean));
  // An absolute path that the folder lies in, or that leads into it, is named from the folder's own top too.
  const here = inside === undefined ? [] : [inside === "" ? of : `${of}(${inside})`];
  return [
    ...here,
    ...(here.length > 0 && inside?.startsWith("/") === true ? [] : [`${of}(/${absolute})`, `Outside(${absolute})`]),
  ];
}

/** What an absolute pattern means within the folder: "" all of it, `/path`, `**`/path; undefined: nothing. */
function insideOf(pattern: readonly string[], folder: readonly string[]): string | undefined {
  for (const [i, part] of folder.entries()) {
    const wanted = pattern[i];
    if (wanted === undefined) return "";
    if (wanted === "**") return pattern.slice(i).join("/");
    // A sign that stands for more letters may mean this folder.
    if (wanted !== literal(part) && /[*?[{]/.test(wanted)) return "";
    if (wanted !== literal(part)) return undefined;
  }
  const rest = pattern.slice(folder.length);
  return rest.length === 0 ? "" : `/${rest.join("/")}`;
}

function literal(path: string): string {
  return path.replaceAll(/[\\*?[\]{}]/g, "\\$&");
}
