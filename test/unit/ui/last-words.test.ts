import { PassThrough } from "node:stream";
import { describe, expect, it } from "vitest";
import { boot, type Boot } from "../../../src/ui/boot.ts";
import { showLastWords } from "../../../src/ui/last-words.ts";
import { historyLines } from "../../../src/ui/render/transcript.ts";
import { paint } from "../../../src/ui/render/spans.ts";
import { plainTheme } from "../../../src/ui/theme.ts";
import {
  finished,
  load,
  place,
  type Place,
  prompt,
  reply,
  started,
  toolUse,
  written,
} from "../../support/event-log.ts";
import { fakeTerminal, type FakeTerminal } from "../../support/screen.ts";

const talk = (n: number) => [
  prompt(`message ${n}`),
  reply([{ type: "text" as const, text: `said ${n}` }, toolUse(`c${n}`, "Read", { file_path: `${n}.ts` })]),
  started(`c${n}`),
  finished(`c${n}`, `result ${n}`),
];

async function told(n: number): Promise<Place> {
  const at = place();
  await written(at, [...Array(n).keys()].flatMap(talk));
  return at;
}
function booted(terminal: FakeTerminal): Boot {
  const stdin = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => undefined, ref() {}, unref() {} });
  return boot({
    stdin: stdin as unknown as NodeJS.ReadStream,
    stdout: terminal as unknown as NodeJS.WriteStream,
    clock: { now: () => 0, setTimeout: () => () => undefined } as never,
    writeSync: () => undefined,
    status: "starting",
    onGone: () => undefined,
    onInterrupt: () => undefined,
  });
}
/** What the screen does when it takes over: the whole history in its place, its own frame. */
async function takenOver(at: Place, { out }: Boot, terminal: FakeTerminal): Promise<string[]> {
  const { state } = await load(at);
  out.cork();
  out.above(["Understudy", ...paint(historyLines(state, terminal.columns - 1), plainTheme)]);
  out.frame(["", "› ", "ask mode"], { x: 2, y: 1 });
  out.uncork();
  await terminal.drawn();
  return terminal.emulator.lines();
}

describe("showLastWords", () => {
  it("E2, UX-IN-18: the newest words stand above the composer before all is read, and where they will stand then", async () => {
    const at = await told(200);
    const terminal = fakeTerminal(60, 24);
    const shell = booted(terminal);
    showLastWords(shell, at, plainTheme);
    await terminal.drawn();
    const words = () => {
      const rows = terminal.emulator.screen();
      return rows.slice(0, rows.lastIndexOf("›")).slice(-20);
    };
    const before = words();
    expect(before.filter((row) => row.includes("said 199")).length).toBe(1);
    await takenOver(at, shell, terminal);
    expect(words()).toEqual(before);
  });
  it.each([
    ["a long session", 200, 24],
    ["a session that is shorter than the screen", 2, 24],
    ["a low terminal", 30, 6],
    ["a terminal with no room", 30, 3],
  ])("E2: nothing is printed twice or left over: %s", async (_, n, rows) => {
    const at = await told(n);
    const [quick, plain] = [fakeTerminal(60, rows), fakeTerminal(60, rows)];
    const shell = booted(quick);
    showLastWords(shell, at, plainTheme);
    const shown = await takenOver(at, shell, quick);
    expect(shown).toEqual(await takenOver(at, booted(plain), plain));
    expect(shown.filter((row) => row.includes(`said ${n - 1}`)).length).toBe(1);
  });
});
