import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { spawn } from "@lydell/node-pty";
import { emulator } from "../test/support/emulator.ts";
import type { Group } from "./measure.ts";
import { pagerRow } from "./pager.ts";
import { AGENT, placeIn } from "./program.ts";

const GIVE_UP_MS = 20_000;

interface Watch {
  folder: string;
  env: Record<string, string>;
  args: readonly string[];
  /** Sent with the start, before the program can read. */
  typed?: string;
  /** "bytes": the first that the program writes; "end": its exit; else the screen that is waited for. */
  until: "bytes" | "end" | ((screen: readonly string[]) => boolean);
}

/** Starts a program in a pty and gives the milliseconds from spawn to what is waited for; then ends it with SIGTERM. */
export async function watched({ folder, env, args, typed, until }: Watch): Promise<number> {
  const screen = emulator(80, 24);
  const began = performance.now();
  const pty = spawn(process.execPath, [...args], { cols: 80, rows: 24, cwd: folder, env, name: "xterm-256color" });
  const exited = new Promise<void>((resolve) => pty.onExit(() => resolve()));
  const found = new Promise<number>((resolve, reject) => {
    const seen = () => resolve(performance.now() - began);
    const fail = () => reject(new Error(`not seen:\n${screen.screen().join("\n").trimEnd()}`));
    const giveUp = setTimeout(fail, GIVE_UP_MS);
    void exited.then(() => {
      clearTimeout(giveUp);
      if (until === "end") seen();
      else fail();
    });
    const look = () => (typeof until === "function" && until(screen.screen()) ? seen() : undefined);
    pty.onData((data) => {
      if (until === "bytes") seen();
      void screen.write(data).then(look);
    });
  });
  screen.onReply((data) => pty.write(data));
  if (typed !== undefined) pty.write(typed);
  try {
    return await found;
  } finally {
    // A clean end, so that node keeps its compile cache for the next start.
    if (until !== "end") pty.kill("SIGTERM");
    const late = setTimeout(() => pty.kill("SIGKILL"), 5000);
    await exited;
    clearTimeout(late);
    screen.close();
  }
}

/** The start of the screen, on a pseudo-terminal of 80×24. */
export function screenRows(base: string): Group {
  const { folder, env } = placeIn(base);
  const script = join(base, "script.json");
  writeFileSync(script, JSON.stringify({ turns: [{ text: "hello" }] }));
  const program = { folder, env, args: [AGENT, "--model", `scripted:${script}`] };
  const floor = () => watched({ folder, env, args: ["-e", "0"], until: "end" });
  const floorName = "node -e 0 in a pty";
  const composer = (row: string) => row.startsWith("›");
  return {
    rows: [
      pagerRow(),
      { name: "first bytes", floorName, floor, run: () => watched({ ...program, until: "bytes" }) },
      { name: "composer", floorName, floor, run: () => watched({ ...program, until: (rows) => rows.some(composer) }) },
      {
        name: "main screen",
        floorName,
        floor,
        run: () => watched({ ...program, until: (rows) => rows.some((row) => row.startsWith("Understudy")) }),
      },
      {
        name: "typed key echoed",
        floorName,
        floor,
        run: () => watched({ ...program, typed: "x", until: (rows) => rows.some((row) => row.startsWith("› x")) }),
      },
    ],
    close: () => undefined,
  };
}
