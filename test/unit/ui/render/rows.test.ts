import { diffLines } from "../../../../src/ui/render/diff.ts";
import fc from "fast-check";
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import {
  lineWidth,
  line,
  paint,
  textOfLine,
  truncate,
  truncateMiddle,
  widthOf,
  wrap,
} from "../../../../src/ui/render/spans.ts";
import { statusLine, workingLine } from "../../../../src/ui/render/status.ts";
import { todoLines } from "../../../../src/ui/render/todo.ts";
import { type Card, cardLines, outputRows } from "../../../../src/ui/render/tool.ts";
import { bytes, duration, money, short } from "../../../../src/ui/render/units.ts";
import { farewellLines, welcomeLines } from "../../../../src/ui/render/welcome.ts";
import { markdown } from "../../../../src/ui/render/markdown.ts";
import { plainTheme, themeFor } from "../../../../src/ui/theme.ts";
import { entry, oneLineDiff, summary } from "../../../support/questions.ts";

const text = (rows: readonly (readonly { text: string }[])[]) =>
  rows.map((row) => row.map((span) => span.text).join(""));
const CARD: Card = {
  tool: "Bash",
  input: { command: "npm test" },
  status: "ok",
  text: "",
  durationMs: 1200,
  folder: "/p",
  exit: 0,
};
const numbers = (n: number) => Array.from({ length: n }, (_, at) => `line ${at + 1}`).join("\n");

describe("spans", () => {
  it("T-8: a word of a million letters is wrapped by position, each row looked at once", () => {
    const rows = wrap(line("x".repeat(1_000_000)), { width: 80, first: line("› "), rest: line("  ") });
    expect(rows).toHaveLength(Math.ceil(1_000_000 / 78));
    expect(rows.reduce((sum, row) => sum + lineWidth(row), 0)).toBe(1_000_000 + 2 * rows.length);
  });

  it("no text becomes a command to the terminal or a row of its own, whoever forgot to clean it", () => {
    const raw = "a\x1b[31mb\x1b]52;c;cHduZWQ=\x07c\x9b2Jd\u202ee\nf";
    expect(paint([line(raw)], plainTheme)).toEqual(["abcde⏎f"]);
    expect(cardLines({ ...CARD, tool: `Foo${raw}` }, 80).map(textOfLine)[0]).toContain("Fooabcde⏎f npm test");
  });

  it("wraps at blanks and beside wide signs, keeps styles", () => {
    expect(text(wrap([{ text: "ab cd", style: "bold" }, { text: "ef gh" }], { width: 6 }))).toEqual([
      "ab",
      "cdef",
      "gh",
    ]);
    expect(text(wrap(line("日本語日本語"), { width: 5 }))).toEqual(["日本", "語日", "本語"]);
  });
  it("truncates with a sign for what is missing, in the middle for paths", () => {
    expect(textOfLine(truncate(line("abcdef"), 4))).toBe("abc…");
    const short = truncateMiddle("/home/person/work/project", 12);
    expect(widthOf(short)).toBeLessThanOrEqual(12);
    expect(short).toMatch(/^\/.+….*project$/);
  });
  it("wrap loses no sign but blanks at the breaks, where the widest sign has room", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), fc.integer({ min: 2, max: 40 }), (source, atLeast) => {
        const flat = source.replaceAll(/\s+/g, " ");
        const width = Math.max(atLeast, ...[...new Intl.Segmenter().segment(flat)].map((s) => widthOf(s.segment)));
        const back = text(wrap(line(flat), { width, hard: false }))
          .join("")
          .replaceAll(/\s/g, "");
        expect(back).toBe(flat.replaceAll(/\s/g, ""));
      }),
    );
  });
});

describe("tool cards", () => {
  it("UX-T-1: one head row, the last 5 rows of the output, and how many are above", () => {
    expect(text(cardLines({ ...CARD, text: numbers(9) }, 40))).toEqual([
      "● Bash npm test · 1.2 s",
      "  + 4 lines (Ctrl-O)",
      "  line 5",
      "  line 6",
      "  line 7",
      "  line 8",
      "  line 9",
    ]);
  });
  it("UX-T-1: a failed one shows its exit code and the last 10 lines", () => {
    const rows = text(cardLines({ ...CARD, status: "error", exit: 2, text: numbers(30) }, 60));
    expect(rows[0]).toBe("✗ Bash npm test · exit 2 · 1.2 s");
    expect(rows).toHaveLength(12);
    expect(rows.at(-1)).toBe("  line 30");
  });
  it("UX-T-1: an edit shows counts and its diff, reading only how much", () => {
    const landed = summary([entry("src/a.ts", { added: 12, removed: 3 })]);
    const card: Card = {
      ...CARD,
      tool: "Edit",
      input: { file_path: "/p/src/a.ts" },
      landed,
      diffs: [oneLineDiff("src/a.ts")],
      exit: undefined,
    };
    expect(text(cardLines(card, 60))).toEqual(["● Edit src/a.ts +12 −3 · 1.2 s", "  1 − old", "  1 + new"]);
    expect(text(cardLines({ ...CARD, tool: "Read", input: { file_path: "/p/b.ts" }, text: numbers(3) }, 60))).toEqual([
      "● Read b.ts · 3 lines · 1.2 s",
    ]);
  });
  it("UX-T-1: a command shows its output and what landed of it, deletions as such, undone as such", () => {
    const landed = summary([entry("old/a", { op: "delete", removed: 2 }), entry("b", { added: 1 })], {
      git: [{ text: "staged 4 files", high: false }],
    });
    expect(text(cardLines({ ...CARD, text: "done\n", landed, undone: true }, 60))).toEqual([
      "● Bash npm test +1 −2 · undone · 2 files · 1.2 s",
      "  done",
      "  git staged 4 files",
      "  − old/a −2",
      "  ~ b +1",
    ]);
  });
  it("an edit whose place is not known shows no line numbers", () => {
    const hunks = [{ oldStart: 0, newStart: 0, lines: ["-a", "+b"] }];
    expect(text(diffLines([{ ...oneLineDiff("x"), hunks }], { width: 40 })).slice(1)).toEqual(["− a", "+ b"]);
  });
  it("UX-T-8: repainted lines keep their last state, long lines are cut with a count", () => {
    const long = ["a", "[Lines 2 to 99 of 101 left out here. Whole output: /x]", "b", "c"].join("\n");
    expect(text(outputRows(long, 40, 1))).toEqual(["+ 100 lines (Ctrl-O)", "c"]);
    expect(text(outputRows("a\nb", 40, 1))).toEqual(["a", "b"]);
    expect(text(outputRows("a\nb\nc", 40, 1))).toEqual(["+ 2 lines (Ctrl-O)", "c"]);
    expect(text(outputRows("10 %\r50 %\r100 %\n", 40, 5))).toEqual(["100 %"]);
    expect(text(outputRows("x".repeat(5000), 100, 5)).join("")).toContain("+ 3000 columns");
  });
  for (const { id, text: hostile, lacks } of hostileTexts()) {
    it(`${id}: harmless in a card, in an answer and in the status`, () => {
      const card = { ...CARD, input: { command: hostile }, text: hostile };
      const status = { mode: "ask" as const, model: hostile, cwd: hostile, home: "", branch: hostile, contained: true };
      const rows = paint([...cardLines(card, 80), ...markdown(hostile, 80), statusLine(status, 200)], plainTheme).join(
        "\n",
      );
      for (const bad of lacks) expect(rows).not.toContain(bad);
      expect(rows).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f]/);
      expect(rows.length).toBeLessThan(20_000);
    });
  }
});

describe("status and other rows", () => {
  const status = {
    mode: "plan" as const,
    model: "m-1",
    cwd: "/home/p/work",
    home: "/home/p",
    branch: "main",
    context: 71,
    usd: 0.5,
    contained: false,
  };
  it("UX-F-2 UX-F-3: parts go from the right, the mode never", () => {
    expect(textOfLine(statusLine(status, 200))).toBe(
      "plan mode · no sandbox · m-1 · ~/work · main · 71 % context · $0.50",
    );
    expect(textOfLine(statusLine(status, 30))).toBe("plan mode · no sandbox · m-1");
    expect(textOfLine(statusLine(status, 5))).toBe("plan…");
    expect(textOfLine(statusLine({ ...status, shells: 1 }, 200))).toMatch(
      /^plan mode · no sandbox · 1 background shell · /,
    );
    expect(textOfLine(statusLine({ ...status, shells: 2 }, 200))).toContain(" · 2 background shells · ");
    expect(textOfLine(statusLine({ ...status, shells: 0 }, 200))).not.toContain("shell");
  });
  it("UX-F-4: says what goes on, how long, how to stop; stalls and retries in words", () => {
    const work = { verb: "Writing", sinceMs: 12_000, silentMs: 0, up: 3200, down: 120, tick: 0 };
    expect(textOfLine(workingLine(work, 80))).toBe("· Writing · 12 s · ↑ 3.2k ↓ 120 · esc to stop");
    expect(textOfLine(workingLine({ ...work, silentMs: 12_000 }, 80))).toContain("Waiting for model 12 s");
    expect(textOfLine(workingLine({ ...work, retry: "overloaded · try 2 of 5 in 3 s" }, 80))).toContain(
      "overloaded · try 2 of 5 in 3 s",
    );
  });
  it("UX-F-5: the list is shown around what is done now, the rest counted", () => {
    const todos = Array.from({ length: 9 }, (_, at) => ({
      text: `t${at}`,
      status: at < 5 ? ("done" as const) : at === 5 ? ("active" as const) : ("pending" as const),
    }));
    expect(text(todoLines(todos, 40, 5))).toEqual(["✓ t4", "▸ t5", "· t6", "· t7", "  + 5 more · 5 of 9 steps done"]);
    expect(text(todoLines(todos.slice(0, 2), 40, 5))).toEqual(["✓ t0", "✓ t1"]);
  });
  it("UX-N-8: the welcome is short and says how changes are treated", () => {
    const rows = text(
      welcomeLines(
        {
          version: "1",
          folder: "/home/p/x",
          home: "/home/p",
          model: "m",
          mode: "ask",
          contained: false,
          why: ["no bwrap"],
        },
        100,
      ),
    );
    expect(rows.length).toBeLessThan(6);
    expect(rows.join("\n")).toContain("No sandbox here (no bwrap): every command asks before it runs.");
  });
  it("UX-N-7: the farewell tells cost, tokens, files and how to come back", () => {
    const facts = {
      sessionId: "s_1",
      durationMs: 65_000,
      usd: 1.2,
      input: 1200,
      output: 80,
      cached: 5,
      added: 3,
      removed: 1,
      files: 2,
      prompts: 1,
    };
    expect(text(farewellLines(facts, 100))).toEqual([
      "1 min 05 s · $1.20 · 1,200 tokens in, 80 out, 5 cached",
      "2 files changed, +3 −1 lines",
      "Go on with agent --resume s_1",
    ]);
    // In a narrow window what is to be copied stands alone and whole.
    const narrow = text(farewellLines({ ...facts, sessionId: "s_20261201_abcdefgh", pending: "1 file" }, 32));
    expect(narrow.slice(-2)).toEqual(["Go on with", "agent --resume s_20261201_abcdefgh"]);
    expect(narrow).toContain("agent review s_20261201_abcdefgh");
    expect(farewellLines({ ...facts, prompts: 0 }, 100)).toEqual([]);
    expect(text(farewellLines({ ...facts, apiMs: 12_400 }, 100))[0]).toBe(
      "1 min 05 s · API 12 s · $1.20 · 1,200 tokens in, 80 out, 5 cached",
    );
  });
  it("units read well", () => {
    expect([duration(200), duration(12_400), duration(185_000), duration(7_800_000)]).toEqual([
      "0.2 s",
      "12 s",
      "3 min 05 s",
      "2 h 10 min",
    ]);
    expect([short(950), short(3210), short(120_400), short(1_400_000)]).toEqual(["950", "3.2k", "120k", "1.4M"]);
    expect([bytes(512), bytes(3400), bytes(12_000_000), money(0.0123), money(undefined)]).toEqual([
      "512 B",
      "3.4 kB",
      "12 MB",
      "$0.0123",
      "cost unknown",
    ]);
  });
  it("UX-N-3: a theme without colour has none, one with colour has", () => {
    const raw = (env: Record<string, string>) => themeFor(env).paint("added", "x");
    expect(raw({ NO_COLOR: "1", TERM: "xterm-256color" })).toBe("x");
    expect(raw({ TERM: "xterm-256color" })).toBe("\x1b[38;5;114mx\x1b[0m");
    expect(raw({ TERM: "xterm", COLORFGBG: "0;15" })).toBe("\x1b[34mx\x1b[0m");
  });
  it("no row is wider than the width, for widths 1 to 200; but for a command to be copied, which the terminal wraps", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 100 }), fc.integer({ min: 1, max: 200 }), (s, width) => {
        const rows = [
          ...cardLines({ ...CARD, input: { command: s }, text: s, status: "error", exit: 1 }, width),
          ...todoLines([{ text: s, status: "active" }], width),
          statusLine({ ...status, model: s, cwd: s }, width),
          workingLine({ verb: s, sinceMs: 5000, silentMs: 0, up: 1, down: 1, tick: 3 }, width),
          ...welcomeLines(
            { version: "1", folder: s, home: "", model: s, mode: "auto", contained: true, why: [] },
            width,
          ),
          ...farewellLines(
            {
              sessionId: s,
              durationMs: 1,
              usd: 1,
              input: 1,
              output: 1,
              cached: 1,
              added: 1,
              removed: 1,
              files: 1,
              prompts: 1,
            },
            width,
          ).filter((row) => !textOfLine(row).startsWith("agent ")),
        ];
        for (const row of rows) expect(lineWidth(row)).toBeLessThanOrEqual(width);
      }),
    );
  });
});

/** Everything hostile of the shared cases, whatever surface it was meant for. */
function hostileTexts(): { id: string; text: string; lacks: string[] }[] {
  const file = new URL("../../../../fixtures/screen/hostile.json", import.meta.url);
  return JSON.parse(readFileSync(file, "utf8"));
}
