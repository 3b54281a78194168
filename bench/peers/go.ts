import { spawn } from "node:child_process";
import { otherWork } from "./same-work.ts";
import { jobOf, type Ready } from "./place.ts";
import type { Work } from "./script.ts";
import type { Seen, Server } from "./server.ts";
import { openTree, pssMib } from "./tree.ts";

const GIVE_UP_MS = 120_000;
/** Looks at memory are this far apart: what comes and goes in between isn't seen. */
const LOOK_MS = 25;

export interface Ended {
  wallMs: number;
  /** Of the whole tree; NaN where the machine doesn't tell. */
  cpuMs: number;
  /** The most memory at one time, in MiB; NaN unless it was watched. */
  peakMib: number;
  out: string;
}

/** Runs a command line to its end. `watch`: looks at its memory meanwhile, which takes time of the machine's. Throws when it fails. */
export async function ended(ready: Ready, args: readonly string[], { watch = false } = {}): Promise<Ended> {
  const tree = openTree();
  const [file = "", ...words] = [...(tree?.enter ?? []), ...ready.command, ...args];
  const began = performance.now();
  const child = spawn(file, words, { cwd: ready.place.folder, env: ready.env, stdio: ["ignore", "pipe", "pipe"] });
  let [out, err, peakMib] = ["", "", Number.NaN];
  child.stdout.setEncoding("utf8").on("data", (text: string) => (out += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (err += text));
  const look = () => {
    const now = pssMib(tree?.pids() ?? [child.pid ?? 0]);
    peakMib = Number.isNaN(peakMib) ? now : Math.max(peakMib, now);
  };
  const looks = watch ? setInterval(look, LOOK_MS) : undefined;
  const late = setTimeout(() => child.kill("SIGKILL"), GIVE_UP_MS);
  try {
    const code = await new Promise<number | null>((resolve, reject) => {
      child.on("error", reject);
      child.on("exit", resolve);
    });
    const wallMs = performance.now() - began;
    const cpuMs = tree?.cpuMs() ?? Number.NaN;
    if (code !== 0) throw new Error(`${args.join(" ")} ended with ${code}: ${lastWords(err || out)}`);
    return { wallMs, cpuMs, peakMib, out };
  } finally {
    clearInterval(looks);
    clearTimeout(late);
    await tree?.close();
  }
}

/** One prompt without a screen, with the work that the server gives. Throws when another work was done: then the times are none. */
export async function printed(
  ready: Ready,
  server: Server,
  work: Work,
  options: { watch?: boolean } = {},
): Promise<Ended & { log: Seen[] }> {
  const { print } = ready.program;
  if (print === undefined) throw new Error("it takes no prompt without a screen");
  await server.give(jobOf(ready, work));
  const done = await ended(ready, print("Read the files."), options);
  const log = await server.log();
  const other = otherWork(work, log);
  if (other !== undefined) throw new Error(`other work: ${other}`);
  return { ...done, log };
}

function lastWords(text: string): string {
  return text.trim().split("\n").slice(-3).join(" ").slice(-300);
}
