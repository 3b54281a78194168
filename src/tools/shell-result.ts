import { type SideEffect, sideEffectText } from "../events/side-effect.ts";
import type { Group } from "../sandbox/group.ts";
import { refusedHints } from "../sandbox/net-hints.ts";
import { socketHints } from "../sandbox/socket-hints.ts";
import type { Change } from "../workspace/change.ts";
import { asData } from "./as-data.ts";
import { sideEffects } from "./leaving.ts";
import { done, failed } from "./outcome.ts";
import { bounded, changeWords, endWords, matching, troubleWords } from "./shell-words.ts";
import type { Outcome, ToolContext } from "./tool.ts";

/** The shell of an id, or what to tell the model instead. */
export function findShell(id: string, ctx: ToolContext): Group | string {
  const found = ctx.sandbox.groups?.find(id);
  if (found !== undefined) return found;
  const { groups } = ctx.state();
  const known = groups.find((group) => group.groupId === id);
  if (known !== undefined)
    return `${id} has ended and everything of it was told. Its whole output: ${ctx.resultsDir}/${known.operationId}.txt`;
  const ids = groups.map((group) => group.groupId).join(", ");
  return `There is no shell ${id}. ${ids === "" ? "None was started: Bash with run_in_background starts one." : `There are: ${ids}.`}`;
}

export interface Wanted {
  filter?: string | undefined;
  /** Its changes are brought although it goes on. */
  land?: boolean | undefined;
  /** Ahead of what it said. */
  first?: string | undefined;
}

/**
 * What a shell said since it was last read and what it changed. Changes of one that has ended, or that are wanted, come along as a
 * change set, which the loop judges and lands as any other.
 */
export async function tellShell(group: Group, ctx: ToolContext, wanted: Wanted = {}): Promise<Outcome> {
  const { id } = group.info;
  const { text, dropped } = unreadOf(group);
  const shown = wanted.filter === undefined ? { lines: text } : matching(text, wanted.filter);
  if ("why" in shown) {
    group.unread.add(text);
    return failed(`Nothing was read: ${shown.why}.`);
  }
  const { end } = group;
  const bring = end !== undefined || wanted.land === true;
  const brought = bring ? await collected(group, ctx) : await seen(group, ctx);
  const notes = [
    ...(dropped > 0 ? [`${dropped} characters before this are only in ${group.outputFile}`] : []),
    end === undefined ? `${id} runs` : `${id} ${endWords(end)}. Whole output: ${group.outputFile}`,
    ...brought.notes,
    ...networkNotes(group),
    ...socketHints(text).map((hint) => `Note: ${hint}`),
    ...troubleWords(group),
  ];
  const said = bounded(shown.lines.replace(/\n$/, ""), ctx.settings.bash.outputChars, group.outputFile);
  const none = wanted.filter === undefined ? "(no new output)" : "(no new line matches)";
  const words = [wanted.first ?? "", said === "" ? none : asData(said), ...notes.map((note) => `[${note}.]`)];
  return done(words.filter((word) => word !== "").join("\n"), {
    details: { command: group.info.command, shell: id, running: end === undefined },
    ...(brought.changes === undefined ? {} : { changes: brought.changes }),
    ...(end === undefined || reached(group).length === 0 ? {} : { sideEffects: reached(group) }),
    ...(end === undefined ? {} : { groupEnd: { groupId: id, how: end } }),
  });
}

function reached(group: Group): SideEffect[] {
  return sideEffects({ network: false }, { reached: group.net().uses });
}

function networkNotes(group: Group): string[] {
  const so = sideEffectText(reached(group));
  return [
    ...(so === undefined ? [] : [`It ${so}; no undo takes that back`]),
    ...refusedHints(group.hosts, group.net().refusals).map((hint) => `Note: ${hint}`),
  ];
}

/** Of a shell of an earlier run of the program only the file is left. */
function unreadOf(group: Group): { text: string; dropped: number } {
  if (group.end?.reason !== "lost" || group.reread) return group.unread.take();
  group.reread = true;
  return { text: group.tail(4000), dropped: 0 };
}

interface Brought {
  notes: string[];
  changes?: Outcome["changes"];
}

const NOT_NOW = "What it changed can't be told right now, since it could not be held still: ask again";

async function seen(group: Group, ctx: ToolContext): Promise<Brought> {
  const changes = await ctx.sandbox.groups?.changes(group, askedBy(ctx));
  if (changes === undefined) return { notes: [NOT_NOW] };
  return { notes: changes.length === 0 ? [] : [notLanded(changes)] };
}

function notLanded(changes: readonly Change[]): string {
  return `In the shell's own copy only, not in the folder: ${changeWords(changes)}. They are put before the person when the shell or your turn ends; land: true does it now`;
}

async function collected(group: Group, ctx: ToolContext): Promise<Brought> {
  const found = await ctx.sandbox.groups?.collect(group, ctx.operationId, askedBy(ctx));
  if (found === undefined) return { notes: [NOT_NOW] };
  const { set, clashes, left, lost } = found;
  const notes = [
    ...(lost === undefined ? [] : [`Note: ${lost}`]),
    ...(clashes.length === 0
      ? []
      : [`Changed by the shell and meanwhile in the folder, so not landed: ${changeWords(clashes)}`]),
    ...(left.length === 0 ? [] : [`Too much to be copied while it runs, stays with it: ${changeWords(left)}`]),
  ];
  return { notes, changes: set };
}

/** How a session stands to changes that were offered before. */
export function askedBy(ctx: Pick<ToolContext, "view" | "state">): {
  layers: readonly string[];
  answered(operationId: string): boolean;
} {
  const { steps } = ctx.state();
  const answered = (id: string): boolean => steps.some((s) => s.operationId === id && s.status !== "proposed");
  return { layers: ctx.view.layers, answered };
}
