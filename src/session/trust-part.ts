import { createHash } from "node:crypto";
import { visible } from "../util/visible.ts";

/** In the order in which they are told: what runs first. */
export const PART_KINDS = ["hook", "server", "check", "skill", "command", "agent", "rule", "memory"] as const;
export type PartKind = (typeof PART_KINDS)[number];

/** One thing that a folder brings, used only where the folder is trusted. */
export interface Part {
  kind: PartKind;
  /** For people: below the folder, or `../…` for memory above it. */
  path: string;
  /** What it is called there: a hook's event and matcher, a server's name; "" where the path says it. */
  name: string;
  /** Command lines, addresses and files that it runs, as they stand there. */
  runs: readonly string[];
  /** SHA-256, hex, of all that makes it what it is. */
  hash: string;
}

/** Rules and memory are text for the model: they run nothing by themselves. */
export function isExecutable({ kind }: Pick<Part, "kind">): boolean {
  return kind !== "rule" && kind !== "memory";
}

/** SHA-256 over values, hex. */
export function hashOf(...values: readonly unknown[]): string {
  return createHash("sha256").update(JSON.stringify(values)).digest("hex");
}

const NOUNS: Readonly<Record<PartKind, readonly [one: string, several: string]>> = {
  hook: ["hook", "hooks"],
  server: ["MCP server", "MCP servers"],
  check: ["completion check", "completion checks"],
  skill: ["skill", "skills"],
  command: ["command", "commands"],
  agent: ["agent", "agents"],
  rule: ["rule file", "rule files"],
  memory: ["memory file", "memory files"],
};

/** "2 hooks", "1 MCP server". */
export function countOf(kind: PartKind, n: number): string {
  return `${n.toLocaleString("en")} ${NOUNS[kind][n === 1 ? 0 : 1]}`;
}

/** "2 hooks, 1 MCP server, CLAUDE.md": what a folder brings, in a few words. */
export function partsText(parts: readonly Part[]): string {
  return partsList(parts).join(", ");
}

/** The same, one for each kind; up to two memory files by their names. */
export function partsList(parts: readonly Part[]): string[] {
  return PART_KINDS.flatMap((kind) => {
    const of = parts.filter((part) => part.kind === kind);
    if (kind === "memory" && of.length <= 2) return of.map(({ path }) => visible(path, ""));
    return of.length === 0 ? [] : [countOf(kind, of.length)];
  });
}
