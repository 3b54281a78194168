import { describe, expect, it } from "vitest";
import { resizedAt, tailShown } from "../../../../src/ui/screen/resizing.ts";
import { NO_SCREEN } from "../../../../src/ui/screen/state.ts";

const at = (now: number, startedAt = 5) => ({ ...NO_SCREEN, now, view: { ...NO_SCREEN.view, startedAt } });

describe("the tail while the window changes", () => {
  it("TUI-B9: it is left out until the window has come to rest for a second", () => {
    const state = resizedAt(at(10_000), 10_000, false);
    expect(tailShown(at(0))).toBe(true);
    expect(tailShown({ ...state, now: 10_999 })).toBe(false);
    expect(tailShown({ ...state, now: 11_000 })).toBe(true);
    expect(tailShown({ ...resizedAt(state, 10_900, false), now: 11_000 })).toBe(false);
  });
  it("TUI-B9: once some of it was left out of reach, it comes back with the next message", () => {
    const state = resizedAt(at(10_000), 10_000, true);
    expect(tailShown({ ...state, now: 99_000 })).toBe(false);
    expect(tailShown({ ...state, now: 99_000, view: { ...state.view, startedAt: 50_000 } })).toBe(true);
  });
  it("TUI-B9: nothing of it can be lost while it isn't shown", () => {
    const state = resizedAt(resizedAt(at(10_000), 10_000, false), 10_100, true);
    expect(tailShown({ ...state, now: 12_000 })).toBe(true);
  });
});
