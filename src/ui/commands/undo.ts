import type {
  RewindPoint,
  RewindPreview,
  RewindWhat,
  StepPreview,
  StepRow,
  UndoHow,
  WayPreview,
} from "../../session/session.ts";
import { type Choice, type PanelText, paragraph } from "../prompt/panel.ts";
import { cleanRow, exact } from "../render/clean.ts";
import { diffBody, diffHead, HUNK_CAP } from "../render/diff.ts";
import { ageWords } from "../render/menu.ts";
import { line, type Line, wrap } from "../render/spans.ts";
import { several } from "../render/units.ts";
import { reviewOf, type ReviewText } from "../review/text.ts";
import type { Command, CommandContext } from "./command.ts";
import { report, tell } from "./tell.ts";

/** Files whose lines are shown in a preview; the others are named. */
const MAX_BODIES = 20;
const WAYS: Readonly<Record<string, UndoHow>> = { "with-later": "along", merge: "merge" };

export const undoCommand: Command = {
  name: "undo",
  args: "[look] [id]",
  text: "Takes back the newest step that landed, or the one named; look: shows first what that changes",
  run: (args, context) => turn("undo", args, context),
};
export const redoCommand: Command = {
  name: "redo",
  args: "[id]",
  text: "Does again what was undone last, or the step named",
  run: (args, context) => turn("redo", args, context),
};
export const rewindCommand: Command = {
  name: "rewind",
  text: "Goes back to before a message: files, conversation or both",
  run: (_args, context) => rewind(context),
};

export const changesCommand: Command = {
  name: "changes",
  text: "The steps that landed in this session, with the ids that /undo takes",
  always: true,
  run: async (_args, context) => {
    const steps = await context.session.steps();
    if (steps.length === 0) return tell(context, "Nothing has landed in this session yet.");
    context.say((width) => steps.flatMap((step) => stepRow(step, width)));
  },
};

function stepRow({ operationId, at, undone, kept, text }: StepRow, width: number): Line[] {
  const state = `${undone ? "undone" : "landed"}${kept ? "" : ", can't be undone any more"}`;
  const head: Line = [
    { text: `${operationId} `, style: "bold" },
    { text: `${at.slice(11, 16)} ${state}  `, style: "dim" },
  ];
  return wrap([...head, { text: cleanRow(text) }], { width, rest: line("  ") });
}

async function turn(kind: "undo" | "redo", args: string, context: CommandContext): Promise<void> {
  const words = args.split(/\s+/).filter(Boolean);
  const id = words.find((word) => WAYS[word] === undefined && word !== "look");
  if (words.includes("look") && (await leftAfterLook(kind, id, context))) return;
  const said = words.flatMap((word) => WAYS[word] ?? [])[0];
  const { session } = context;
  const first = await session[kind](id, said);
  const preview = first.ok || said !== undefined ? undefined : await session.previewStep(kind, id);
  const choices = preview === undefined ? [] : choicesOf(preview);
  if (preview === undefined || choices.length === 0) return report(context, first);
  const title =
    kind === "undo" ? "Later changes are in the way of this undo" : "Later changes are in the way of this redo";
  const ways = [preview.along, preview.merged].flatMap((way) => way?.diffs ?? []);
  const panel = { title, body: (width: number) => blockedRows(preview, width), choices, careful: true };
  const how = await chooseOrLook(context, panel, reviewOf(title, ways));
  if (how === "along" || how === "merge") return report(context, await session[kind](id, how));
  tell(context, `Nothing was ${kind === "undo" ? "undone" : "redone"}.`);
}

/** Shows what an undo that nothing is in the way of changes; true where the person left it at that. */
async function leftAfterLook(kind: "undo" | "redo", id: string | undefined, context: CommandContext): Promise<boolean> {
  const preview = await context.session.previewStep(kind, id);
  if (preview === undefined || preview.alone.conflicts.length > 0) return false;
  const title = `What this ${kind} changes`;
  const body = (width: number) => diffRows(preview.alone, width);
  const panel = { title, body, choices: [{ id: "go on", label: kind }], careful: true };
  const chosen = await chooseOrLook(context, panel, reviewOf(title, preview.alone.diffs));
  if (chosen === "go on") return false;
  tell(context, `Nothing was ${kind === "undo" ? "undone" : "redone"}.`);
  return true;
}

function choicesOf({ kind, asked, alone, along, merged }: StepPreview): Choice[] {
  if (alone.conflicts.length === 0) return [];
  const later = along?.steps.filter((step) => !asked.includes(step.operationId)) ?? [];
  const names = later.map((step) => `${step.operationId}: ${step.text}`).join("; ");
  return [
    ...(along === undefined || along.conflicts.length > 0
      ? []
      : [{ id: "along", label: `${kind} ${several(later.length, "later step")} as well`, more: names }]),
    ...(merged === undefined
      ? []
      : [
          { id: "merge", label: "keep the later lines", more: `only this step's lines in ${merged.merged.join(", ")}` },
        ]),
  ];
}

function blockedRows({ alone, along, merged }: StepPreview, width: number): Line[] {
  return [
    ...alone.conflicts.flatMap(({ path, why }) => paragraph(`  ${exact(path)}: ${why}`, width, "warning")),
    ...(along === undefined ? [] : [line("With the later steps:", "bold"), ...diffRows(along, width)]),
    ...(merged === undefined ? [] : [line("With the later lines kept:", "bold"), ...diffRows(merged, width)]),
  ];
}

/** Every file by name first, then the lines. */
function diffRows({ diffs }: WayPreview, width: number): Line[] {
  const heads = diffs.flatMap((diff) => wrap([{ text: "  " }, ...diffHead(diff)], { width, rest: line("    ") }));
  const shown = diffs.filter((diff) => diff.hunks.length > 0).slice(0, MAX_BODIES);
  const bodies = shown.flatMap((diff) => [
    ...wrap(diffHead(diff), { width, rest: line("  ") }),
    ...diffBody(diff, { width, cap: HUNK_CAP, exact: true }),
  ]);
  return [...heads, ...bodies];
}

async function rewind(context: CommandContext): Promise<void> {
  const { session } = context;
  const points = session.rewindPoints();
  if (points.length === 0) return tell(context, "There is no message to go back to yet.");
  const now = Date.parse(session.state().lastAt);
  const chosen = await context.choose({
    title: "Back to before which message?",
    body: () => [],
    choices: points.toReversed().map((point) => pointChoice(point, now)),
  });
  const point = points.find((p) => String(p.to) === chosen);
  if (point === undefined) return;
  const preview = await session.previewRewind(point.to);
  const { how, choices } = whatChoices(preview);
  const title = `Back to before "${cleanRow(point.text).slice(0, 60)}"`;
  const panel = { title, body: (width: number) => previewRows(preview, how, width), choices, careful: true };
  const diffs = preview.files === undefined ? [] : wayOf(preview.files, how).diffs;
  const what = await chooseOrLook(context, panel, reviewOf(title, diffs));
  if (what === "fork") {
    await context.fork(point.to);
    return context.draft(point.text);
  }
  if (!isWhat(what)) return tell(context, "Nothing was rewound.");
  const done = await session.rewind(point.to, what, how);
  report(context, done);
  if (done.ok && what !== "files") context.draft(point.text);
}

const LOOK = { id: "look", label: "look at the changes", more: "on the whole screen, file by file" };

/** The choices, and before them as often as wished what would change, on the whole screen. */
async function chooseOrLook(
  context: CommandContext,
  panel: PanelText,
  changes: ReviewText,
): Promise<string | undefined> {
  const { covers } = context;
  if (covers === undefined || changes.files.length === 0) return context.choose(panel);
  for (;;) {
    const chosen = await context.choose({ ...panel, choices: [...panel.choices, LOOK] });
    if (chosen !== LOOK.id) return chosen;
    await covers.changes(changes);
  }
}

function wayOf({ alone, along, merged }: StepPreview, how: UndoHow): WayPreview {
  return (how === "along" ? along : how === "merge" ? merged : undefined) ?? alone;
}

function isWhat(id: string | undefined): id is RewindWhat {
  return id === "files" || id === "conversation" || id === "both";
}

function pointChoice({ to, text, at, files }: RewindPoint, now: number): Choice {
  const changed = files === 0 ? "no files" : several(files, "file");
  const age = Number.isNaN(Date.parse(at)) ? "" : `, ${ageWords(Math.max(0, now - Date.parse(at)))} earlier`;
  return { id: String(to), label: cleanRow(text).slice(0, 80) || "(no words)", more: `${changed}${age}` };
}

/** What can be done: files only where nothing stands in their way, or where there is a way around it. */
function whatChoices({ files }: RewindPreview): { how: UndoHow; choices: Choice[] } {
  const conversation = { id: "conversation", label: "conversation only", more: "files stay as they are" };
  const fork = {
    id: "fork",
    label: "fork",
    more: "a copy of the session goes on from there, this one and the files stay",
  };
  const how = files === undefined ? undefined : howOf(files);
  if (how === undefined) return { how: "alone", choices: [conversation, fork] };
  const more =
    how === "alone" ? undefined : how === "along" ? "with later steps on the same files" : "later lines stay";
  const note = more === undefined ? {} : { more };
  return {
    how,
    choices: [
      { id: "both", label: "files and conversation", ...note },
      conversation,
      { id: "files", label: "files only", ...note },
      fork,
    ],
  };
}

/** Later lines rather stay: what goes along is not of these messages. */
function howOf({ alone, along, merged }: StepPreview): UndoHow | undefined {
  if (alone.conflicts.length === 0) return "alone";
  if (merged !== undefined) return "merge";
  return along !== undefined && along.conflicts.length === 0 ? "along" : undefined;
}

function previewRows(preview: RewindPreview, how: UndoHow, width: number): Line[] {
  const { prompts, replies, files, outside, undone, pending } = preview;
  const leave = `Conversation: ${several(prompts, "message")} and ${several(replies, "reply", "replies")} leave it.`;
  const way = files === undefined ? undefined : wayOf(files, how);
  return [
    ...paragraph(leave, width),
    ...(way === undefined ? paragraph("Files: nothing landed since.", width) : fileRows(way, width)),
    ...(undone > 0
      ? paragraph(`${several(undone, "step")} since then ${undone === 1 ? "is" : "are"} undone already.`, width, "dim")
      : []),
    ...(pending > 0
      ? paragraph(
          `${several(pending, "step")} since then wait in the rehearsal and stay: /land reviews or drops them.`,
          width,
          "dim",
        )
      : []),
    ...(outside.length === 0 ? [] : paragraph("No undo takes these back:", width, "warning")),
    ...outside.flatMap((words) => paragraph(`  ${cleanRow(words)}`, width, "warning")),
    ...(way === undefined ? [] : diffBodies(way, width)),
  ];
}

function fileRows(way: WayPreview, width: number): Line[] {
  const count = `Files: ${several(way.diffs.length, "change")} by undoing ${several(way.steps.length, "step")}.`;
  const stuck = way.conflicts.flatMap(({ path, why }) => paragraph(`  can't: ${exact(path)}: ${why}`, width, "error"));
  const heads = way.diffs.flatMap((diff) => wrap([{ text: "  " }, ...diffHead(diff)], { width, rest: line("    ") }));
  return [...paragraph(count, width), ...heads, ...stuck];
}

function diffBodies(way: WayPreview, width: number): Line[] {
  return diffRows(way, width).slice(way.diffs.length);
}
