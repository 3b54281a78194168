import { describe, expect, it } from "vitest";
import { capsOf, colourDepthOf } from "../../../../src/ui/term/caps.ts";

describe("capsOf", () => {
  it("N-3: NO_COLOR, FORCE_COLOR, CLICOLOR, COLORTERM and TERM, in that order", () => {
    const TERM = "xterm-256color";
    const table: [Record<string, string>, number][] = [
      [{ TERM }, 256],
      [{ TERM: "xterm" }, 16],
      [{ TERM, COLORTERM: "truecolor" }, 16_777_216],
      [{ TERM, CLICOLOR: "0", COLORTERM: "truecolor" }, 0],
      [{ TERM, FORCE_COLOR: "1", CLICOLOR: "0" }, 16],
      [{ TERM: "dumb", FORCE_COLOR: "3" }, 16_777_216],
      [{ TERM, FORCE_COLOR: "0" }, 0],
      [{ TERM, NO_COLOR: "1", FORCE_COLOR: "3" }, 0],
      [{ TERM, NO_COLOR: "" }, 256],
      [{ TERM: "dumb" }, 0],
      [{}, 0],
    ];
    expect(table.map(([env]) => colourDepthOf(env))).toEqual(table.map(([, depth]) => depth));
  });
  it("tells a dumb terminal, tmux and ssh", () => {
    expect(capsOf({ TERM: "dumb", TMUX: "/tmp/x", SSH_TTY: "/dev/pts/1" })).toEqual({
      depth: 0,
      dumb: true,
      tmux: true,
      ssh: true,
    });
    expect(capsOf({ TERM: "xterm" })).toEqual({ depth: 16, dumb: false, tmux: false, ssh: false });
  });
});
