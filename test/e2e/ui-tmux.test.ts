import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bundle } from "../support/bundle.ts";
import { deepRuns } from "../support/deep.ts";
import { missingTool, needs } from "../support/runnable.ts";

let built: Awaited<ReturnType<typeof bundle>>;
let sockets: string;
beforeAll(async () => {
  built = await bundle("fake-repl.ts");
  sockets = mkdtempSync(join(tmpdir(), "understudy-tmux-"));
}, 120_000);
afterAll(() => {
  built.remove();
  rmSync(sockets, { recursive: true, force: true });
});

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
/** A tmux server of its own with one window of 80 × 24, in which `command` runs. */
function tmux(command: string) {
  const run = (...args: string[]) =>
    execFileSync("tmux", ["-S", join(sockets, "s"), "-f", "/dev/null", ...args], {
      encoding: "utf8",
      env: { PATH: process.env["PATH"] ?? "", HOME: sockets, LANG: "C.UTF-8", TERM: "xterm-256color" },
    });
  run("new-session", "-d", "-x", "80", "-y", "24", command);
  const screen = () => run("capture-pane", "-p").split("\n");
  return {
    type: (text: string) => void run("send-keys", "-l", text),
    press: (key: string) => void run("send-keys", key),
    resize: (cols: number, rows: number) => void run("resize-window", "-x", String(cols), "-y", String(rows)),
    screen,
    lines: () => run("capture-pane", "-p", "-J", "-S", "-").split("\n"),
    async waitFor(what: RegExp) {
      const until = Date.now() + 30_000;
      while (!what.test(screen().join("\n"))) {
        if (Date.now() > until) throw new Error(`${what} was not shown:\n${screen().join("\n")}`);
        await pause(40);
      }
    },
    close: () => void run("kill-server"),
  };
}

const STATUS = /^ask mode( ·|$)/;
const WORDS = 240;
const sizes = fc.array(fc.tuple(fc.integer({ min: 20, max: 140 }), fc.integer({ min: 6, max: 45 })), {
  minLength: 2,
  maxLength: 6,
});

describe("in tmux", () => {
  it(
    "TUI-B9: an answer streams while the window is resized: no word lost, at most one screenful twice, one status row, one composer",
    { timeout: 900_000 },
    async (ctx) => {
      needs(ctx, missingTool("tmux"));
      await fc.assert(
        fc.asyncProperty(sizes, async (list) => {
          const pane = tmux(`${process.execPath} ${built.file}`);
          try {
            await pane.waitFor(/what shall be done/);
            pane.type(`stream ${WORDS} 5`);
            pane.press("Enter");
            await pane.waitFor(/w5 /);
            let screenful = 0;
            for (const [cols, rows] of list) {
              screenful = Math.max(
                screenful,
                pane
                  .screen()
                  .join(" ")
                  .match(/\bw\d+\b/g)?.length ?? 0,
              );
              pane.resize(cols, rows);
              await pause(150);
            }
            pane.resize(110, 40);
            await pane.waitFor(/what shall be done/);
            const lines = pane.lines();
            const words = lines.flatMap((l) => l.match(/\bw\d+\b/g) ?? []);
            const lost = Array.from({ length: WORDS }, (_, n) => `w${n}`).filter((w) => !words.includes(w));
            const more = words.length - new Set(words).size;
            expect({ lost, more: Math.max(0, more - Math.max(screenful, 60)) }).toEqual({ lost: [], more: 0 });
            expect(lines.filter((l) => STATUS.test(l)).length).toBe(1);
            expect(lines.filter((l) => l.startsWith("› wr") || l.startsWith("› what")).length).toBe(1);
          } finally {
            pane.close();
          }
        }),
        deepRuns(2, 40),
      );
    },
  );
});
