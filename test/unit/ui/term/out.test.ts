import { describe, expect, it } from "vitest";
import { createOut } from "../../../../src/ui/term/out.ts";
import { fakeTerminal, type FakeTerminal } from "../../../support/screen.ts";
import { modesOf, RESTORED } from "../../../support/terminal.ts";

const clock = { now: () => 0 };
function open(cols = 40, rows = 10) {
  const terminal = fakeTerminal(cols, rows);
  return { terminal, out: createOut(terminal, { clock }) };
}
async function lines(terminal: FakeTerminal): Promise<string[]> {
  await terminal.drawn();
  return terminal.emulator.lines();
}

describe("createOut", () => {
  it("TUI-5: transcript above, frame below, one write for both when corked", async () => {
    const { terminal, out } = open();
    out.frame(["> draft", "status"], { x: 7, y: 0 });
    expect(await lines(terminal)).toEqual(["> draft", "status"]);
    out.cork();
    out.above(["one", "two"]);
    out.frame(["> d", "status"], { x: 3, y: 0 });
    out.uncork();
    expect(terminal.written.length).toBe(2);
    expect(await lines(terminal)).toEqual(["one", "two", "> d", "status"]);
    expect(terminal.emulator.cursor()).toEqual({ x: 3, y: 2 });
  });
  it("goes on from what was painted before it was there; after a resize that nobody heard of it paints anew", async () => {
    for (const cols of [40, 80]) {
      const terminal = fakeTerminal(40, 10);
      const painted = { rows: ["> ", "status"], x: 2, y: 0, shown: true, cols };
      const out = createOut(terminal, { clock, painted });
      out.frame(["> ", "status"], { x: 2, y: 0 });
      expect(terminal.written.join("").includes("\x1b[J")).toBe(cols === 80);
      expect(await lines(terminal)).toEqual(cols === 80 ? ["> ", "status"].map((row) => row.trimEnd()) : []);
    }
  });
  it("TUI-B4: an unchanged frame costs no byte, a changed row only that row", async () => {
    const { terminal, out } = open();
    out.frame(["aaa", "bbb", "ccc"]);
    out.frame(["aaa", "bbb", "ccc"]);
    expect(terminal.written.length).toBe(1);
    out.frame(["aaa", "bxb", "ccc"]);
    expect(terminal.written[1]).not.toMatch(/aaa|ccc/);
    expect(await lines(terminal)).toEqual(["aaa", "bxb", "ccc"]);
  });
  it("TUI-5: frames grow and shrink at the screen's bottom without leaving or eating a row", async () => {
    const { terminal, out } = open(40, 6);
    out.above(["t1", "t2", "t3", "t4", "t5"]);
    for (const n of [1, 4, 2, 5, 1, 3]) {
      out.frame(Array.from({ length: n }, (_, i) => `f${i}`));
      expect(await lines(terminal)).toEqual([
        "t1",
        "t2",
        "t3",
        "t4",
        "t5",
        ...Array.from({ length: n }, (_, i) => `f${i}`),
      ]);
    }
  });
  it("TUI-5: after a tall frame, rows that Ink erased and left take no room; the transcript goes on right below", async () => {
    const { terminal, out } = open(40, 8);
    out.stream.write("a\nb\nc\nd\ne\nf\n");
    // As Ink shrinks a frame: the rows are erased, and it stands on the first of them.
    out.stream.write("\x1b[2K\x1b[1A".repeat(6) + "\x1b[2K\x1b[Gsmall\n");
    out.above(["t1", "t2", "t3"]);
    expect(await lines(terminal)).toEqual(["t1", "t2", "t3", "small"]);
  });
  it("TUI-3: nothing is erased from the very first cell on, which tmux would take for a page to keep", () => {
    const { terminal, out } = open(40, 8);
    out.frame(["one", "two"]);
    out.above(["t"]);
    out.repaint(["t"]);
    out.close();
    expect(terminal.written.join("")).toContain("\x1b[J");
    expect(terminal.written.join("")).not.toMatch(/(?:\r|\x1b\[H)\x1b\[J/);
  });
  it("TUI-2: a frame taller than the screen is cut at its top, never written off the screen", async () => {
    const { terminal, out } = open(40, 5);
    out.above(["t"]);
    const rows = Array.from({ length: 30 }, (_, i) => `f${i}`);
    out.frame(rows, { x: 1, y: 29 });
    out.frame(["small"]);
    expect(await lines(terminal)).toEqual(["t", "small"]);
  });
  it("TUI-2.4: a row that the terminal draws wider than we think does not wrap", async () => {
    const { terminal, out } = open(10, 5);
    out.frame(["0123456789abc", "next"]);
    expect(await lines(terminal)).toEqual(["012345678c", "next"]);
    out.above(["long transcript rows may wrap"]);
    expect((await lines(terminal))[0]).toBe("long transcript rows may wrap");
  });
  it("UX-T-7: Ctrl-L paints anew, keeps scrollback, sends neither 2J nor 3J", async () => {
    const { terminal, out } = open(40, 5);
    out.above(["1", "2", "3", "4", "5", "6"]);
    out.frame(["frame"]);
    await terminal.drawn();
    await terminal.emulator.write("\x1b[Hgarbage from elsewhere");
    out.repaint(["4", "5", "6"]);
    expect(await lines(terminal)).toEqual(["1", "2", "4", "5", "6", "frame"]);
    expect(terminal.written.join("")).not.toMatch(/\x1b\[[23]J/);
  });
  it("N-7: close erases the frame, prints the last rows, and nothing is written afterwards", async () => {
    const { terminal, out } = open();
    out.above(["said"]);
    out.frame(["> draft", "status"], { x: 2, y: 0 });
    out.close(["bye"]);
    out.above(["late"]);
    out.frame(["late"]);
    out.close(["again"]);
    expect(await lines(terminal)).toEqual(["said", "bye"]);
    expect(modesOf(terminal.written.join(""))).toEqual(RESTORED);
    expect(terminal.emulator.cursor()).toEqual({ x: 0, y: 2 });
  });
  it("UX-Q-8: while suspended nothing is written, afterwards all of it", async () => {
    const { terminal, out } = open();
    out.frame(["frame"]);
    out.suspend();
    const count = terminal.written.length;
    expect(await lines(terminal)).toEqual([]);
    await terminal.emulator.write("shell\r\n");
    out.above(["meanwhile"]);
    out.frame(["new frame"]);
    expect(terminal.written.length).toBe(count);
    out.resume();
    expect(await lines(terminal)).toEqual(["shell", "meanwhile", "new frame"]);
  });
  it("autowrap is on between writes, so that a kill leaves the terminal usable", () => {
    const { terminal, out } = open();
    out.frame(["a"]);
    out.frame(["b", "c"]);
    out.above(["t"]);
    for (const data of terminal.written) expect(modesOf(data)).toMatchObject({ autowrap: true, synchronized: false });
  });
  it("P-4: tells when a frame was handed to the terminal", () => {
    const terminal = fakeTerminal();
    let now = 5;
    const out = createOut(terminal, { clock: { now: () => now } });
    const at: number[] = [];
    const off = out.onWritten((t) => at.push(t));
    out.frame(["a"]);
    now = 9;
    out.frame(["a"]);
    out.frame(["b"]);
    off();
    out.frame(["c"]);
    expect(at).toEqual([5, 9]);
  });
  it("TUI-3.9: on a slow link frames coalesce, transcript text is never dropped", async () => {
    const terminal = fakeTerminal(40, 10);
    const out = createOut(terminal, { clock: { now: () => 0 } });
    terminal.writableLength = 100_000;
    out.frame(["f0"]);
    for (let i = 1; i <= 50; i++) {
      out.above([`t${i}`]);
      out.frame([`f${i}`]);
    }
    expect(terminal.written.length).toBe(1);
    await new Promise((resolve) => setTimeout(resolve, 400));
    expect(terminal.written.length).toBe(2);
    expect(await lines(terminal)).toEqual([...Array.from({ length: 50 }, (_, i) => `t${i + 1}`), "f50"]);
  });
  it("UX-N-10: a terminal that is gone is told and not written to any more", () => {
    const terminal = fakeTerminal();
    const gone: string[] = [];
    let fail: (error?: Error) => void = () => undefined;
    terminal.on = (event, listener) => (event === "error" ? (fail = listener) : undefined);
    const out = createOut(terminal, { clock, onGone: (e) => gone.push(e.message) });
    fail(new Error("write EPIPE"));
    out.frame(["a"]);
    expect(gone).toEqual(["write EPIPE"]);
    expect(terminal.written).toEqual([]);
  });
});
