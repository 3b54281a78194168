import type { Mode } from "../../events/effect.ts";
import type { Effort } from "../../events/event.ts";
import type { SandboxKind } from "../../sandbox/sandbox.ts";
import { cleanRow } from "./clean.ts";
import { lineWidth, type Line, type Span, truncate, truncateMiddle } from "./spans.ts";
import { duration, money, short } from "./units.ts";

export interface Status {
  mode: Mode;
  /** Nothing is asked but what rules and hooks ask (P8). */
  bypass?: boolean | undefined;
  model: string;
  effort?: Effort | undefined;
  /** Absolute. */
  cwd: string;
  home: string;
  branch?: string | undefined;
  /** Percent of the window that the newest request took. */
  context?: number | undefined;
  usd?: number | undefined;
  /** A limit of the service's that is nearly used up, in words. */
  limit?: string | undefined;
  /** How long the session has worked: it stands while nothing goes on, so no timer has to run. */
  elapsedMs?: number | undefined;
  /** The session rehearses: what waits for the review, in words (W6). */
  rehearsing?: { pending: string } | undefined;
  /** False: commands run without walls, every one of them asks (P10). */
  contained: boolean;
  /** What the copy is made by. */
  backend?: SandboxKind | undefined;
  /** Background shells that run. */
  shells?: number | undefined;
  /** Mode of the Vim keys, in words. */
  vim?: string | undefined;
}

const DEMO = "demo";
/** In every frame, red where there is colour (P8). */
export const BYPASS = "BYPASS";

/** `ask mode · model · ~/folder · 12 % context · $0.02`; at narrow width parts go from the right, the mode never (F-2, F-3). */
export function statusLine(status: Status, width: number): Line {
  const { mode, bypass = false } = status;
  // Its own word first: the last to go, and told by more than its colour.
  const head: Line = [
    { text: bypass ? `${BYPASS} ${modeWords(mode)}` : modeWords(mode), style: bypass ? "bypass" : mode },
  ];
  let row = truncate(head, width);
  for (const part of parts(status)) {
    const next: Line = [...row, { text: " · ", style: "dim" }, part];
    if (lineWidth(next) > width) break;
    row = next;
  }
  return row;
}

/** The mode in words. */
export function modeWords(mode: Mode): string {
  return `${mode} mode`;
}

/** The copy in a word or two; undefined where there is none, or none is told. */
function copyWords(backend: SandboxKind | undefined): string | undefined {
  switch (backend) {
    case "overlay-bwrap":
    case "overlay-unshare":
    case "overlay-root":
      return "overlay";
    case "copy-bind":
      return "plain copy";
    case "copy":
      return "untested copy";
    case "none":
    case undefined:
      return undefined;
  }
}

function parts(status: Status): Span[] {
  // Ahead of all else: no frame may leave it out (M3).
  const spans: Span[] = status.model === DEMO ? [{ text: DEMO, style: "accent" }] : [];
  if (status.vim !== undefined) spans.push({ text: cleanRow(status.vim), style: "accent" });
  if (status.rehearsing !== undefined)
    spans.push({ text: `rehearsing, ${status.rehearsing.pending} pending`, style: "accent" });
  if (!status.contained) spans.push({ text: "no sandbox", style: "warning" });
  const copy = copyWords(status.backend);
  if (copy !== undefined && copy !== "overlay") spans.push({ text: copy, style: "accent" });
  const { shells = 0 } = status;
  if (shells > 0) spans.push({ text: `${shells} background ${shells === 1 ? "shell" : "shells"}`, style: "accent" });
  const { model, effort } = status;
  if (model !== DEMO) spans.push({ text: cleanRow(effort === undefined ? model : `${model}/${effort}`), style: "dim" });
  spans.push({ text: truncateMiddle(homePath(status.cwd, status.home), 30), style: "dim" });
  if (status.branch !== undefined) spans.push({ text: cleanRow(status.branch), style: "dim" });
  if (status.context !== undefined) {
    const style = status.context >= 90 ? "error" : status.context >= 70 ? "warning" : "dim";
    spans.push({ text: `${Math.round(status.context)} % context`, style });
  }
  if (status.limit !== undefined) spans.push({ text: status.limit, style: "warning" });
  if (status.usd !== undefined && status.usd > 0) spans.push({ text: money(status.usd), style: "dim" });
  // What took no minute tells nothing.
  if (status.elapsedMs !== undefined && status.elapsedMs >= 60_000)
    spans.push({ text: duration(status.elapsedMs), style: "dim" });
  // Last, since it is what is expected: the first to go where there is no room.
  if (copy === "overlay") spans.push({ text: copy, style: "dim" });
  return spans;
}

/** `~/project` for a path below the home folder. */
export function homePath(path: string, home: string): string {
  const short = home !== "" && (path === home || path.startsWith(`${home}/`)) ? `~${path.slice(home.length)}` : path;
  return cleanRow(short);
}

export interface Working {
  verb: string;
  sinceMs: number;
  /** Nothing came for so long. */
  silentMs: number;
  up: number;
  down: number;
  /** 0…; the sign turns with it. */
  tick: number;
  retry?: string | undefined;
}
/** The first of them stands still with less motion. */
const SIGNS = ["·", "✢", "✳", "✶", "✻", "✶", "✳", "✢"];

/** The row that says that something is going on (F-4). */
export function workingLine(work: Working, width: number): Line {
  const sign = SIGNS[work.tick % SIGNS.length] ?? "·";
  const silent = work.silentMs > 10_000;
  const verb = silent && work.retry === undefined ? `Waiting for model ${duration(work.silentMs)}` : work.verb;
  const spans: Span[] = [
    { text: `${sign} `, style: "accent" },
    {
      text: work.retry === undefined ? cleanRow(verb) : cleanRow(work.retry),
      style: work.retry === undefined ? undefined : "warning",
    },
  ];
  if (work.sinceMs >= 2000) spans.push({ text: ` · ${duration(work.sinceMs)}`, style: "dim" });
  if (work.up + work.down > 0) spans.push({ text: ` · ↑ ${short(work.up)} ↓ ${short(work.down)}`, style: "dim" });
  const hint: Span = { text: " · esc to stop", style: "dim" };
  const whole = [...spans, hint];
  return lineWidth(whole) <= width ? whole : truncate(spans, width);
}
