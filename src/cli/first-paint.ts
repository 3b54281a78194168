import { writeSync } from "node:fs";
import type { Boot } from "../ui/boot.ts";
import { systemClock } from "../util/system.ts";
import type { RunOptions } from "./args.ts";
import type { Env } from "./environment.ts";

/** What was painted first, until the screen takes it over. */
export interface Shell {
  boot: Boot;
  /** The terminal went away: as if the person left. Set by who takes over. */
  onGone(leave: () => void): void;
  /** Gives the terminal back, when something must be said or asked without the screen. */
  give(): void;
}

/**
 * Paints the composer before anything heavy is loaded, keys are echoed and kept (IN-18). undefined where a plain terminal is needed first: lines
 * instead of a screen, the picker, a machine without a key.
 */
export async function firstPaint(options: RunOptions, env: Env): Promise<Shell | undefined> {
  const named =
    options.model !== undefined ||
    ["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_BASE_URL"].some((name) => (env[name] ?? "") !== "");
  if (isPlain(options, env) || options.resume === "" || !named) return undefined;
  const { boot } = await import("../ui/boot.ts");
  let leave = () => process.exit(0);
  const painted = boot({
    stdin: process.stdin,
    stdout: process.stdout,
    clock: systemClock,
    writeSync: (data) => void writeSync(process.stdout.fd, data),
    status: options.mode === undefined ? "starting" : `${options.mode} mode`,
    onGone: () => leave(),
    onInterrupt: () => process.exit(130),
  });
  let given = false;
  return {
    boot: painted,
    onGone: (then) => (leave = then as () => never),
    give() {
      if (given) return;
      given = true;
      painted.reader.close();
      painted.out.close();
      painted.modes.restoreSync();
    },
  };
}

/** Lines instead of a screen (N-4). */
export function isPlain(options: RunOptions, env: Env): boolean {
  return options.plain || env["TERM"] === "dumb" || env["UNDERSTUDY_SCREEN_READER"] === "1";
}
