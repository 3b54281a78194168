import type { z } from "zod";
import type { ContentBlock } from "../events/block.ts";
import type { LoadedSkill, OwnNotes, OwnSkills } from "./own-texts.ts";
import type { Mode, Need } from "../events/effect.ts";
import type { GroupEnd, LogBody, Root, Todo, Touch } from "../events/event.ts";
import type { LiveEvent } from "../events/live-event.ts";
import type { SideEffect } from "../events/side-effect.ts";
import type { SessionState } from "../events/state.ts";
import type { Got, PageAddress } from "../sandbox/net-get.ts";
import type { Sandbox, SandboxLimits } from "../sandbox/sandbox.ts";
import type { Clock } from "../util/deps.ts";
import type { Secrets } from "../util/secrets/secrets.ts";
import type { ChangeSet } from "../workspace/change.ts";
import type { View, Workspace } from "../workspace/workspace.ts";

/** What a tool may use. Made in `session/` for each call; nothing here is kept between calls. */
export interface ToolContext {
  callId: string;
  operationId: string;
  roots: readonly Root[];
  /** The folder with kept layers over it, as it is at this call. */
  view: View;
  workspace: Workspace;
  sandbox: Sandbox;
  /** The fold as it is now. */
  state(): SessionState;
  mode(): Mode;
  signal: AbortSignal;
  clock: Clock;
  /** `<state>/results/<session>`: long results go here, the model may Read and Grep them (L9). */
  resultsDir: string;
  /** Folders outside the roots that may be read unasked: `results/`, trusted skill folders, auto memory. */
  readable: readonly string[];
  /** A deny rule for Read covers this absolute path: Grep, Glob and listings leave it out, a read of it fails (P6). */
  hidden?: (absolutePath: string) => boolean;
  /** The needs of this call that were allowed; where given, a path outside that is none of them is refused at the last moment (a link moved meanwhile). */
  allowed?: readonly Need[];
  /** Limits and switches from settings, in code not in prompts. */
  settings: ToolSettings;
  /** What stands for keys (E1). What a tool cuts, it masks before: half a key is none by its form. */
  secrets?: Secrets;
  /** The model's own notes on this project; none where they are switched off (C2). */
  notes?: OwnNotes;
  /** What a skill's name stands for (C6). */
  skills?: OwnSkills;
  /** Gets one page of the public web, whose host was allowed. */
  getPage?(address: PageAddress, signal: AbortSignal): Promise<Got>;
  /** Asks the person a question of the model's; undefined when nobody can answer now (S6). */
  askPerson(question: PersonQuestion): Promise<string | undefined>;
  /** Starts a sub-agent, or asks one further, and gives its answer; undefined where there are none. */
  runAgent?(task: AgentTask): AsyncGenerator<Progress, AgentAnswer>;
}

/** What a sub-agent is to do. `agent`: which kind; `resume`: the id of one that has ended. */
export interface AgentTask {
  agent: string;
  description: string;
  prompt: string;
  resume?: string;
}

/** `text`: its last words, whole. `told`: what the program adds. `failed`: it could not be started, and why. */
export type AgentAnswer =
  | { failed: string }
  | {
      agentId: string;
      status: "ok" | "error" | "interrupted";
      text: string;
      told: readonly string[];
      file?: string;
      details: unknown;
    };

export interface ToolSettings {
  /** `copy`: bounds of one command, where they are not the built-in ones. */
  bash: {
    timeoutMs: number;
    maxTimeoutMs: number;
    outputChars: number;
    before: boolean;
    copy?: Omit<SandboxLimits, "timeoutMs">;
  };
  /** `maxBytes`: an image or PDF that is sent along. `maxLines`, `maxChars`: text of one Read. */
  read: { maxBytes: number; maxLines: number; maxChars: number };
  grep: { maxMatches: number };
  glob: { maxFiles: number };
}

export interface PersonQuestion {
  question: string;
  /** Choices; free text is always possible. */
  options: readonly { label: string; description?: string | undefined }[];
  /** Several options may be chosen. */
  multiple?: boolean;
  /** "2 of 3", where a call asks several. */
  place?: { n: number; of: number };
  /** Which sub-agent asks; none: the session's own. */
  agent?: string;
  /** A yes to it grants more than words (a laxer mode): only who saw it may answer, so nothing said ahead counts, nor another program's word. */
  consent?: true;
}

/** Live output for the screen; of sub-agents also what they do, and facts about them for this session's log. */
export type Progress = { text: string } | { event: LiveEvent } | { fact: LogBody };

/**
 * What a call brought. `waiting`: a question to the person is open, the query ends and goes on with the answer (S6).
 * `changes` is judged and landed by the loop; the tool itself touches nothing.
 * `shell` and `todos` become facts of their own.
 */
export interface Outcome {
  status: "ok" | "error" | "interrupted" | "waiting";
  content: ContentBlock[];
  /** For the screen, plain JSON. */
  details?: unknown;
  changes?: ChangeSet;
  touched?: Touch[];
  shell?: { cwd: string; env: Record<string, string> };
  todos?: Todo[];
  /** The person accepts a plan, and the work goes on in this mode (P1). */
  mode?: Exclude<Mode, "plan">;
  /** A skill whose instructions come behind the results. */
  skill?: LoadedSkill;
  /** What it did that no undo takes back. */
  sideEffects?: SideEffect[];
  /** A background shell that was started, one that the result tells to have ended. */
  group?: { groupId: string; operationId: string; command: string; cwd: string };
  groupEnd?: { groupId: string; how: GroupEnd };
}

/**
 * A tool is one file. The model's mistakes are outcomes with status "error" that say what to try next; only our own
 * mistakes throw (L8). `input` is parsed with the schema before any other function sees it.
 */
export interface Tool<I = unknown> {
  name: string;
  /** For the model: what it does, when to use it, an example. */
  description: string;
  input: z.ZodType<I>;
  /** What a rule matches and a question names: a path, a command, a host. */
  subject(input: I): string;
  /** What it would keep, word for word, for a question about it: where the subject says only what it is about. */
  keeps?(input: I): string;
  /**
   * How rules look at its calls beside its name (P6): `command`: the subject is a shell command, `Name(words)` matches it. `read`,
   * `change`: the paths it names are read or changed, `Read(glob)` and `Edit(glob)` match them.
   */
  rules?: "command" | "read" | "change";
  /** Files that the call names, as given; the loop resolves them for the rules. None: not a file tool. */
  paths?(input: I): readonly string[];
  /** What must be allowed before it runs. May look at the file system through `ctx.view` (where a link leads). */
  needs(input: I, ctx: ToolContext): Promise<readonly Need[]>;
  /** May run beside other parallel calls of the same turn (L7). */
  parallel(input: I): boolean;
  /** It only stages changes, so that what it would come to can be told beforehand by running it (ADR 37). */
  stages?: true;
  /** Runs behind all other calls of its turn, alone: it waits for the person (L7). */
  last?: true;
  /** It starts sub-agents. */
  agents?: true;
  run(input: I, ctx: ToolContext): AsyncGenerator<Progress, Outcome>;
}

/** Keeps a tool's own input type while it is defined, and hides it in the list. */
export function defineTool<I>(tool: Tool<I>): Tool<I> {
  return tool;
}
