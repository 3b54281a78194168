import { firstFrame, type FirstFrame } from "../ui/first-frame.ts";
import type { Env } from "../session/environment.ts";

/** The first frame as it was painted for a command line. */
export interface FirstPaint extends FirstFrame {
  status: string;
}

/**
 * Paints the first frame before anything else of the program is loaded, where the command line plainly wants the screen;
 * undefined where it does not, or where more must be known: then the program reads it first. An entry of its own in
 * `dist/`, small on purpose.
 */
export function paintFirst(argv: readonly string[], env: Env): FirstPaint | undefined {
  const mode = plainlyScreen(argv, env);
  if (mode === undefined) return undefined;
  // Not imported: an import of these makes Node load all that they could ever need.
  const [fs, tty] = [process.getBuiltinModule("node:fs"), process.getBuiltinModule("node:tty")];
  if (!tty.isatty(0) || !tty.isatty(1)) return undefined;
  const { stdin, stdout } = process;
  const status = statusOf(mode);
  const first = firstFrame({ stdin, stdout, status, writeSync: (data) => void fs.writeSync(1, data) });
  // Whatever goes wrong before there is a screen: the shell gets a terminal that it can be used in.
  process.once("exit", () => first.modes.restoreSync());
  return { ...first, status };
}

/** What the first frame says below the composer. */
export function statusOf(mode: string | undefined): string {
  return mode === undefined || mode === "" ? "starting" : `${mode} mode`;
}

/** Lines instead of a screen (N-4). */
export function isPlain(options: { plain: boolean }, env: Env): boolean {
  return options.plain || env["TERM"] === "dumb" || env["UNDERSTUDY_SCREEN_READER"] === "1";
}

/** A model can be used: one is named, or there is something to reach one with. Else the first run asks. */
export function isNamed(model: string | undefined, env: Env): boolean {
  const access = ["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_BASE_URL"];
  return model !== undefined || access.some((name) => (env[name] ?? "") !== "");
}

const MODE = /^(?:plan|ask|auto)$/;

/** The mode that argv names, "" where it names none; undefined: not plainly a screen. A few spellings, no more: `parseArgs` knows them all. */
export function plainlyScreen(argv: readonly string[], env: Env): string | undefined {
  let mode = "";
  let model: string | undefined;
  for (let i = 0; i < argv.length; i++) {
    const [word = "", value = ""] = [argv[i], argv[i + 1]];
    const named = value !== "" && !value.startsWith("-");
    // A single word could be a verb.
    if (word === "-c" || word === "--continue" || word === "--tour-without-terminal" || /^[^-].*\s/.test(word))
      continue;
    i++;
    if (word === "--mode" && MODE.test(value)) mode = value;
    else if (word === "--model" && named) model = value;
    else if ((word !== "-r" && word !== "--resume") || !named) return undefined;
  }
  return isPlain({ plain: false }, env) || !isNamed(model, env) ? undefined : mode;
}
