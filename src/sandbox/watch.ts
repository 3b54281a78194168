import { existsSync, lstatSync, readdirSync, realpathSync } from "node:fs";
import type { Clock } from "../util/deps.ts";
import { rawBytes, type RawPath } from "../util/bytes.ts";
import { breathe } from "../workspace/fingerprint.ts";
import { countBelow, memoryBelow } from "./gone.ts";
import { HeldFolder } from "./group-path.ts";
import { freeBytes } from "./place.ts";

const EVERY_MS = 500;
const PROCESSES_EVERY_MS = 100;
const MEMORY_EVERY_MS = 200;
/** The disk is never filled further than this by a command. */
const FLOOR_BYTES = 256 << 20;

export interface Watched {
  clock: Clock;
  /** What the command writes into, absolute: upper layers, or clones of the roots. */
  uppers: readonly string[];
  /** What lay in them before. */
  bytesBefore: number;
  layerMb: number;
  memoryMb: number;
  /** The command's first process, once there is one. */
  first(): number | undefined;
  /** Set where the kernel doesn't limit processes by itself (real root). */
  processes?: number;
}

/** Resolves with what was exceeded, or with undefined when `stop` is aborted. Polls: a layer has no quota of its own. */
export async function watchLimits(watched: Watched, stop: AbortSignal): Promise<string | undefined> {
  return Promise.race([watchLayer(watched, stop), watchMemory(watched, stop), watchProcesses(watched, stop)]);
}

async function watchLayer(watched: Watched, stop: AbortSignal): Promise<string | undefined> {
  const { clock, uppers, layerMb, bytesBefore } = watched;
  const enough = bytesBefore + layerMb * 2 ** 20;
  for (let pause = EVERY_MS; ;) {
    await clock.sleep(pause, stop);
    if (stop.aborted) return undefined;
    const began = clock.now();
    let bytes = 0;
    for (const upper of uppers) bytes += await layerBytes(upper, enough);
    if (bytes > enough) return `it wrote more than ${layerMb} MB into the copy`;
    if (uppers.some((upper) => freeBytes(upper) < FLOOR_BYTES)) return "the disk is nearly full";
    // A large layer takes a while to walk: never more than a small part of the time.
    pause = Math.max(EVERY_MS, (clock.now() - began) * 20);
  }
}

async function watchProcesses(watched: Watched, stop: AbortSignal): Promise<string | undefined> {
  const { clock, processes } = watched;
  for (;;) {
    await clock.sleep(processes === undefined ? 2 ** 30 : PROCESSES_EVERY_MS, stop);
    if (stop.aborted) return undefined;
    const first = watched.first();
    if (processes === undefined || first === undefined) continue;
    if (countBelow(first, processes + 1) > processes) return `it started more than ${processes} processes`;
  }
}

/** Polls too: a limit of addresses ends every JavaScript and Java engine (SANDBOX H14), and cgroups are not everybody's to make. */
async function watchMemory(watched: Watched, stop: AbortSignal): Promise<string | undefined> {
  const { clock, memoryMb } = watched;
  for (let pause = MEMORY_EVERY_MS; ;) {
    await clock.sleep(pause, stop);
    if (stop.aborted) return undefined;
    const began = clock.now();
    const pid = watched.first();
    if (pid !== undefined && memoryBelow(pid) > memoryMb * 2 ** 20) return `it used more than ${memoryMb} MB of memory`;
    // A look that was slow on a busy machine must not put off the next one for long: memory fills in seconds.
    pause = Math.min(1000, Math.max(MEMORY_EVERY_MS, (clock.now() - began) * 20));
  }
}

/**
 * Bytes that a layer takes on the disk. What vanishes or can't be read meanwhile counts nothing, nor what a link leads to that took
 * the place of a folder.
 */
async function layerBytes(upper: string, enough: number): Promise<number> {
  let [bytes, seen] = [0, 0];
  const stack = existsSync(upper) ? [realpathSync(upper, { encoding: "buffer" }).toString("latin1")] : [];
  for (let folder = stack.pop(); folder !== undefined && bytes <= enough; folder = stack.pop()) {
    const held = heldAt(folder);
    if (held === undefined) continue;
    try {
      for (const entry of readdirSync(rawBytes(held.at), { withFileTypes: true, encoding: "buffer" })) {
        const name = entry.name.toString("latin1");
        if (entry.isDirectory()) stack.push(`${folder}/${name}`);
        else if (entry.isFile()) bytes += lstatSync(rawBytes(`${held.at}/${name}`)).blocks * 512;
        if (++seen % 500 === 0) await breathe();
      }
    } catch {
      continue;
    } finally {
      held.close();
    }
  }
  return bytes;
}

/** A folder by way of a descriptor, where there are paths to those; undefined where it isn't at its path any more. */
function heldAt(folder: RawPath): { at: RawPath; close(): void } | undefined {
  if (!existsSync("/proc/self/fd")) return { at: folder, close: () => undefined };
  try {
    const held = HeldFolder.at(rawBytes(folder));
    if (held.path() === folder) return { at: held.here(), close: () => held.close() };
    held.close();
  } catch {
    // It has gone.
  }
  return undefined;
}
