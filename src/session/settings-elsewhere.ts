import { lstatSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Rule } from "../events/effect.ts";
import { ALL_READS, crowdText, withoutCrowds } from "../permissions/rule-crowd.ts";
import { offsetOf, parseJsonc, placeOf, type JsonNode } from "./jsonc.ts";
import { rulesFromElsewhere } from "./rules-elsewhere.ts";
import { readSettingsText, SettingsError } from "./settings-file.ts";

/** What settings files of another program of this kind (`.claude/`) add: rules that refuse or ask, never more. */
export interface Elsewhere {
  file: string;
  rules: readonly Rule[];
  /** Where each of them stands, `file:line`. */
  places: ReadonlyMap<Rule, string>;
  /** `file:line` of a setting that forbids to run without questions. */
  noBypass?: string;
  /** Rules of the file that spare questions, which count for nothing. */
  allows: number;
  notices: readonly string[];
}

/** A project's files in `.claude/`, and the person's. */
export function elsewhereFiles(folder: string, home: string): { file: string; source: "project" | "user" }[] {
  return [
    { file: join(home, ".claude", "settings.json"), source: "user" },
    { file: join(folder, ".claude", "settings.json"), source: "project" },
    { file: join(folder, ".claude", "settings.local.json"), source: "project" },
  ];
}

/**
 * Reads the denies and asks of such a file; undefined where there is none. Never throws: one of a project's that can't be read could hold
 * any deny, so reads, commands and changes ask then; the person's own is told and left out, since it was written for another program.
 */
export function readElsewhere(
  file: string,
  source: "project" | "user",
  place: { folder: string; home: string },
): Elsewhere | undefined {
  try {
    if (source === "project") refuseLink(dirname(file));
    const text = readSettingsText(file, source === "user");
    return text === undefined ? undefined : understood(file, text, source, place);
  } catch (error) {
    return unreadable(file, source, error instanceof SettingsError ? error.message : `${file}: ${String(error)}`);
  }
}

function refuseLink(dir: string): void {
  if (lstatSync(dir, { throwIfNoEntry: false })?.isSymbolicLink() === true)
    throw new SettingsError([`${dir}: is a link, and no link of a project is followed. Make it a folder of its own.`]);
}

function unreadable(file: string, source: "project" | "user", problem: string): Elsewhere {
  if (source === "user")
    return { file, rules: [], places: new Map(), allows: 0, notices: [`${problem} Its rules don't count here.`] };
  const rules = ["Read", "Bash", "Edit"].map((text): Rule => ({ action: "ask", text, source }));
  const places = new Map(rules.map((rule) => [rule, file]));
  return { file, rules, places, allows: 0, notices: [`${problem} Until then reads, commands and changes ask.`] };
}

function understood(
  file: string,
  text: string,
  source: "project" | "user",
  place: { folder: string; home: string },
): Elsewhere {
  const tree = treeOf(file, text);
  const line = (node: JsonNode | number) =>
    `${file}:${placeOf(text, typeof node === "number" ? node : node.start).line}`;
  const rules: Rule[] = [];
  const places = new Map<Rule, string>();
  const notices: string[] = [];
  for (const action of ["ask", "deny"] as const) {
    const all = writtenRules(file, text, tree, action).map(({ written, at }) => ({ action, text: written, at }));
    const { kept, crowds } = source === "project" ? withoutCrowds(all) : { kept: all, crowds: [] };
    for (const crowd of crowds) notices.push(`${line(crowd.first.at)}: ${crowdText(crowd)}`);
    const counting = [...kept, ...crowds.map(({ first, text: instead }) => ({ ...first, text: instead }))];
    for (const { text: written, at } of counting) {
      const { rules: found, lost } =
        written === ALL_READS && crowds.length > 0
          ? { rules: [{ action, text: written, source }], lost: undefined }
          : rulesFromElsewhere(written, action, { source, ...place });
      // One of the person's own counts where it is understood; a project's asks at least.
      const counted = lost === undefined || source === "project" ? found : [];
      for (const rule of counted) places.set(rule, line(at));
      rules.push(...counted);
      if (lost !== undefined) notices.push(`${line(at)}: ${lostText(written, action, counted, lost)}`);
    }
  }
  const bypass = child(child(tree, "permissions"), "disableBypassPermissionsMode");
  const noBypass = bypass?.kind === "value" && bypass.value === "disable" ? line(bypass) : undefined;
  const allow = child(child(tree, "permissions"), "allow");
  const allows = allow?.kind === "list" ? allow.items.length : 0;
  return { file, rules, places, notices, allows, ...(noBypass === undefined ? {} : { noBypass }) };
}

/** What is said of a rule that has no counterpart. */
export function lostText(written: string, action: string, instead: readonly Rule[], lost: string): string {
  const then =
    instead.length === 0
      ? "it doesn't count here"
      : `instead ${instead.map((r) => `${r.action === "ask" ? "every" : "no"} ${r.text} ${r.action}s`).join(", ")}`;
  return `${action} ${JSON.stringify(written)} can't be understood (${lost}); ${then}`;
}

function treeOf(file: string, text: string): JsonNode {
  try {
    const tree = parseJsonc(text);
    if (tree.kind === "object") return tree;
  } catch (error) {
    throw new SettingsError([`${file}: ${error instanceof Error ? error.message : String(error)}. Mend it.`]);
  }
  throw new SettingsError([`${file}: settings are an object in { }. Mend it.`]);
}

/** Rules as they are written; a list of another shape could hold any. */
function writtenRules(
  file: string,
  text: string,
  tree: JsonNode,
  action: "ask" | "deny",
): { written: string; at: number }[] {
  const permissions = child(tree, "permissions");
  if (permissions !== undefined && permissions.kind !== "object")
    throw new SettingsError([
      `${file}:${placeOf(text, permissions.start).line}: permissions is no object in { }. Mend it.`,
    ]);
  const list = child(permissions, action);
  if (list === undefined) return [];
  const place = `${file}:${placeOf(text, offsetOf(tree, ["permissions", action])).line}`;
  if (list.kind !== "list") throw new SettingsError([`${place}: permissions.${action} is no list. Mend it.`]);
  return list.items.map((item) => {
    if (item.kind !== "value" || typeof item.value !== "string")
      throw new SettingsError([`${place}: permissions.${action} holds what is no text. Mend it.`]);
    return { written: item.value, at: item.start };
  });
}

function child(node: JsonNode | undefined, key: string): JsonNode | undefined {
  return node?.kind === "object" ? node.entries.find((e) => e.key === key)?.value : undefined;
}
