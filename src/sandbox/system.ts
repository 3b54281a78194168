import { lstatSync, readdirSync, readlinkSync, realpathSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Placed } from "./plan.ts";

const words = (list: string): string[] => list.split(" ");

/** Shown read-only, by name: what is not listed is not there. */
const SYSTEM = words(
  "/usr /bin /sbin /lib /lib32 /lib64 /libx32 /etc /opt /nix /gnu/store /snap " +
    "/home/linuxbrew/.linuxbrew /run/current-system /sys/devices/system",
);
/** Read-only for everybody; what a user could set there is the copy's own or a watch of the machine's load, and none of a command's business. */
const PROC_SETTINGS = ["/proc/sys", "/proc/pressure"];
/** Read-only as root, who else could change the machine by them (SANDBOX 0.1). */
const PROC_READ = ["/proc/sysrq-trigger", "/proc/irq", "/proc/bus", "/proc/fs"];
/** Nothing in them is a command's business. */
const PROC_HIDDEN = ["/proc/kcore", "/proc/keys", "/proc/timer_list", "/proc/scsi", "/proc/acpi", "/proc/kmsg"];
const ETC_DEPTH = 5;

/** System folders by name, private files of /etc covered. Read once per session. */
export function systemPlaced(): Placed[] {
  const found = SYSTEM.flatMap((at): Placed[] => {
    const stat = lstatSync(at, { throwIfNoEntry: false });
    if (stat?.isSymbolicLink() === true) return [{ kind: "link", at, to: readlinkSync(at) }];
    return stat?.isDirectory() === true ? [{ kind: "read", at, from: at }] : [];
  });
  return [...found, ...privateEtc("/etc", ETC_DEPTH)];
}

/** Folders whose programs a command can start. */
export const VISIBLE = SYSTEM;

/** What not everybody may read in /etc, such as shadow files and keys: root inside would. */
function privateEtc(dir: string, depth: number): Placed[] {
  let names: string[];
  try {
    names = readdirSync(dir);
  } catch {
    return [];
  }
  return names.flatMap((name): Placed[] => {
    const at = join(dir, name);
    const stat = lstatSync(at, { throwIfNoEntry: false });
    if (stat === undefined || stat.isSymbolicLink()) return [];
    if (stat.isDirectory()) {
      if ((stat.mode & 0o5) !== 0o5) return [{ kind: "empty", at, sizeMb: 1 }];
      return depth > 0 ? privateEtc(at, depth - 1) : [];
    }
    return (stat.mode & 0o4) === 0 ? [{ kind: "blank", at }] : [];
  });
}

/** The parts of /proc that are covered, behind `{ kind: "proc" }`: for root many more. */
export function procCovered(root: boolean): Placed[] {
  const there = (at: string): boolean => statSync(at, { throwIfNoEntry: false }) !== undefined;
  const read = [...PROC_SETTINGS, ...(root ? PROC_READ : [])].filter(there);
  return [
    ...read.map((at): Placed => ({ kind: "read", at, from: at })),
    ...(root ? PROC_HIDDEN : [])
      .filter(there)
      .map((at): Placed => (statSync(at).isDirectory() ? { kind: "empty", at, sizeMb: 1 } : { kind: "blank", at })),
  ];
}

/** With the machine's network: the name server file where /etc only links to it below /run. */
export function resolverPlaced(): Placed[] {
  try {
    const real = realpathSync("/etc/resolv.conf");
    return real.startsWith("/run/") ? [{ kind: "read", at: real, from: real }] : [];
  } catch {
    return [];
  }
}
