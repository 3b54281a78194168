import { spawnSync } from "node:child_process";
import { chmodSync, lstatSync, mkdirSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Root } from "../../src/events/event.ts";
import { findPrograms } from "../../src/sandbox/programs.ts";
import { scan, type ScanOptions } from "../../src/sandbox/scan.ts";
import type { ChangeSet, Fingerprint } from "../../src/workspace/change.ts";
import { scratch } from "./scratch.ts";

/** GNU tar of this machine; "" where there is none. */
export const TAR: string = findPrograms("", []).tar ?? "";

/** Something done to a folder. */
export type Act = (dir: string) => void;

export const file =
  (path: string, text: string | Uint8Array = path, mode = 0o644): Act =>
  (dir) => {
    mkdirSync(join(dir, path, ".."), { recursive: true });
    writeFileSync(join(dir, path), text);
    chmodSync(join(dir, path), mode);
  };
export const folder =
  (path: string, mode = 0o755): Act =>
  (dir) => {
    mkdirSync(join(dir, path), { recursive: true });
    chmodSync(join(dir, path), mode);
  };
export const link =
  (path: string, target: string): Act =>
  (dir) => {
    mkdirSync(join(dir, path, ".."), { recursive: true });
    symlinkSync(target, join(dir, path));
  };
export const touched =
  (path: string): Act =>
  (dir) =>
    utimesSync(join(dir, path), 1, 1);

function run(name: string, args: string[], input?: Buffer): void {
  const done = spawnSync(name, args, { encoding: "utf8", ...(input === undefined ? {} : { input }) });
  if (done.status !== 0) throw new Error(`${name}: ${done.error?.message ?? done.stderr}`);
}

/** A special file as `mknod` makes it; `c 0 0` is a whiteout. */
export const node =
  (path: string, ...kind: string[]): Act =>
  (dir) => {
    mkdirSync(join(dir, path, ".."), { recursive: true });
    run("mknod", [join(dir, path), ...kind]);
  };
export const whiteout = (path: string): Act => node(path, "c", "0", "0");

/** A member of a tar archive, whole blocks. */
export function member(name: string, type: string, content = "", size = content.length.toString(8)): Buffer {
  const head = Buffer.alloc(512);
  head.write(name, 0);
  head.write("0000755\0" + "0000000\0" + "0000000\0", 100);
  head.write(`${size.padStart(11, "0")}\0`, 124);
  head.write("00000000000\0" + "        ", 136);
  head.write(`${type}`, 156);
  head.write("ustar\0" + "00", 257);
  const sum = head.reduce((all, byte) => all + byte, 0);
  head.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
  const body = Buffer.alloc(Math.ceil(content.length / 512) * 512);
  body.write(content, "latin1");
  return Buffer.concat([head, body]);
}

/** A record of an extended header. */
export function record(text: string): string {
  let length = text.length + 3;
  while (`${length} ${text}\n`.length !== length) length += 1;
  return `${length} ${text}\n`;
}

/** Overlay's mark on a folder of a layer, as a mount by root or by a user sets it. */
export const opaque =
  (path: string, kind: "trusted" | "user" = "trusted", value = "y"): Act =>
  (dir) => {
    folder(path)(dir);
    const header = member("x", "x", record(`SCHILY.xattr.${kind}.overlay.opaque=${value}`));
    const archive = Buffer.concat([header, member(`${path}/`, "5"), Buffer.alloc(1024)]);
    run(TAR, ["-x", "-C", dir, "--xattrs", `--xattrs-include=${kind}.*`, "-f", "-"], archive);
  };

let missing: string | undefined | null = null;

/** Why a layer of a mount by root can't be built here, or undefined. */
export function missingLayer(): string | undefined {
  if (missing !== null) return missing;
  const dir = scratch();
  try {
    whiteout("w")(dir);
    opaque("o")(dir);
    missing = undefined;
  } catch (error) {
    missing = `no whiteouts or marks: ${error instanceof Error ? error.message : String(error)}`;
  }
  return missing;
}

export interface Layers {
  /** The person's folder. */
  lower: readonly Act[];
  /** Kept layers under the step, oldest first. */
  kept?: readonly (readonly Act[])[];
  upper: readonly Act[];
  options?: Partial<ScanOptions>;
  /** When the step began: before all of it, or as is said of the person's folder (ns). */
  since?: (at: string) => bigint;
}

/** What a step of these layers would change. */
export async function scanned({ lower, kept = [], upper, options = {}, since }: Layers) {
  const dir = scratch();
  const build = (name: string, acts: readonly Act[]): string => {
    mkdirSync(join(dir, name), { recursive: true });
    for (const act of acts) act(join(dir, name));
    return join(dir, name);
  };
  const at = build("work", lower);
  const layers = kept.map((acts, n) => join(build(`kept${n}/u0`, acts), ".."));
  const stepFolder = join(build("step/u0", upper), "..");
  const roots: Root[] = [{ path: at, kind: "folder" }];
  const began = since?.(at) ?? lstatSync(stepFolder, { bigint: true }).ctimeNs + 1_000_000_000n;
  const of = { operationId: "op_1", stepFolder, since: String(began), roots, layers, tar: TAR, root: true };
  const set = await scan({ ...of, ...options });
  return { set, at, stepFolder, lines: told(set) };
}

/** `op path type mode > type mode`, with a folder's files and bytes, lateness and the other half of a rename. */
export function told(set: ChangeSet): string[] {
  const side = (print: Fingerprint | undefined): string =>
    print === undefined
      ? "-"
      : `${print.type} ${print.mode.toString(8)}${print.target === undefined ? "" : ` to ${print.target}`}`;
  return set.changes.map(({ op, path, before, after, tree, late, pair }) => {
    const more = [
      tree === undefined ? "" : ` (${tree.files} files, ${tree.bytes} bytes)`,
      late === true ? " late" : "",
      pair === undefined ? "" : ` pair ${pair}`,
    ];
    return `${op} ${path}: ${side(before)} > ${side(after)}${more.join("")}`;
  });
}
