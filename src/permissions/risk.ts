import type { ChangeEntry, Effect, Need, Risk } from "../events/effect.ts";
import { insideText } from "../sandbox/net-address.ts";
import { rulesOf } from "./tool-rules.ts";
import { quoted } from "../util/quoted.ts";
import { visible } from "../util/visible.ts";

/** More files than this in one step ask in every mode (P4). */
export const MANY_FILES = 10;

/** Facts about an entry that make it high risk (P3). */
export type HighFact =
  | "delete"
  | "empty"
  | "uncommitted"
  | "executable"
  | "setid"
  | "closed"
  | "open-to-all"
  | "special"
  | "link-out"
  | "type-change"
  | "control";

/**
 * The high facts of one entry, by its marks; where a mark that belongs to its kind of change is missing, the kind itself counts.
 * `own` and `committed` (it follows a switch or fast-forward, all of it is in git) take `delete` and `empty`.
 */
export function highFacts(entry: ChangeEntry): HighFact[] {
  const marks = new Set<string>(entry.marks);
  if (entry.op === "delete" && (entry.type !== "folder" || (entry.files ?? 0) > 0)) marks.add("delete");
  if (entry.op === "type") marks.add("type-change");
  if (entry.type === "special" && entry.op !== "delete") marks.add("special");
  if (marks.has("own") || marks.has("committed")) for (const m of ["delete", "empty"]) marks.delete(m);
  // New executables count outside regenerable names only.
  if (marks.has("regenerable")) marks.delete("executable");
  return FACTS.filter((f) => marks.has(f));
}

/** In the order in which they are told. */
const FACTS: readonly HighFact[] = [
  "delete",
  "empty",
  "uncommitted",
  "type-change",
  "control",
  "executable",
  "setid",
  "closed",
  "open-to-all",
  "special",
  "link-out",
];

/** A sentence for every fact, the number of files and their names in it. */
const SENTENCES: Record<HighFact, (files: string) => string> = {
  delete: (f) => `deletes ${f}`,
  empty: (f) => `empties ${f}`,
  uncommitted: (f) => `throws away uncommitted work in ${f}`,
  "type-change": (f) => `replaces by a link, file or folder ${f}`,
  control: (f) => `changes what steers programs (protected), ${f}`,
  executable: (f) => `makes executable ${f}`,
  setid: (f) => `sets user or group id on ${f}`,
  closed: (f) => `takes away your own access to ${f}`,
  "open-to-all": (f) => `lets every user of the machine change ${f}`,
  special: (f) => `makes what is no ordinary file, ${f}`,
  "link-out": (f) => `makes links out of the folder: ${f}`,
};

/** What makes a change set or a need high risk, one plain sentence each; empty when nothing does. */
export function highRisk(effect: Effect): string[] {
  if (effect.changes === undefined) return needsOf(effect).filter(isHigh).map(needText);
  const { entries, git } = effect.changes;
  const facts = entries.flatMap((entry) => highFacts(entry).map((fact) => ({ entry, fact })));
  return [...factTexts(facts), ...git.filter((g) => g.high).map((g) => visible(g.text, "")), ...manyText(effect)];
}

/**
 * P4, as a sentence: too many files in this step, or in this turn with those that earlier calls of the same tool changed. `which`: the
 * files of this step as they are told; none: the number alone.
 */
export function manyText({ tool, changes, earlier }: Effect, which = ""): string[] {
  const files = changes?.files ?? 0;
  if (files > MANY_FILES) return [`changes ${files} files in one step${which === "" ? "" : `: ${which}`}`];
  if (earlier === undefined || files === 0 || files + earlier.files <= MANY_FILES) return [];
  const before = firstOf(earlier.paths.map(quoted), earlier.files);
  return [
    `changes ${files + earlier.files} files in one turn with ${visible(tool, "")}: ${which === "" ? files : which} now, before that ${before}`,
  ];
}

/** Facts with the entries that have them, as sentences. */
export function factTexts(facts: readonly { entry: ChangeEntry; fact: HighFact }[]): string[] {
  return FACTS.flatMap((fact) => {
    const entries = facts.filter((f) => f.fact === fact).map((f) => f.entry);
    const run = fact === "control" ? entries.filter(({ runBy }) => runBy !== undefined) : [];
    const others = entries.filter((entry) => !run.includes(entry));
    return [...runTexts(run), ...(others.length === 0 ? [] : [SENTENCES[fact](fileList(others))])];
  });
}

/** What is protected since a hook or server runs it, by who does. */
function runTexts(entries: readonly ChangeEntry[]): string[] {
  const by = new Map<string, ChangeEntry[]>();
  for (const entry of entries) by.set(entry.runBy ?? "", [...(by.get(entry.runBy ?? "") ?? []), entry]);
  return [...by].map(([who, its]) => `changes what runs outside the copy (${visible(who, "")}), ${fileList(its)}`);
}

/** "3 files: a, b, src/ (12 files)", the first few by name. */
export function fileList(entries: readonly ChangeEntry[]): string {
  // What was a file and becomes an empty folder is one all the same.
  const count = entries.reduce((sum, e) => sum + (e.op === "type" ? Math.max(e.files ?? 1, 1) : (e.files ?? 1)), 0);
  return `${count} ${count === 1 ? "file" : "files"}: ${nameList(entries)}`;
}

/** "a, b, src/ (12 files)", the first few of them. */
export function nameList(entries: readonly ChangeEntry[]): string {
  return firstOf(entries.map(entryName), entries.length);
}

function firstOf(names: readonly string[], all: number): string {
  const shown = names.slice(0, 5);
  return shown.join(", ") + (all > shown.length ? ` and ${all - shown.length} more` : "");
}

/** A path as a question shows it: every sign visible, a folder with its slash and what it holds. */
export function entryName(entry: ChangeEntry): string {
  const to = quoted(entry.path) + (entry.type === "folder" ? "/" : "");
  const from = entry.from === undefined ? "" : `${quoted(entry.from)} → `;
  const target = entry.target === undefined ? "" : ` → ${quoted(entry.target)}`;
  const files = entry.files === undefined ? "" : ` (${entry.files} files)`;
  return `${from}${to}${target}${files}`;
}

/** The needs of a call. A command that nothing contains needs a yes even where its tool forgot to say so (P10). */
export function needsOf({ tool, subject, needs, contained }: Effect): readonly Need[] {
  const told =
    contained || rulesOf(tool) !== "command" || needs.some((n) => n.kind === "uncontained" || n.kind === "unsandboxed");
  return told ? needs : [...needs, { kind: "uncontained", words: subject }];
}

/** Leaves the copy, or acts through another program. */
export function isHigh(need: Need): boolean {
  return ["outside", "network", "unsandboxed", "uncontained", "port", "mcp"].includes(need.kind);
}

/** What a need asks for, as a sentence. */
export function needText(need: Need): string {
  switch (need.kind) {
    case "outside":
      return `${need.access === "read" ? "reads" : "writes"} outside the folder: ${quoted(need.path)}`;
    case "network":
      return need.get === undefined
        ? `uses the network: ${hostText(need)}`
        : `gets a page from ${need.get}://${hostText(need)}`;
    case "unsandboxed":
      return `runs outside the copy: ${visible(need.words)}`;
    case "uncontained":
      return `runs without a copy, since none can be made on this machine: ${visible(need.words)}`;
    case "before":
      return `runs ${visible(need.words)}`;
    case "change":
      return need.paths.length === 0 ? "changes files" : `changes ${need.paths.map(quoted).join(", ")}`;
    case "port":
      return `opens port ${need.port} of the copy on 127.0.0.1:${need.port}, for your browser and every other program of this machine`;
    case "mcp":
      return `uses the tool ${visible(need.tool, "")} of ${visible(need.server, "")}, whose effects can't be seen beforehand`;
  }
}

function hostText({ host, port }: Need & { kind: "network" }): string {
  if (host === "*" && port === undefined)
    return "all of it, any host and port, this machine's own services and the private network too";
  if (host === "*") return `any host, port ${port}`;
  const bare = host.includes(":") ? `[${visible(host, "")}]` : visible(host, "");
  const name = bare + (port === undefined ? "" : `:${port}`);
  if (/[^\x20-\x7e]/.test(host)) return `${name} (holds letters that look like others)`;
  const inside = insideText(host);
  return inside === undefined ? name : `${name} (${inside})`;
}

/** Low: nothing changes and nothing leaves the copy. Medium: changes that can be judged by their diff. High: P3 and P4. */
export function riskOf(effect: Effect): Risk {
  if (highRisk(effect).length > 0) return "high";
  if (effect.changes !== undefined) return changesNothing(effect) ? "low" : "medium";
  return needsOf(effect).length > 0 ? "medium" : "low";
}

/** Nothing in the folder would be other than before; regenerable output stays in the copy by itself. */
export function changesNothing({ changes }: Effect): boolean {
  return changes !== undefined && changes.entries.length === 0 && changes.git.length === 0 && changes.files === 0;
}
