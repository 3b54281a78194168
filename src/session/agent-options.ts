import type { Mode } from "../events/effect.ts";
import type { Above } from "../loop/above.ts";
import type { Held } from "../loop/held.ts";
import type { ServerLine } from "../mcp/servers.ts";
import type { Tool } from "../tools/tool.ts";
import type { AgentBook } from "./agents-book.ts";
import type { LiveRules } from "./policy-live.ts";

/** Servers that another session holds. */
export interface SharedServers {
  /** These tools with those of servers behind them: one list, kept up to date. */
  with(own: readonly Tool[]): readonly Tool[];
  /** What the model is told of them. */
  lines(): ServerLine[];
}

/** What a sub-agent's session has from the one that started it. */
export interface AgentOptions {
  /** Its own id. `exists`: its log is there. */
  id: string;
  exists: boolean;
  /** Who started it, by which call; `mac`: of that log then. */
  parent: { sessionId: string; callId: string; mac: string };
  above: Above;
  /** What the program holds that session to. */
  held(): Held;
  /** Rules of files and flags, as that session has them. */
  rules: LiveRules;
  book: AgentBook;
  /** Which of the folder's skills the person's session may use as they are now: by their path in the folder. */
  skills(): Promise<(path: string) => boolean>;
  /** Tools of servers as that session has them, found and called as there; none where its kind names its tools. */
  servers?: SharedServers;
  /** Its mode as it should be now, and whether its changes wait for a review. */
  mode(): Mode;
  rehearses(): boolean;
  /** The person's own words behind the system prompt. */
  append: string;
  /** Operations whose layers lie below its own, oldest first. */
  below(): readonly string[];
  /** 1: started by the person's session. */
  depth: number;
}
