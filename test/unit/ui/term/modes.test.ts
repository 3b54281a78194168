import xterm from "@xterm/headless";
import { describe, expect, it } from "vitest";
import { createModes } from "../../../../src/ui/term/modes.ts";
import { modesOf, RESTORED } from "../../../support/terminal.ts";

const { Terminal } = xterm;

function registry() {
  let written = "";
  const raw: boolean[] = [];
  const modes = createModes({ write: (d) => void (written += d), setRaw: (on) => raw.push(on) });
  return { modes, raw, written: () => written };
}

describe("createModes", () => {
  it("TUI-3.4: what was enabled is undone, once, in reverse order", () => {
    const { modes, raw, written } = registry();
    modes.enable("paste", "kitty");
    modes.enable("kitty", "focus");
    expect(modesOf(written())).toMatchObject({ paste: true, focus: true, kitty: 1 });
    modes.restoreSync();
    modes.restoreSync();
    modes.enable("paste");
    modes.on();
    expect(modesOf(written())).toEqual(RESTORED);
    expect(raw).toEqual([true, false]);
    expect(written().indexOf("\x1b[?1004l")).toBeLessThan(written().indexOf("\x1b[<u"));
  });
  it("TUI-3.4: kitty pops equal its pushes over every way of suspending", () => {
    const { modes, written } = registry();
    modes.enable("kitty", "otherKeys", "alternate");
    modes.off();
    modes.off();
    expect(modesOf(written())).toEqual(RESTORED);
    modes.on();
    modes.on();
    expect(modesOf(written())).toMatchObject({ kitty: 1, alternate: true, otherKeys: 1 });
    modes.disable("kitty");
    modes.disable("kitty");
    modes.off();
    modes.restoreSync();
    expect(modesOf(written())).toEqual(RESTORED);
  });
  it("B12: what a killed program left on is off before anything is switched on, once", async () => {
    const { modes, written } = registry();
    modes.enable("paste");
    const left = "\x1b[?2026h\x1b[?7l\x1b[?25l\x1b[?1004h\x1b[?1049h\x1b[>4;1m";
    expect(modesOf(left + written())).toMatchObject({ focus: false, autowrap: true, otherKeys: 0, paste: true });
    const [terminal, first] = [new Terminal({ allowProposedApi: true, rows: 5, cols: 20 }), written()];
    await new Promise<void>((done) => terminal.write(`shell\r\n$ agent\r\n${left}${first}`, done));
    expect(terminal.buffer.active.type).toBe("normal");
    expect([terminal.modes.sendFocusMode, terminal.modes.wraparoundMode]).toEqual([false, true]);
    expect(terminal.buffer.active.cursorY).toBe(2);
    modes.off();
    modes.on();
    expect(written().split("\x1b[=0u")).toHaveLength(2);
  });
  it("UX-N-10: a terminal that is gone doesn't keep the rest from being restored", () => {
    const raw: boolean[] = [];
    const modes = createModes({
      write: () => {
        throw new Error("EIO");
      },
      setRaw: (on) => raw.push(on),
    });
    modes.enable("paste");
    modes.restoreSync();
    expect(raw).toEqual([true, false]);
  });
});
