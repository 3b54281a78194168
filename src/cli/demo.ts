import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { removeTree } from "../sandbox/remove.ts";
import type { RunOptions } from "./args.ts";

/** What the person would have typed to start the tour. */
export const FIRST = "Show me around these notes.";

/** Where the tour takes place: all of it is temporary. */
export interface DemoPlace {
  folder: string;
  dirs: { config: string; state: string };
}

/**
 * `agent demo` (M3): the guided tour on a temporary copy of the bundled notes, with settings and state of its own, so that nothing of the
 * person's is read or written. On a terminal the screen opens, without one it plays as plain lines. Gives the exit code.
 */
export async function demo(version: string): Promise<number> {
  const base = mkdtempSync(join(tmpdir(), "understudy-demo-"));
  const place = { folder: join(base, "notes"), dirs: { config: join(base, "config"), state: join(base, "state") } };
  // A hard exit (the second Ctrl-C) passes by the `finally` below.
  const removeNow = () => rmSync(base, { recursive: true, force: true });
  process.once("exit", removeNow);
  try {
    copyNotes(place.folder);
    if (process.stdin.isTTY && process.stdout.isTTY) {
      const { runScreen } = await import("./run-screen.ts");
      return await runScreen(demoOptions(), version, { at: place.folder, dirs: place.dirs });
    }
    return await (await import("./demo-plain.ts")).playPlain(demoOptions(), version, place);
  } finally {
    await removeTree(base);
    process.off("exit", removeNow);
  }
}

/** The tour on the current folder, which is trusted (M3). Whatever rules allow: it writes only by asking. */
export async function tourHere(version: string): Promise<number> {
  const { runScreen } = await import("./run-screen.ts");
  return runScreen({ ...demoOptions(), ask: ["Edit"], tour: false }, version);
}

function copyNotes(folder: string): void {
  mkdirSync(folder);
  cpSync(notesFolder(), folder, { recursive: true });
}

/** The notes lie in the package, which is one folder up from `dist/` and two from `src/cli/`. */
function notesFolder(): string {
  const up = existsSync(new URL("../package.json", import.meta.url)) ? "../" : "../../";
  return fileURLToPath(new URL(`${up}fixtures/notes`, import.meta.url));
}

function demoOptions(): RunOptions {
  return {
    prompt: FIRST,
    print: false,
    format: "text",
    inputFormat: "text",
    mode: "ask",
    model: "demo",
    continue: false,
    answers: [],
    addDirs: [],
    allow: [],
    ask: [],
    bypass: false,
    trustFolder: false,
    allowedTools: [],
    disallowedTools: [],
    deny: [],
    strict: false,
    plain: false,
    rehearse: false,
    tour: true,
  };
}
