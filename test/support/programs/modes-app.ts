// A program with the terminal's modes on, which ends in the way that its argument names. Run in a pty by tests.
import { writeSync } from "node:fs";
import { systemClock } from "../../../src/util/system.ts";
import { createModes } from "../../../src/ui/term/modes.ts";
import { createOut } from "../../../src/ui/term/out.ts";
import { handleSignals, stopProcess } from "../../../src/ui/term/signals.ts";

const { stdin, stdout } = process;
const modes = createModes({
  write: (data) => void writeSync(1, data),
  setRaw: (raw) => void stdin.setRawMode(raw),
});
const out = createOut(stdout, { clock: systemClock });
function suspend(): void {
  out.suspend();
  modes.off();
  stopProcess();
  modes.on();
  out.resume();
}
handleSignals({
  restore() {
    out.close();
    modes.restoreSync();
  },
  finish: process.argv[2] === "hang" ? () => new Promise(() => undefined) : () => Promise.resolve(),
  exit: (code) => process.exit(code),
  suspend,
});
modes.enable("paste", "focus", "kitty", "otherKeys");
out.above(["said"]);
out.frame(["> draft", "READY"], { x: 2, y: 0 });
stdin.on("data", (data) => {
  const key = String(data);
  if (key === "\x1a") return suspend();
  if (key === "e") process.exit(3);
  if (key === "t") throw new Error("crash on purpose");
  if (key === "r") void Promise.reject(new Error("rejected on purpose"));
  if (key === "q") stdin.pause();
  out.frame([`> ${key}`, "READY"], { x: 2, y: 0 });
});
