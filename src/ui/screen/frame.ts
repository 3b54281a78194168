import { layoutPrompt, type PromptLayout } from "../prompt/layout.ts";
import type { PermissionPrompt } from "../prompt/permission.ts";
import { layoutPerson } from "../prompt/person.ts";
import { panelRows } from "../prompt/panel.ts";
import { pickRows } from "../prompt/pick.ts";
import { cleanRow } from "../render/clean.ts";
import { composerRows, draftRow } from "../render/composer.ts";
import { type Frame, frame } from "../render/frame.ts";
import { markdown } from "../render/markdown.ts";
import { menuLines } from "../render/menu.ts";
import { line, type Line, truncate } from "../render/spans.ts";
import { lowWords } from "../render/rate-limit.ts";
import { BYPASS, statusLine, workingLine } from "../render/status.ts";
import { todoLines } from "../render/todo.ts";
import { runningLine } from "../render/tool.ts";
import { span } from "../../util/words.ts";
import { several } from "../render/units.ts";
import { openSource } from "../store/stream.ts";
import type { SandboxKind } from "../../sandbox/sandbox.ts";
import { vimWords } from "../input/vim/state.ts";
import { selection } from "../input/vim/visual.ts";
import { chosenRow, openMenu } from "./menu-keys.ts";
import { tailShown } from "./resizing.ts";
import { searchRows } from "./search-keys.ts";
import type { OpenPrompt, ScreenState } from "./state.ts";

/** What the region needs that does not change. */
export interface Surroundings {
  home: string;
  contained: boolean;
  backend?: SandboxKind;
  /** Background shells that run. */
  shells?: number;
  /** Nothing is asked but what rules and hooks ask (P8). */
  bypass?: boolean | undefined;
  /** The session rehearses. */
  rehearsing?: { pending: string } | undefined;
  /** How long the session has worked. */
  workedMs?: number;
  /** Tokens, where the model's window is known. */
  contextWindow?: number | undefined;
}

/** The region for a size. Pure. */
export function screenFrame(state: ScreenState, around: Surroundings, cols: number, rows: number): Frame {
  const width = Math.max(1, cols - 1);
  const { view, editor } = state;
  return frame(
    {
      tail: (max) => (tailShown(state) ? lastRows(markdown(openSource(view.stream), width), max) : []),
      working: () => working(state, width),
      tools: (max) => tools(state, width, max),
      todo: (max) => (state.todo ? todoLines(view.todos, width, max, state.busy) : []),
      queue: (max) => queueRows(state, width, max),
      toast: () => (state.toast === undefined ? [] : [truncate(line(cleanRow(state.toast.text), "warning"), width)]),
      menu: (max) => menuRows(state, width, max),
      status: (max) => [status(state, around, width), ...ownStatus(state, width)].slice(0, max),
      alarm: around.bypass === true ? line(`${BYPASS} `, "bypass") : undefined,
      composer: (max) => composer(state, width, max),
      question: asking(state, width),
      draft: () => draftRow(editor, width),
    },
    cols,
    rows,
  );
}

/** What takes the composer's place: an open question, else a panel. */
function asking(state: ScreenState, width: number) {
  const open = state.prompts[0];
  if (open !== undefined) return (max: number) => promptRows(open, state, width, max);
  const { panel } = state;
  return panel === undefined ? undefined : (max: number) => panelRows(panel.panel, width, max);
}

/** How the open permission question is laid out, for its keys and for what counts as seen. */
export function promptLayout(state: ScreenState, cols: number, rows: number): PromptLayout | undefined {
  const open = state.prompts[0];
  if (open?.kind !== "permission") return undefined;
  const width = Math.max(1, cols - 1);
  const draft = draftRow(state.editor, width).length;
  return layoutPrompt(placed(open, state), width, Math.max(1, rows - 2 - 1 - draft), state.focused);
}

/** "2 of 3": questions that came while others were open wait in a row, each for its own answer (P-7). */
function placed(
  { n, prompt }: Extract<OpenPrompt, { kind: "permission" }>,
  { prompts }: ScreenState,
): PermissionPrompt {
  const of = prompts.reduce((most, p) => Math.max(most, p.kind === "permission" ? (p.n ?? 1) : 1), 1);
  return of > 1 && n !== undefined ? { ...prompt, place: { n, of } } : prompt;
}

function promptRows(open: OpenPrompt, state: ScreenState, width: number, max: number) {
  return open.kind === "permission"
    ? layoutPrompt(placed(open, state), width, max, state.focused)
    : layoutPerson(open.prompt, width, max, state.focused);
}

function lastRows(rows: readonly Line[], max: number): readonly Line[] {
  return rows.slice(-max);
}

function working(state: ScreenState, width: number): Line[] {
  const { view, now } = state;
  if (!state.busy) return [];
  const retry = view.retry;
  return [
    workingLine(
      {
        verb: state.stopping ? "Stopping" : verbOf(state),
        sinceMs: view.startedAt === undefined ? 0 : now - view.startedAt,
        silentMs:
          view.hooks.length === 0 && (view.phase === "waiting" || view.phase === "thinking")
            ? now - view.lastSignAt
            : 0,
        up: view.up,
        down: view.down + Math.round(view.typed / 4),
        tick: state.tick,
        retry:
          retry === undefined
            ? undefined
            : `${retry.reason} · try ${retry.attempt} of ${retry.of} in ${span(Math.max(0, retry.at - now))}`,
      },
      width,
    ),
  ];
}

function verbOf({ view }: ScreenState): string {
  const [hook, ...more] = view.hooks;
  if (hook !== undefined) return `Running hook ${cleanRow(hook)}${more.length === 0 ? "" : ` and ${more.length} more`}`;
  switch (view.phase) {
    case "thinking":
      return "Thinking";
    case "writing":
      return "Writing";
    case "running":
      return runningWords(view.running);
    case "checking":
      return `Checking ${view.checking ?? ""}`;
    default:
      return "Working";
  }
}

function runningWords(running: ScreenState["view"]["running"]): string {
  const [first, ...more] = running;
  if (first === undefined) return "Working";
  return `Running ${more.length === 0 ? cleanRow(first.tool) : several(running.length, "call")}`;
}

function tools(state: ScreenState, width: number, max: number): Line[] {
  const running = state.view.running.filter((call) => call.startedAt !== undefined);
  const shown = running.slice(0, max);
  const rows = shown.map((call) =>
    runningLine(call, state.view.folder, state.now - (call.startedAt ?? state.now), width),
  );
  const only = shown.length === 1 ? shown[0] : undefined;
  const output = (only?.lines ?? []).map((text) => cleanRow(text)).filter((text) => text !== "");
  const live = output.slice(-(max - rows.length)).map((text) => truncate([{ text: `  ${text}`, style: "dim" }], width));
  return max > rows.length ? [...rows, ...live] : rows;
}

function queueRows(state: ScreenState, width: number, max: number): Line[] {
  const all = [
    ...state.queued.map((text): [string, string] => ["next", text]),
    ...state.later.map((text): [string, string] => ["after", text]),
  ];
  const shown = all.length <= 3 ? all : all.slice(0, 3);
  const rows = shown.map(([when, text]) =>
    truncate([{ text: `${when}: `, style: "dim" }, { text: cleanRow(text) }], width),
  );
  if (all.length > 3) rows.push(truncate(line(`+ ${all.length - 3} more`, "dim"), width));
  return [...rows, ...offerRow(state, width)].slice(0, max);
}

/** Stands until something is sent: whether the model sees the output is one key, and nothing if it isn't pressed. */
function offerRow({ offer, editor }: ScreenState, width: number): Line[] {
  if (offer === undefined || editor.text !== "") return [];
  const what = `!!${cleanRow(offer.command)}`;
  return [
    truncate(
      [
        { text: "Tab", style: "accent" },
        { text: ` lets the model see what ${what} said`, style: "dim" },
      ],
      width,
    ),
  ];
}

function menuRows(state: ScreenState, width: number, max: number): Line[] {
  if (state.picker !== undefined) return pickRows(state.picker.pick, width, max).list;
  const menu = openMenu(state);
  return menu === undefined ? [] : menuLines(menu, chosenRow(menu, state.menu), width, max);
}

function picking(picker: NonNullable<ScreenState["picker"]>, width: number) {
  const { head, caret } = pickRows(picker.pick, width, 1);
  return { rows: head, caret };
}

function composer(state: ScreenState, width: number, max: number) {
  if (state.picker !== undefined) return picking(state.picker, width);
  const search = searchRows(state, width);
  if (search.rows.length > 0) return { ...search, rows: search.rows.slice(0, max) };
  const selected = state.vim === undefined ? undefined : selection(state.vim, state.editor);
  return composerRows(state.editor, width, max, placeholder(state), selected);
}

function placeholder(state: ScreenState): string {
  if (state.stash !== undefined) return "a draft is put aside · Ctrl-S brings it back";
  if (state.busy) return "write to steer · Up takes back";
  return "what shall be done? · / for commands";
}

function status(state: ScreenState, around: Surroundings, width: number): Line {
  const { view } = state;
  const window = around.contextWindow;
  return statusLine(
    {
      mode: view.mode,
      bypass: around.bypass,
      model: view.model,
      cwd: view.folder,
      branch: state.branch,
      elapsedMs: around.workedMs,
      home: around.home,
      contained: around.contained,
      backend: around.backend,
      rehearsing: around.rehearsing,
      shells: around.shells,
      context: window === undefined || view.contextTokens === 0 ? undefined : (view.contextTokens / window) * 100,
      usd: state.usd,
      effort: view.effort,
      limit: lowWords(view.limits, state.now),
      vim: state.vim === undefined ? undefined : vimWords(state.vim),
    },
    width,
  );
}

/** What the person's own script says: a row below (F-2). */
function ownStatus({ statusWords }: ScreenState, width: number): Line[] {
  return statusWords === undefined ? [] : [truncate(line(cleanRow(statusWords), "dim"), width)];
}
