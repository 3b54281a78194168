import type { Rule } from "../../events/effect.ts";

/** Whose a thing is there, and so where it goes: the person's settings for all folders, or those for this one. */
export type Scope = "user" | "person";

/** What another agent left, and what becomes of it here. `from`: file and key, for people. */
export type Found =
  | { kind: "used"; from: string; words: string }
  | { kind: "not"; from: string; why: string }
  | { kind: "server"; from: string; scope: Scope; name: string; setting: object; notes: readonly string[] }
  | { kind: "rule"; from: string; scope: Scope; action: Rule["action"]; text: string };

/** A server as any of them writes it, in the words of `.mcp.json`. */
export interface Written {
  command?: string;
  args?: readonly string[];
  env?: Readonly<Record<string, string>>;
  cwd?: string;
  url?: string;
  headers?: Readonly<Record<string, string>>;
  enabled?: boolean;
  startSeconds?: number;
  callSeconds?: number;
}

export interface ImportPlace {
  /** Real path. */
  folder: string;
  home: string;
  /** Of the person's programs, such as `~/.config`. */
  xdgConfig: string;
  /** Where Codex keeps its own. */
  codexHome: string;
  /** The program's folder for settings. */
  configDir: string;
}
