import { describe, expect, it } from "vitest";
import { reach, roomAfter, someRoom } from "../../../../src/ui/term/room.ts";

const wide = "x".repeat(35);
const frame = { rows: ["tail", wide, wide], x: 0, y: 1, shown: true, cols: 40 };
const was = { cols: 40, rows: 10 };
const full = { least: 3, most: 3, scrolled: true };

describe("where a frame is after a resize", () => {
  it("TUI-3: most terminals keep the cursor with its text, so that what is wrapped above it counts", () => {
    const tall = { ...frame, rows: [wide, "draft", wide] };
    expect(reach(tall, full, was, { cols: 10, rows: 10 }, false).up).toBe(1 + 3);
    expect(reach(tall, full, was, { cols: 80, rows: 10 }, false).up).toBe(1);
  });
  it("TUI-3: xterm.js moves it by what is wrapped below too, and leaves the row that its cursor is in by then", () => {
    expect(reach(frame, full, was, { cols: 10, rows: 10 }, true).up).toBe(1 + 3 + 3);
    const short = { ...frame, rows: ["tail", wide, "status"] };
    expect(reach(short, full, was, { cols: 10, rows: 10 }, true).up).toBe(1);
  });
  it("TUI-B9: rows below the cursor that a lower window took away are not counted; those below the frame go first", () => {
    expect(reach(frame, full, was, { cols: 10, rows: 9 }, true).up).toBe(1);
    expect(reach(frame, { ...full, least: 4, most: 4 }, was, { cols: 10, rows: 9 }, true).up).toBe(7);
    // Where it isn't known, less is reached: a row that stays is better than one lost.
    expect(reach(frame, { ...full, most: 10 }, was, { cols: 10, rows: 9 }, true).up).toBe(1);
  });
  it("TUI-B9: tells when rows may be above the window", () => {
    expect(reach(frame, full, was, { cols: 20, rows: 10 }, true).spilt).toBe(false);
    expect(reach(frame, full, { ...was, rows: 7 }, { cols: 10, rows: 7 }, true).spilt).toBe(true);
    expect(reach(frame, full, was, { cols: 10, rows: 10 }, true).spilt).toBe(false);
  });
  it("is known for sure once the window was full", () => {
    expect(someRoom(3, 10)).toEqual({ least: 3, most: 10, scrolled: false });
    expect(roomAfter(someRoom(3, 10), 8, 3, 10)).toEqual({ least: 3, most: 3, scrolled: true });
  });
});
