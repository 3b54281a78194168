import { join } from "node:path";
import { isBelow } from "../workspace/roots.ts";

/** What a command on macOS may touch; real paths all of them. */
export interface MacWalls {
  /** The person's own folders, which the copies stand for. */
  roots: readonly string[];
  copies: readonly string[];
  /** Entries of the copies that only stand for something. */
  fixed: readonly string[];
  /** Stand-ins in the copies for what a rule hides. */
  closed: readonly string[];
  home: string;
  tmp: string;
  /** The wrapper's files; only the state is written. */
  shell: string;
  results: string;
  personHome: string;
  /** Tool folders of the person's home. */
  tools: readonly string[];
  /** The program's own folders. */
  own: readonly string[];
  /** In plan mode the copies are read-only. */
  plan: boolean;
  network: boolean;
}

/** A string of the profile language. */
export function quoted(path: string): string {
  return `"${path.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;
}

const subpaths = (paths: readonly string[]): string => paths.map((path) => ` (subpath ${quoted(path)})`).join("");

/** Services by which a command would act outside of its walls: keys, other programs, jobs. */
const SERVICES = [
  "com.apple.SecurityServer",
  "com.apple.securityd",
  "com.apple.securityd.xpc",
  "com.apple.secd",
  "com.apple.coreservices.launchservicesd",
  "com.apple.pasteboard.1",
];

/**
 * The profile for `sandbox-exec -p`. Of rules that apply the last one counts, so each pair goes from the wider to the
 * narrower. Untested: nobody ran it yet.
 */
export function macProfile(walls: MacWalls): string {
  const writable = [...(walls.plan ? [] : walls.copies), walls.home, walls.tmp];
  const network = walls.network
    ? []
    : ["(deny network*)", '(allow network* (local ip "localhost:*") (remote ip "localhost:*"))'];
  // What lies above the copies in the program's own folders must be passed through.
  const shown = [...walls.copies, walls.home, walls.tmp, walls.shell, walls.results];
  const hidden = [walls.personHome, ...walls.roots, ...walls.own];
  return [
    "(version 1)",
    "(allow default)",
    `(deny file-read* file-write*${subpaths(hidden)})`,
    `(allow file-read-metadata${subpaths(hidden)})`,
    `(allow file-read*${subpaths(walls.tools)})`,
    `(allow file-read*${subpaths(shown)})`,
    "(deny file-write*)",
    `(allow file-write*${subpaths(writable)} (literal ${quoted(join(walls.shell, "state"))})`,
    '  (literal "/dev/null") (literal "/dev/zero") (literal "/dev/dtracehelper"))',
    ...(walls.fixed.length === 0 ? [] : [`(deny file-write*${subpaths(walls.fixed)})`]),
    ...(walls.closed.length === 0 ? [] : [`(deny file-read-data file-write*${subpaths(walls.closed)})`]),
    ...network,
    "(deny signal)",
    "(allow signal (target same-sandbox))",
    "(deny appleevent-send)",
    "(deny job-creation)",
    `(deny mach-lookup${SERVICES.map((name) => ` (global-name ${quoted(name)})`).join("")})`,
    "",
  ].join("\n");
}

/** Paths of the roots and of the copies, both ways. */
export class PathMap {
  readonly #pairs: readonly { real: string; copy: string }[];

  constructor(roots: readonly string[], copies: readonly string[]) {
    this.#pairs = roots.map((real, n) => ({ real, copy: copies[n] ?? real }));
  }

  get copies(): readonly string[] {
    return this.#pairs.map(({ copy }) => copy);
  }

  /** A path of the person's, as the command sees it. */
  inside(path: string): string {
    return moved(
      path,
      this.#pairs.map(({ real, copy }) => [real, copy] as const),
    );
  }

  /** A path that the command came to, as the person knows it. */
  outside(path: string): string {
    return moved(
      path,
      this.#pairs.map(({ real, copy }) => [copy, real] as const),
    );
  }

  /** The same in any text; bytes as latin1 will do. `encode`: paths as they stand in the text. */
  outsideIn(text: string, encode: (path: string) => string = (path) => path): string {
    const longest = this.#pairs.toSorted((a, b) => b.copy.length - a.copy.length);
    return longest.reduce((out, { real, copy }) => replaced(out, encode(copy), encode(real)), text);
  }
}

function moved(path: string, pairs: readonly (readonly [from: string, to: string])[]): string {
  const pair = pairs.toSorted((a, b) => b[0].length - a[0].length).find(([from]) => isBelow(from, path));
  return pair === undefined ? path : pair[1] + path.slice(pair[0].length);
}

/** Copies are numbered: `…/1` is no beginning of `…/10`. */
function replaced(text: string, from: string, to: string): string {
  let out = "";
  let at = 0;
  for (let found = text.indexOf(from); found >= 0; found = text.indexOf(from, at)) {
    const end = found + from.length;
    out += text.slice(at, found) + (/[0-9]/.test(text[end] ?? "") ? from : to);
    at = end;
  }
  return out + text.slice(at);
}
