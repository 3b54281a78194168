import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import {
  accessSync,
  chmodSync,
  constants,
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";

const project = resolve(import.meta.dirname, "../..");

/** What a session is made of. */
const NEEDED = [
  "zod",
  "execa",
  "ignore",
  "diff",
  "node-diff3",
  "fast-glob",
  "picomatch",
  "unbash",
  "iconv-lite",
  "jschardet",
  "fast-check",
];

export interface Account {
  name: string;
  uid: number;
  gid: number;
}

/** An account of a person on this machine, or ourselves where we are no root; undefined where there is none. */
export function ordinaryUser(): Account | undefined {
  const own = process.getuid?.() ?? 0;
  if (own !== 0) return { name: String(own), uid: own, gid: process.getgid?.() ?? own };
  const lines = execFileSync("getent", ["passwd"], { encoding: "utf8" }).split("\n");
  return lines
    .map((line) => line.split(":"))
    .map(([name = "", , uid, gid]) => ({ name, uid: Number(uid), gid: Number(gid) }))
    .find((account) => account.uid >= 1000 && account.uid < 60_000);
}

/** The project as that user can read it: itself, or a copy of the parts that the sandbox needs. */
export function readableProject(account: Account): { dir: string; node: string; remove: () => void } {
  const reads = (path: string): boolean => {
    try {
      execFileSync("test", ["-r", path], { uid: account.uid, gid: account.gid, cwd: "/" });
      return true;
    } catch {
      return false;
    }
  };
  const node = process.execPath;
  if ([join(project, "src/sandbox/open.ts"), join(project, "node_modules/zod/package.json"), node].every(reads)) {
    return { dir: project, node, remove: () => {} };
  }
  const dir = mkdtempSync(join(tmpdir(), "understudy-readable-"));
  for (const part of ["src", "test/support", "package.json"])
    cpSync(join(project, part), join(dir, part), { recursive: true });
  for (const name of closure(NEEDED)) {
    cpSync(join(project, "node_modules", name), join(dir, "node_modules", name), { recursive: true });
  }
  copyFileSync(node, join(dir, "node"));
  chmodSync(join(dir, "node"), 0o755);
  execFileSync("chmod", ["-R", "a+rX", dir]);
  return { dir, node: join(dir, "node"), remove: () => rmSync(dir, { recursive: true, force: true }) };
}

/** Packages with all they depend on, as installed at the top level. */
function closure(names: readonly string[]): Set<string> {
  const found = new Set<string>();
  const stack = [...names];
  for (let name = stack.pop(); name !== undefined; name = stack.pop()) {
    if (found.has(name)) continue;
    try {
      accessSync(join(project, "node_modules", name, "package.json"), constants.R_OK);
    } catch {
      continue;
    }
    found.add(name);
    const { dependencies = {} } = JSON.parse(
      readFileSync(join(project, "node_modules", name, "package.json"), "utf8"),
    ) as { dependencies?: Record<string, string> };
    stack.push(...Object.keys(dependencies));
  }
  return found;
}

/** Starts a script of test/support as that user, with our counts (`deep`) and a scratch folder of its own as TMPDIR. */
export function startAs(
  account: Account,
  script: string,
  args: readonly string[],
): { child: ChildProcess; tmp: string; remove: () => void } {
  const readable = readableProject(account);
  const tmp = mkdtempSync(join(tmpdir(), "understudy-user-"));
  execFileSync("chown", [`${account.uid}:${account.gid}`, tmp]);
  mkdirSync(dirname(tmp), { recursive: true });
  const root = process.getuid?.() === 0 && account.uid !== 0;
  const child = spawn(readable.node, [join(readable.dir, "test/support", script), ...args], {
    cwd: "/",
    env: { PATH: process.env["PATH"], DEEP: process.env["DEEP"], TMPDIR: tmp, HOME: tmp },
    stdio: ["ignore", "pipe", "pipe"],
    ...(root ? { uid: account.uid, gid: account.gid } : {}),
  });
  const remove = (): void => {
    readable.remove();
    rmSync(tmp, { recursive: true, force: true });
  };
  return { child, tmp, remove };
}
