import { describe, expect, it } from "vitest";
import { NO_SCREEN, type OpenPrompt, type ScreenState } from "../../../../src/ui/screen/state.ts";
import { callersOf, callSequence, envelope, oscText, titleSequence } from "../../../../src/ui/term/notify.ts";
import { windowAttention } from "../../../../src/ui/screen/window.ts";
import { createModes } from "../../../../src/ui/term/modes.ts";

const view = { ...NO_SCREEN.view, folder: "/home/p/tea" };
const idle: ScreenState = { ...NO_SCREEN, view };
const busy: ScreenState = { ...idle, busy: true };
const asking = (key: number): ScreenState => ({
  ...busy,
  prompts: [{ kind: "person", key } as unknown as OpenPrompt],
});

const ticked = (state: ScreenState): ScreenState => ({ ...state, tick: state.tick + 1 });

function window(settings: Parameters<typeof windowAttention>[0] = {}, env: Record<string, string> = {}) {
  let now = 0;
  let written = "";
  const write = (data: string) => void (written += data);
  const modes = createModes({ write, setRaw: () => undefined });
  modes.enable("focus");
  const clock = { now: () => now, sleep: () => Promise.resolve() };
  const attention = windowAttention(settings, env, { out: { aside: write }, modes, clock });
  return {
    attention,
    modes,
    wait: (ms: number) => (now += ms),
    /** What was written since. */
    told: () => {
      const all = written;
      written = "";
      return all;
    },
  };
}
const calls = (text: string) => text.replaceAll(/\x1b\][29];[^\x07]*\x07/g, "").split("\x07").length - 1;

describe("calls", () => {
  it("UX-N-1: by the terminal: kitty, iTerm2, WezTerm, Ghostty, foot, any other by the bell", () => {
    const by = (env: Record<string, string>) => callersOf(env).by;
    expect([
      by({ TERM: "xterm-kitty" }),
      by({ TERM: "tmux-256color", TMUX: "x", KITTY_WINDOW_ID: "1" }),
      by({ TERM_PROGRAM: "iTerm.app" }),
      by({ TERM_PROGRAM: "WezTerm" }),
      by({ TERM: "xterm-ghostty" }),
      by({ TERM: "foot" }),
      by({ TERM: "xterm-256color" }),
    ]).toEqual(["osc99", "osc99", "osc9", "osc9", "osc9", "osc777", "bell"]);
    const progress = (env: Record<string, string>) => callersOf(env).progress;
    expect(progress({ WT_SESSION: "x" })).toBe(true);
    expect(progress({ TERM_PROGRAM: "iTerm.app", TERM_PROGRAM_VERSION: "3.5.0" })).toBe(false);
    expect(progress({ TERM_PROGRAM: "iTerm.app", TERM_PROGRAM_VERSION: "3.6.2" })).toBe(true);
    expect(progress({ TERM: "xterm-256color" })).toBe(false);
  });
  it("UX-N-1: in tmux's envelope, and the bell beside it", () => {
    const sequence = callSequence("a", "b", { by: "osc9", tmux: true, progress: false });
    expect(sequence).toBe("\x1bPtmux;\x1b\x1b]9;a: b\x07\x1b\\\x07");
    expect(envelope("\x1b]x\x1b\\")).toBe("\x1bPtmux;\x1b\x1b]x\x1b\x1b\\\x1b\\");
  });
  it("UX-N-1: no text of a folder ends the sequence or adds another", () => {
    const evil = "x\x07\x1b]52;c;aGk=\x07\u009c\u202e\ny;z";
    for (const by of ["osc9", "osc99", "osc777"] as const) {
      const sequence = callSequence(evil, evil, { by, tmux: false, progress: false });
      expect(sequence.replaceAll(/^\x1b\](?:9|99|777);|\x1b\\\x1b\]99;|(?:\x07|\x1b\\)$/g, "")).not.toMatch(
        /[\u0000-\u001f\u007f-\u009f\u202e]/,
      );
    }
    expect(titleSequence(["agent", evil]).slice(0, -1)).not.toMatch(/[\u0007\u009c\n\u202e]|\x1b.*\x1b/);
    expect(oscText("a".repeat(500))).toHaveLength(120);
  });
  it("UX-N-1: once for a question, when nobody looks", () => {
    const w = window();
    w.attention.focus(false);
    w.attention.follow(busy);
    w.told();
    w.attention.follow(asking(1));
    w.attention.follow(ticked(asking(1)));
    expect(calls(w.told())).toBe(1);
    w.attention.follow(asking(2));
    expect(calls(w.told())).toBe(1);
    w.attention.focus(true);
    w.attention.follow(asking(3));
    expect(calls(w.told())).toBe(0);
  });
  it("UX-N-1: at the end of what took more than ten seconds; a terminal that tells no focus is looked at", () => {
    const run = (settings: object, ms: number, focus?: boolean) => {
      const w = window(settings);
      if (focus !== undefined) w.attention.focus(focus);
      w.attention.follow(busy);
      w.wait(ms);
      w.told();
      w.attention.follow(idle);
      w.attention.follow(ticked(idle));
      return calls(w.told());
    };
    expect(run({}, 10_001, false)).toBe(1);
    expect(run({}, 9999, false)).toBe(0);
    expect(run({}, 60_000)).toBe(0);
    expect(run({ notify: "always" }, 60_000)).toBe(1);
    expect(run({ notify: "never" }, 60_000, false)).toBe(0);
  });
});

describe("title and progress", () => {
  it("UX-N-1: the title tells project and state, and is given back", () => {
    const w = window();
    w.attention.follow(idle);
    expect(w.told()).toContain("\x1b[22;0t\x1b]2;agent – tea – ready\x07");
    w.attention.follow(busy);
    w.attention.follow(ticked(busy));
    expect(w.told()).toBe("\x1b]2;agent – tea – working\x07");
    w.attention.follow(asking(1));
    expect(w.told()).toBe("\x1b]2;agent – tea – asking\x07");
    w.modes.off();
    w.modes.on();
    w.told();
    w.attention.again();
    expect(w.told()).toBe("\x1b]2;agent – tea – asking\x07");
    w.modes.restoreSync();
    expect(w.told()).toContain("\x1b]2;\x07\x1b[23;0t");
  });
  it("UX-N-1: progress is shown while it works, told anew, and taken away whatever way it ends", () => {
    const w = window({ title: false }, { WT_SESSION: "x" });
    w.attention.follow(busy);
    expect(w.told()).toContain("\x1b]9;4;3\x07");
    w.attention.follow(busy);
    expect(w.told()).toBe("");
    w.wait(6000);
    w.attention.follow(busy);
    expect(w.told()).toBe("\x1b]9;4;3\x07");
    w.attention.follow(asking(1));
    expect(w.told()).toBe("\x1b]9;4;0\x07");
    w.attention.follow(busy);
    w.told();
    w.modes.restoreSync();
    expect(w.told()).toContain("\x1b]9;4;0\x07");
  });
  it("UX-N-1: each can be switched off", () => {
    const w = window({ title: false, progress: false, notify: "never" }, { WT_SESSION: "x" });
    w.told();
    w.attention.focus(false);
    w.attention.follow(busy);
    w.attention.follow(asking(1));
    expect(w.told()).toBe("");
  });
});
