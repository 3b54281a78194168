import type { Mode } from "../events/effect.ts";
import { rehearses } from "../events/layers.ts";
import type { SessionState } from "../events/state.ts";
import { quoted } from "../util/quoted.ts";
import { visible } from "../util/visible.ts";

/** Facts about the machine and the folder that the model is told once, ahead of the first message. */
export interface Surroundings {
  platform: string;
  /** ISO date, day only: a clock time would go stale at once. */
  today: string;
  git: boolean;
  /** What the folder holds at its top, as names; asked for only where it was not told yet. */
  top?: () => string;
  /** No question can be answered: what would ask is refused. */
  alone?: boolean;
  /** The repository's work tree, where it is wider than the roots: a package of a monorepo. */
  wider?: string;
  contained: boolean;
  /** Kinds of sub-agents beside the built-in ones, each with what it is for. */
  agents?: readonly string[];
  /** What has to pass when it says that it is done (S9), each in a line. */
  checks?: readonly string[];
  /** Tool servers, and how each of them stands; `off`: told only where it was told of before. */
  servers?: readonly { name: string; words: string; off: boolean }[];
}

const MODES: Record<Mode, string> = {
  plan: "plan. Nothing may change: look, think, and answer, with a plan where a change is wanted. Builds and tests still run in the copy.",
  ask: "ask. What would change the folder is asked about first.",
  auto: "auto. Changes inside the rules land without a question; high risk still asks.",
};

/**
 * What the model must be told before the next message and was not told yet (C1): at first where it is, later only what changed. Read off the
 * notes that the conversation already holds, so that a resumed session repeats nothing.
 */
export function notesBefore(state: SessionState, around: Surroundings): string[] {
  const told = state.items.slice(state.firstItem).flatMap((item) =>
    // Files may hold lines that look like ours.
    item.kind === "note" && item.told === undefined ? [item.text] : [],
  );
  const added = state.roots.filter((root) => root.kind === "added").map((root) => root.path);
  const lines = [
    `Folder: ${visible(state.folder, "")}${around.git ? " (in a git repository)" : ""}`,
    ...topLine(around, told),
    ...(added.length > 0 ? [`Also: ${added.map(quoted).join(", ")} (name what is there by its whole path)`] : []),
    ...(around.wider === undefined
      ? []
      : [
          `Repository: ${visible(around.wider, "")}. The copy holds the folder only, so git takes the rest for deleted: use \`git status .\`, \`git add .\` and \`git commit -- .\`, never -a or -A, and don't switch or stash. What lies beside the folder (packages, node_modules above it) is missing in commands.`,
        ]),
    `Platform: ${around.platform}`,
    ...(around.contained
      ? []
      : ["Commands can't be contained on this machine: each one asks first, and changes the folder directly."]),
    `Today: ${around.today}`,
    ...checksLine(around.checks ?? []),
    ...agentsLine(around.agents ?? [], told),
    `Mode: ${MODES[state.mode]}`,
    ...aloneLine(around.alone === true, told),
    ...rehearsalLine(state, told),
    ...state.groups.flatMap(endedLine),
    ...serverLines(around.servers ?? [], told),
  ];
  const fresh = lines.filter((line) => newest(told, line.slice(0, line.indexOf(":") + 1)) !== line);
  return fresh.length === 0 ? [] : [fresh.join("\n")];
}

const HOLDS = "Holds:";

/** Told once: the model changes it itself, and what it is later a look tells. */
function topLine({ top }: Surroundings, told: readonly string[]): string[] {
  if (top === undefined || newest(told, HOLDS) !== undefined) return [];
  const names = top();
  return names === "" ? [] : [`${HOLDS} ${names}`];
}

const PERSON = "Person:";

/** What asks takes all of its call with it, so the model has to know before it makes one. */
function aloneLine(alone: boolean, told: readonly string[]): string[] {
  if (alone)
    return [
      `${PERSON} not here, and can't be asked. What needs their yes and no rule allows (a file deleted or renamed, by Delete as by a command; a host) is refused with all else of its call: keep it apart, and say at the end what was not done.`,
    ];
  return newest(told, PERSON) === undefined ? [] : [`${PERSON} here again, and can be asked.`];
}

/** By these names Task starts them. */
function agentsLine(agents: readonly string[], told: readonly string[]): string[] {
  if (agents.length > 0) return [`Agents: beside explore and general there are: ${agents.join("; ")}`];
  return newest(told, "Agents:") === undefined ? [] : ["Agents: explore and general, no others."];
}

/** Known from the start they cost no round: the model can run them before it says that it is done. */
function checksLine(checks: readonly string[]): string[] {
  if (checks.length === 0) return [];
  const names = checks.map((check) => visible(check, "").slice(0, 200));
  return [`Checks: what you change has to pass these when you say that you are done: ${names.join("; ")}`];
}

/** A background shell that ended without a call's result that says so. */
function endedLine({ groupId, command, end, told }: SessionState["groups"][number]): string[] {
  if (end === undefined || told === true) return [];
  const name = visible(command.split("\n")[0] ?? "", "").slice(0, 80);
  const rest = `BashOutput tells what it said, and what it changed that is not in the folder.`;
  if (end.reason === "lost")
    return [`Background shell ${groupId}: ended with the program (${name}). Start it again if it is needed. ${rest}`];
  if (end.reason === "killed") return [`Background shell ${groupId}: the person ended it (${name}). ${rest}`];
  const how = end.limit ?? (end.code === null ? `by ${end.signal ?? "a signal"}` : `with exit code ${end.code}`);
  return [`Background shell ${groupId}: ended by itself, ${how} (${name}). ${rest}`];
}

const SERVERS = "Servers:";

/** How their tools are called is said once, with the first of them. */
function serverLines(servers: NonNullable<Surroundings["servers"]>, told: readonly string[]): string[] {
  const lines = servers
    .map(({ name, words, off }) => ({ key: `Server ${name}:`, words, off }))
    .filter(({ key, off }) => !off || newest(told, key) !== undefined)
    .map(({ key, words }) => `${key} ${visible(words, "")}`);
  if (lines.length === 0) return [];
  return [`${SERVERS} tools of other programs. ToolSearch shows what one takes, CallTool calls it.`, ...lines];
}

const REHEARSAL = "Rehearsal:";

/** Said while it is on, and once when it ends. */
function rehearsalLine(state: SessionState, told: readonly string[]): string[] {
  if (rehearses(state)) {
    return [
      `${REHEARSAL} on. What Write, Edit, Delete and Bash change stays in the session's copy, where every later call and command sees it. Nothing of it is in the folder, and nobody is asked, until the person reviews the sum and lands it, whole or in part; you are told then. So work on as if it were there, but never say that the folder changed: say what is pending. What leaves the copy (network: true) still asks.`,
    ];
  }
  const on = newest(told, REHEARSAL);
  return on === undefined ? [] : [`${REHEARSAL} off. Changes land in the folder as they are allowed.`];
}

/** The newest told line with this beginning. */
function newest(told: readonly string[], key: string): string | undefined {
  return told.flatMap((note) => note.split("\n")).findLast((line) => line.startsWith(key));
}
