import { describe, expect, it } from "vitest";
import {
  NO_STOP,
  pressEnd,
  pressEsc,
  pressInterrupt,
  pressOther,
  type Situation,
  type StopState,
} from "../../../../src/ui/input/stopping.ts";

const IDLE: Situation = { menu: false, search: false, overlay: false, prompt: "none", running: false, draft: false };
const press = {
  esc: pressEsc,
  c: pressInterrupt,
  d: pressEnd,
  other: (s: StopState) => ({ act: "none", state: pressOther(s) }),
};

/** Presses at times, each in its situation; what each did. */
function acts(...list: (readonly [keyof typeof press, number, Partial<Situation>?])[]): string[] {
  let state = NO_STOP;
  return list.map(([key, at, now]) => {
    const done = press[key](state, { ...IDLE, ...now }, at);
    state = done.state;
    return done.act;
  });
}

describe("stopping", () => {
  it("UX-Q-5: Esc takes the nearest thing, one press one thing", () => {
    const all: Situation = { menu: true, search: true, overlay: true, prompt: "unfocused", running: true, draft: true };
    expect(
      acts(
        ["esc", 0, all],
        ["esc", 10, { ...all, menu: false }],
        ["esc", 20, { ...all, menu: false, search: false }],
        ["esc", 30, { ...all, menu: false, search: false, overlay: false }],
        ["esc", 40, { prompt: "focused", running: true }],
        ["esc", 50, { running: true, draft: true }],
        ["esc", 60, { draft: true }],
        ["esc", 70, { draft: true }],
      ),
    ).toEqual(["close-menu", "close-search", "close-overlay", "focus-prompt", "answer-no", "stop", "arm", "clear"]);
  });
  it("UX-Q-6: double Esc within 500 ms clears a draft or opens rewind", () => {
    expect(acts(["esc", 0], ["esc", 500])).toEqual(["arm", "rewind"]);
    expect(acts(["esc", 0], ["esc", 501], ["esc", 900])).toEqual(["arm", "arm", "rewind"]);
    expect(acts(["esc", 0], ["other", 10], ["esc", 20])).toEqual(["arm", "none", "arm"]);
  });
  it("UX-Q-7: Ctrl-C stops, clears, and exits only on the second within 1.5 s", () => {
    expect(
      acts(["c", 0, { running: true, draft: true }], ["c", 100, { draft: true }], ["c", 200], ["c", 1700]),
    ).toEqual(["stop", "clear", "arm", "exit"]);
    expect(acts(["c", 0], ["c", 1501])).toEqual(["arm", "arm"]);
    expect(acts(["c", 0], ["other", 5], ["c", 10])).toEqual(["arm", "none", "arm"]);
  });
  it("UX-Q-7: Ctrl-D on empty is the same, with text or work it is nothing here", () => {
    expect(acts(["d", 0], ["d", 1500])).toEqual(["arm", "exit"]);
    expect(acts(["d", 0, { draft: true }], ["d", 1, { running: true }])).toEqual(["none", "none"]);
    expect(acts(["c", 0], ["d", 1])).toEqual(["arm", "arm"]);
  });
  it("UX-Q-7: the third Ctrl-C within 2 s while a stop hangs exits hard, slower ones don't", () => {
    const running = { running: true };
    expect(acts(["c", 0, running], ["c", 900, running], ["c", 1999, running])).toEqual(["stop", "stop", "exit-hard"]);
    expect(acts(["c", 0, running], ["c", 1500, running], ["c", 3000, running])).toEqual(["stop", "stop", "stop"]);
  });
  it("UX-Q-7: never exits with one key, whatever came before", () => {
    const kinds = ["esc", "c", "d", "other"] as const;
    for (let n = 0; n < 4 ** 4; n++) {
      const list = [0, 1, 2, 3].map((i) => [kinds[Math.floor(n / 4 ** i) % 4] ?? "c", i * 100] as const);
      const done = acts(...list);
      for (const [i, act] of done.entries()) {
        if (act === "exit") expect(list[i]?.[0]).toBe(list[i - 1]?.[0]);
      }
    }
    expect(acts(["c", 0])).toEqual(["arm"]);
  });
});
