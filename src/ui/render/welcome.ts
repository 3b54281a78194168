import type { Mode } from "../../events/effect.ts";
import { cleanRow } from "./clean.ts";
import { inParts } from "./in-parts.ts";
import { line, type Line, wrap } from "./spans.ts";
import { homePath } from "./status.ts";
import { duration, grouped, money, several } from "./units.ts";

export interface Welcome {
  version: string;
  folder: string;
  home: string;
  model: string;
  mode: Mode;
  bypass?: boolean;
  contained: boolean;
  /** Why commands have no walls. */
  why: readonly string[];
  /** What changes the mode, where it isn't Shift+Tab. */
  modeKey?: string;
}

const MODES: Readonly<Record<Mode, string>> = {
  plan: "plan mode: nothing is changed",
  ask: "ask mode: every change is asked first",
  auto: "auto mode: only risky changes are asked",
};

/** For every front-end (P8). */
export const BYPASSED =
  "BYPASS: nothing is asked but what a rule or a hook asks; what is denied stays denied, what lands can be undone";

/** A few rows at the first start (N-8). */
export function welcomeLines(welcome: Welcome, width: number): Line[] {
  const { version, model, folder, home, modeKey = "Shift+Tab" } = welcome;
  const title: Line = [
    { text: "Understudy", style: "heading" },
    { text: ` ${version}`, style: "dim" },
  ];
  const place = [cleanRow(model), homePath(folder, home)].map((text) => line(text, "dim"));
  const walls = welcome.contained
    ? "Commands run in a copy of this folder, without network; you decide what lands."
    : `No sandbox here (${welcome.why.map(cleanRow).join("; ") || "unknown reason"}): every command asks before it runs.`;
  return [
    ...inParts([title, ...place], width),
    ...wrap(line(walls, welcome.contained ? "dim" : "warning"), { width }),
    ...inParts(
      [
        welcome.bypass === true ? line(BYPASSED, "bypass") : line(MODES[welcome.mode], "dim"),
        line(`${modeKey} changes the mode`, "dim"),
        line("/help for the rest", "dim"),
      ],
      width,
    ),
  ];
}

export interface Farewell {
  sessionId: string;
  durationMs: number;
  /** Of that for the model's replies; undefined: nobody knows. */
  apiMs?: number;
  usd: number | undefined;
  input: number;
  output: number;
  cached: number;
  added: number;
  removed: number;
  files: number;
  prompts: number;
  /** What waits for a review, in words; undefined: nothing does (W6). */
  pending?: string | undefined;
  /** Regenerable output that the copy keeps, in words (P9). */
  kept?: string | undefined;
  /** What to do next, where it isn't `agent --resume`: the tour, which leaves nothing behind, or `npm start`. */
  next?: string | undefined;
}

/** The block that stays when the screen closes (N-7). A session without a prompt has nothing to come back to. */
export function farewellLines(farewell: Farewell, width: number): Line[] {
  if (farewell.prompts === 0) return [];
  const tokens = `${grouped(farewell.input)} tokens in, ${grouped(farewell.output)} out, ${grouped(farewell.cached)} cached`;
  const { apiMs = 0 } = farewell;
  const api = apiMs === 0 ? "" : ` · API ${duration(apiMs)}`;
  const facts = `${duration(farewell.durationMs)}${api} · ${money(farewell.usd)} · ${tokens}`;
  const changed =
    farewell.files === 0
      ? "No file changed"
      : `${several(farewell.files, "file")} changed, +${farewell.added} −${farewell.removed} lines`;
  return [
    ...wrap(line(facts, "dim"), { width }),
    ...wrap(line(changed, "dim"), { width }),
    ...pendingLines(farewell, width),
    ...keptLines(farewell, width),
    ...(farewell.next === undefined
      ? toRun("Go on with", `agent --resume ${farewell.sessionId}`, width)
      : wrap(line(farewell.next), { width })),
  ];
}

/** A command to be copied: in one piece, in a row of its own where it doesn't fit behind its words. The terminal wraps what it must. */
function toRun(words: string, command: string, width: number): Line[] {
  if (words.length + 1 + command.length <= width) return [[{ text: `${words} `, style: "dim" }, { text: command }]];
  return [...wrap(line(words, "dim"), { width }), line(command)];
}

/** A review lands it along, so only where nothing waits for one. */
function keptLines({ kept, pending, sessionId, next }: Farewell, width: number): Line[] {
  if (kept === undefined || pending !== undefined || next !== undefined) return [];
  return [
    ...wrap(line(`${cleanRow(kept)} kept in the copy`, "dim"), { width }),
    ...toRun("Land them with", `agent land ${sessionId} --with-regenerable`, width),
  ];
}

function pendingLines({ pending, sessionId }: Farewell, width: number): Line[] {
  if (pending === undefined) return [];
  return [
    ...wrap(line(`${pending} pending, not in the folder yet`, "warning"), { width }),
    ...toRun("Review with", `agent review ${sessionId}`, width),
    ...toRun("Land with", `agent land ${sessionId}`, width),
  ];
}
