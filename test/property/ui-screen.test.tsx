import fc from "fast-check";
import { Box, render, Text, useCursor } from "ink";
import { describe, expect, it } from "vitest";
import { createOut, type Out } from "../../src/ui/term/out.ts";
import { sliceColumns } from "../../src/ui/term/width.ts";
import { deepRuns } from "../support/deep.ts";
import { fakeTerminal, type FakeTerminal } from "../support/screen.ts";

const clock = { now: () => 0 };

interface Look {
  rows: readonly string[];
  cursor?: { x: number; y: number } | undefined;
}
function View({ rows, cursor }: Look) {
  const { setCursorPosition } = useCursor();
  setCursorPosition(cursor);
  return (
    <Box flexDirection="column">
      {rows.map((row, i) => (
        <Text key={i} wrap="truncate" {...(row.includes("c") ? { color: "red" } : {})} bold={row.includes("b")}>
          {row}
        </Text>
      ))}
    </Box>
  );
}
function mount(out: Out, look: Look) {
  return render(<View {...look} />, {
    stdout: out.stream,
    interactive: true,
    maxFps: 1000,
    incrementalRendering: true,
    exitOnCtrlC: false,
    patchConsole: false,
  });
}
const settled = async (terminal: FakeTerminal, app: ReturnType<typeof mount>) => {
  await app.waitUntilRenderFlush();
  await terminal.drawn();
};

const row = fc
  .array(fc.constantFrom("a", "b", "c", " ", "日", "é", "word "), { minLength: 1, maxLength: 12 })
  .map((parts) => parts.join("").trimEnd() || "x");
const look = fc
  .record({ rows: fc.array(row, { minLength: 1, maxLength: 7 }), x: fc.nat(20), y: fc.nat(6), on: fc.boolean() })
  .map(({ rows, x, y, on }) => ({ rows, cursor: on ? { x, y: Math.min(y, rows.length - 1) } : undefined }));

describe("Ink through the proxy", () => {
  it("TUI-5: after every step the screen is the transcript and Ink's frame, cursor included", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(look, fc.array(row, { maxLength: 3 })), { minLength: 1, maxLength: 8 }),
        async (steps) => {
          const terminal = fakeTerminal(60, 12);
          const out = createOut(terminal, { clock });
          const app = mount(out, { rows: ["start"] });
          const said: string[] = [];
          for (const [next, above] of steps) {
            out.cork();
            out.above(above);
            said.push(...above);
            app.rerender(<View {...next} />);
            await app.waitUntilRenderFlush();
            out.uncork();
            await settled(terminal, app);
            expect(terminal.emulator.lines()).toEqual([...said, ...next.rows]);
            if (next.cursor !== undefined) {
              const top = terminal.emulator.lines().length - next.rows.length - terminal.emulator.scrollback().length;
              expect(terminal.emulator.cursor()).toEqual({ x: next.cursor.x, y: top + next.cursor.y });
            }
          }
          app.unmount();
          terminal.emulator.close();
        },
      ),
      { numRuns: 60 },
    );
  });
});

const LONG =
  "of an answer that streams 日本語 while somebody pulls at the window's corner, wide enough to wrap anew in most";
const cut = (text: string, columns: number) => sliceColumns(text, columns - 1);

/** A run of an answer that streams while the window changes. `late`: the program writes once before it hears of it. */
async function stream(sizes: readonly (readonly [number, number])[], late: boolean) {
  const terminal = fakeTerminal(80, 24);
  const out = createOut(terminal, { clock });
  const said: string[] = [];
  const look = (): Look => {
    const region = Math.max(2, Math.min(12, Math.floor(out.rows / 2)));
    const tail = Array.from({ length: region - 2 }, (_, i) => cut(`tail ${said.length}.${i} ${LONG}`, out.columns));
    return {
      rows: [...tail, cut("> a draft", out.columns), cut("STATUS", out.columns)],
      cursor: { x: 2, y: region - 2 },
    };
  };
  const app = mount(out, look());
  out.onResize(() => app.rerender(<View {...look()} />));
  const work = async () => {
    const words = cut(`#${said.length}# said ${said.length % 3 === 0 ? LONG : ""}`.trimEnd(), out.columns);
    out.cork();
    out.above([words]);
    said.push(words.trimEnd());
    app.rerender(<View {...look()} />);
    await app.waitUntilRenderFlush();
    out.uncork();
  };
  let collapsed = false;
  for (const [cols, rows] of sizes) {
    for (let i = 0; i < 4; i++) await work();
    await terminal.resizeSilently(cols, rows);
    // The terminal wrapped the frame beyond its top: nobody can erase what is in the scrollback.
    collapsed ||= terminal.emulator.scrollback().some((row) => row.startsWith("tail"));
    if (late) await work();
    else terminal.hear();
    await terminal.drawn();
    await app.waitUntilRenderFlush();
  }
  for (let i = 0; i < 3; i++) await work();
  await settled(terminal, app);
  const text = terminal.emulator.lines();
  const ids = text.flatMap((l) => [...l.matchAll(/#(\d+)#/g)].map((m) => Number(m[1])));
  const lost = said.filter((_, i) => !ids.includes(i)).length;
  const twice = ids.length - new Set(ids).size;
  const statuses = text.filter((l) => l.includes("STATUS")).length;
  const want = [...said, ...look().rows.map((r) => r.trimEnd())];
  app.unmount();
  terminal.emulator.close();
  return { lost, twice, statuses, text, want, collapsed };
}

const sizes = fc.array(fc.tuple(fc.integer({ min: 10, max: 160 }), fc.integer({ min: 6, max: 60 })), {
  minLength: 1,
  maxLength: 6,
});

/**
 * All of it exactly once. Only when the terminal itself wrapped the frame beyond its top, rows of the frame are in the
 * scrollback where nobody can erase them: at most a screenful, and never the composer or the status row.
 */
function problems({ lost, twice, statuses, text, want, collapsed }: Awaited<ReturnType<typeof stream>>): unknown {
  const counted = { lost, twice, statuses };
  const solid = (rows: string[]) => (collapsed ? rows.filter((row) => !row.startsWith("tail")) : rows);
  return { ...counted, extra: solid(text).filter((row, i) => row !== solid(want)[i]) };
}

const NONE = { lost: 0, twice: 0, statuses: 1, extra: [] };

describe("resizes during a stream", () => {
  it("TUI-B9: every transcript row exactly once, one frame and nothing else, whatever the sizes", async () => {
    await fc.assert(
      fc.asyncProperty(sizes, async (list) => {
        expect(problems(await stream(list, false))).toEqual(NONE);
      }),
      deepRuns(12, 40),
    );
  });
  it("TUI-B9: the same when the program writes before the signal of the new size reached it", async () => {
    await fc.assert(
      fc.asyncProperty(sizes, async (list) => {
        expect(problems(await stream(list, true))).toEqual(NONE);
      }),
      deepRuns(12, 30),
    );
  });
});
