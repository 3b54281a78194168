import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { edit } from "../../../../src/ui/input/editor/edit.ts";
import { EMPTY } from "../../../../src/ui/input/editor/buffer.ts";
import { openPermission } from "../../../../src/ui/prompt/permission.ts";
import { frame, frameRows, narrowerThan } from "../../../../src/ui/render/frame.ts";
import { menuLines } from "../../../../src/ui/render/menu.ts";
import { line, paint, textOfLine } from "../../../../src/ui/render/spans.ts";
import { screenFrame } from "../../../../src/ui/screen/frame.ts";
import { NO_SCREEN, type ScreenState } from "../../../../src/ui/screen/state.ts";
import { feedStream, NO_STREAM } from "../../../../src/ui/store/stream.ts";
import { NO_VIEW } from "../../../../src/ui/store/view.ts";
import { plainTheme } from "../../../../src/ui/theme.ts";
import { entry, question, summary } from "../../../support/questions.ts";

const AROUND = { home: "/home/p", contained: true };

interface Load {
  draft: string;
  tail: string;
  tools: number;
  todos: number;
  queued: number;
  asks: boolean;
  toast: boolean;
}
function stateOf(load: Load): ScreenState {
  const running = Array.from({ length: load.tools }, (_, at) => ({
    callId: `c${at}`,
    tool: "Bash",
    input: { command: load.tail },
    startedAt: 0,
    lines: [load.tail],
  }));
  const todos = Array.from({ length: load.todos }, () => ({ text: load.tail, status: "pending" as const }));
  const changes = summary([entry(load.tail, { op: "delete", marks: ["delete"] })]);
  return {
    ...NO_SCREEN,
    busy: load.tools > 0,
    editor: edit(EMPTY, { op: "set", text: load.draft }, { at: 0, width: 80 }),
    view: {
      ...NO_VIEW,
      folder: "/home/p/x",
      model: load.tail,
      stream: feedStream(NO_STREAM, load.tail).stream,
      running,
      todos,
    },
    queued: Array.from({ length: load.queued }, () => load.tail),
    prompts: load.asks
      ? [{ kind: "permission", key: 1, prompt: openPermission(question({ changes })), resolve: () => {} }]
      : [],
    ...(load.toast ? { toast: { text: load.tail, until: 9 } } : {}),
  };
}
const FULL: Load = {
  draft: "a\nb",
  tail: "- one\n- two\n- three\n- four",
  tools: 2,
  todos: 3,
  queued: 2,
  asks: false,
  toast: false,
};
const show = (load: Load, cols: number, rows: number) =>
  paint(frameRows(screenFrame(stateOf(load), AROUND, cols, rows)), plainTheme);

describe("frame", () => {
  it("UX-F-1: tail, tools, todo, queue, composer, status, in this order", () => {
    expect(show(FULL, 60, 60).map((row) => row.slice(0, 12).trim())).toEqual([
      "",
      "- one",
      "- two",
      "- three",
      "- four",
      "· Working ·",
      "○ Bash - one",
      "○ Bash - one",
      "· - one⏎- tw",
      "· - one⏎- tw",
      "· - one⏎- tw",
      "next: - one⏎",
      "next: - one⏎",
      "› a",
      "b",
      "ask mode · -",
    ]);
  });
  it("UX-F-1: under 12 rows the tail has 2 rows and there is no todo; under 6 only composer and status", () => {
    expect(show({ ...FULL, tools: 0, queued: 0, draft: "x" }, 60, 11)).toEqual([
      "- three",
      "- four",
      "› x",
      expect.stringMatching(/^ask mode/),
    ]);
    expect(show(FULL, 60, 5)).toEqual(["↑ b", expect.stringMatching(/^ask mode/)]);
  });
  it("UX-N-9: very small windows keep one row to write on", () => {
    expect(show(FULL, 10, 24)).toEqual([expect.anything(), "ask mode"]);
    expect(show(FULL, 80, 3)).toHaveLength(1);
  });
  it("UX-N-9: an open list is in sight in every window, whatever is written and told: keys go by it", () => {
    const rowsOf = (name: string, most: number) => (max: number) =>
      Array.from({ length: Math.min(max, most) }, () => line(name));
    const none = () => [];
    const drawn = (rows: number) =>
      frame(
        {
          tail: none,
          working: none,
          tools: none,
          todo: none,
          queue: none,
          draft: none,
          toast: rowsOf("toast", 1),
          menu: rowsOf("menu", 20),
          status: rowsOf("status", 1),
          composer: (max) => ({ rows: rowsOf("composer", 9)(max), caret: { x: 0, y: 0 } }),
        },
        40,
        rows,
      );
    const names = (rows: number) => paint(frameRows(drawn(rows)), plainTheme);
    expect(names(10)).toEqual(["composer", "composer", "menu", "menu", "status"]);
    expect(names(6)).toEqual(["composer", "menu", "status"]);
    for (let rows = 6; rows < 60; rows++) {
      expect(drawn(rows).main.length).toBeGreaterThan(0);
      expect(drawn(rows).menu.length, `${rows} rows`).toBeGreaterThan(0);
    }
  });
  it("UX-F-1: everything at once takes half the screen at most", () => {
    const load = {
      ...FULL,
      todos: 5,
      tools: 4,
      queued: 5,
      tail: Array.from({ length: 20 }, (_, at) => `- ${at}`).join("\n"),
    };
    expect(show(load, 80, 24)).toHaveLength(12);
    expect(show(load, 80, 60)).toHaveLength(20);
  });
  it("TUI decisions 2 and 3: never more rows than half the screen (a question: rows−2), no row as wide as the terminal, the caret inside", () => {
    const load = fc.record({
      draft: fc.string({ unit: "grapheme", maxLength: 200 }),
      tail: fc.string({ unit: "grapheme", maxLength: 200 }),
      tools: fc.nat(6),
      todos: fc.nat(9),
      queued: fc.nat(6),
      asks: fc.boolean(),
      toast: fc.boolean(),
    });
    fc.assert(
      fc.property(load, fc.integer({ min: 1, max: 200 }), fc.integer({ min: 1, max: 80 }), (l, cols, rows) => {
        const frame = screenFrame(stateOf(l), AROUND, cols, rows);
        const drawn = frameRows(frame);
        const least = cols < 20 || rows < 9 ? 7 : 0;
        const most = l.asks ? rows - 2 : Math.min(20, Math.max(1, Math.floor(rows / 2)));
        expect(drawn.length).toBeLessThanOrEqual(Math.max(least, most));
        expect(cols === 1 || narrowerThan(frame, cols)).toBe(true);
        expect(frame.caret.y).toBeLessThan(Math.max(1, drawn.length));
        expect(frame.caret.x).toBeLessThan(Math.max(2, cols));
      }),
      { numRuns: 300 },
    );
  });
});

describe("a menu in a narrow window", () => {
  it("UX-IN-10: what a command is for is read there too: what may follow its name gives way", () => {
    const items = [
      { id: "help", label: "/help", more: "Commands and keys" },
      { id: "mode", label: "/mode [plan|ask|auto]", more: "What is asked before it lands" },
    ];
    const rows = menuLines({ kind: "command", items } as never, undefined, 40, 8).map(textOfLine);
    expect(rows[0]).toMatch(/^ {2}\/help +Commands and keys$/);
    expect(rows[1]).toMatch(/^ {2}\/mode \[plan\|\S*… What is asked/);
    expect(rows.every((row) => row.length <= 40)).toBe(true);
  });
});
