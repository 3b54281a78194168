import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { type CopyParts, runInCopy } from "../../src/sandbox/copy.ts";
import { Clones } from "../../src/sandbox/clones.ts";
import { Pipes } from "../../src/sandbox/pipes.ts";
import { probe } from "../../src/sandbox/probe.ts";
import { findPrograms, type Programs } from "../../src/sandbox/programs.ts";
import type { SandboxKind, ShellCommand } from "../../src/sandbox/sandbox.ts";
import { Hidden } from "../../src/sandbox/hidden-cover.ts";
import { HomeMounts } from "../../src/sandbox/home-mounts.ts";
import { systemPlaced } from "../../src/sandbox/system.ts";
import { systemClock } from "../../src/util/system.ts";
import { ordinaryUser, startAs } from "../support/as-user.ts";
import { missingTool, needs } from "../support/runnable.ts";
import { LIMITS, sandboxBench } from "../support/sandbox-bench.ts";
import { processesWith } from "../support/sandbox-shell.ts";
import { scratch } from "../support/scratch.ts";

const root = process.getuid?.() === 0;
const account = ordinaryUser();
const support = resolve(import.meta.dirname, "../support");

async function until(what: () => boolean): Promise<void> {
  for (const end = Date.now() + 20_000; !what();) {
    if (Date.now() > end) throw new Error("it never came");
    await new Promise((done) => setTimeout(done, 20));
  }
}

/** Starts the hanging command, waits until it runs, kills the agent, waits until all of it is gone. */
async function killed(child: ChildProcess, nap: string, kind: SandboxKind): Promise<void> {
  let out = "";
  child.stdout?.on("data", (chunk: Buffer) => (out += chunk.toString("utf8")));
  child.stderr?.on("data", (chunk: Buffer) => (out += chunk.toString("utf8")));
  try {
    await until(() => out.includes("RUNNING") || child.exitCode !== null);
  } catch {
    throw new Error(`not running: ${out}`);
  }
  expect(out).toMatch(new RegExp(`^${kind} `));
  // Two of `sleep`, and whatever names them in its arguments.
  expect(processesWith(nap).length).toBeGreaterThanOrEqual(2);
  child.kill("SIGKILL");
  await until(() => processesWith(nap).length === 0);
}

/** With a socket that has a name in the machine's file system. */
const LISTEN = `perl -MIO::Socket::UNIX -e 'my $s = IO::Socket::UNIX->new(Local => "$ENV{PWD}/held.sock", Listen => 1); sleep 1 while 1' >/dev/null 2>&1 &`;
const hang = (nap: string): string =>
  `trap '' HUP TERM INT; setsid nohup sleep ${nap} & ${LISTEN} sleep 0.2; echo RUNNING; sleep ${nap}`;
/** Mounts and named sockets of the machine that lie below a folder. */
const leftBelow = (dir: string): string[] =>
  ["/proc/self/mountinfo", "/proc/net/unix"].flatMap((file) =>
    readFileSync(file, "utf8")
      .split("\n")
      .filter((line) => line.includes(dir)),
  );
const oddNap = (): string => `${200_000 + process.pid}.${Date.now() % 1_000_000}`;

describe("kill -9 of the agent", () => {
  const kinds: SandboxKind[] = ["overlay-root", "overlay-unshare", "copy-bind"];
  it.for(kinds)("T7: as root on %s: everything of a command is gone, no mount or socket is left", async (kind, ctx) => {
    needs(ctx, root ? missingTool(kind === "overlay-unshare" ? "perl" : "bwrap") : "this user is not root");
    const nap = oddNap();
    const tmp = scratch("hang");
    const args = [join(support, "sandbox-hang.ts"), kind, hang(nap)];
    const child = spawn(process.execPath, args, {
      env: { ...process.env, TMPDIR: tmp },
      stdio: ["ignore", "pipe", "pipe"],
    });
    await killed(child, nap, kind);
    expect(leftBelow(tmp)).toEqual([]);
  });

  it.for<SandboxKind>(["overlay-bwrap", "overlay-unshare", "copy-bind"])(
    "T7: as an ordinary user on %s: everything of a command is gone, no mount or socket is left",
    async (kind, ctx) => {
      needs(ctx, missingTool(kind === "overlay-unshare" ? "perl" : "bwrap"));
      if (account === undefined) return needs(ctx, "there is no ordinary user");
      const nap = oddNap();
      const started = startAs(account, "sandbox-hang.ts", [kind, hang(nap)]);
      onTestFinished(() => started.remove());
      await killed(started.child, nap, kind);
      expect(leftBelow(started.tmp)).toEqual([]);
    },
  );
});

describe("walls that can't be put up", () => {
  const command: ShellCommand = {
    operationId: "op_1",
    command: "echo x > made; rm -f there",
    cwd: "/",
    env: {},
    mode: "auto",
    network: false,
    layers: [],
    limits: LIMITS,
  };
  const breaks: readonly [string, (parts: CopyParts, base: string) => Partial<CopyParts>][] = [
    ["unshare fails", (parts) => ({ programs: { ...parts.programs, unshare: "/bin/false" } })],
    ["unshare is gone", (parts) => ({ programs: { ...parts.programs, unshare: "/nonexistent/unshare" } })],
    ["bubblewrap fails", (parts) => ({ programs: { ...parts.programs, bwrap: "/bin/false" } })],
    ["bubblewrap is gone", (parts) => ({ programs: { ...parts.programs, bwrap: "/nonexistent/bwrap" } })],
    ["perl fails", (parts) => ({ launcher: "stage", programs: { ...parts.programs, perl: "/bin/false" } })],
    ["perl is gone", (parts) => ({ launcher: "stage", programs: { ...parts.programs, perl: "/nonexistent/perl" } })],
    [
      "bash is not inside of the stage",
      (parts) => ({ launcher: "stage", programs: { ...parts.programs, bash: "/no" } }),
    ],
    ["bash is not inside", (parts) => ({ programs: { ...parts.programs, bash: "/nonexistent/bash" } })],
    ["the changes can't be read", (parts) => ({ programs: { ...parts.programs, tar: "/bin/false" } })],
    ["no filter for this machine", () => ({ arch: "mips" })],
    [
      "a root is gone",
      (parts) => ({
        base: {
          ...parts.base,
          options: {
            ...parts.base.options,
            roots: [...parts.base.options.roots, { path: "/nonexistent/root", kind: "added" }],
          },
        },
      }),
    ],
    ["no step folder", () => ({ newStep: () => Promise.reject(new Error("disk full")) })],
    [
      "the step folder is a file",
      (_, base) => ({ newStep: () => Promise.resolve({ stepFolder: join(base, "file"), since: "0" }) }),
    ],
    [
      "a layer is gone",
      (parts) => ({ base: { ...parts.base, options: { ...parts.base.options, resultsDir: "/nonexistent/results" } } }),
    ],
    ["the pipe can't be made", (parts, base) => ({ pipes: new Pipes(join(base, "file", "pipes"), parts.programs) })],
  ];

  it.for(breaks)("SEC-G12: %s: an error, and the folder is as it was", async ([, broken], ctx) => {
    needs(ctx, root ? missingTool("bwrap") : "this user is not root");
    const base = scratch("broken");
    const folder = join(base, "folder");
    mkdirSync(folder);
    writeFileSync(join(folder, "there"), "there");
    mkdirSync(join(folder, "d"));
    writeFileSync(join(base, "file"), "");
    const parts = partsFor(base, folder, findPrograms("", []));
    const run = runInCopy(
      { ...parts, ...broken(parts, base) },
      { ...command, command: "echo x > made; rm -f there; mkdir d/e", cwd: folder },
      new AbortController().signal,
    );
    const ended = (async () => {
      for (;;) if ((await run.next()).done === true) return;
    })();
    await expect(ended).rejects.toThrow();
    expect(readdirSync(folder)).toEqual(["d", "there"]);
    expect(readdirSync(join(folder, "d"))).toEqual([]);
  });

  it("SEC-G12: a trial that works differently than it should refuses the backend", async (ctx) => {
    needs(ctx, root ? missingTool("bwrap") : "this user is not root");
    const base = scratch("probe");
    const folder = join(base, "folder");
    mkdirSync(folder);
    const parts = partsFor(base, folder, findPrograms("", []));
    await expect(probe(parts)).resolves.toBeUndefined();
    // Nothing to read marks by: a folder made anew would be read as if nothing were deleted.
    const blind = { ...parts, programs: { ...parts.programs, tar: "/bin/true" } };
    await expect(probe(blind)).resolves.toContain("can't be read");
    expect(readdirSync(join(base, "state", "probe"))).toEqual([]);
  });

  function partsFor(base: string, folder: string, programs: Programs): CopyParts {
    const dir = (name: string): string => join(base, "state", name);
    for (const name of ["home", "results", "steps"]) mkdirSync(dir(name), { recursive: true });
    const options = {
      roots: [{ path: folder, kind: "folder" as const }],
      homeDir: dir("home"),
      personHome: join(base, "person"),
      stateDir: dir(""),
      resultsDir: dir("results"),
      env: {},
      uid: 0,
      gid: 0,
    };
    return {
      kind: "overlay-root",
      launcher: "bwrap",
      base: {
        options,
        system: systemPlaced(),
        uppers: "step",
        root: true,
        caches: true,
        busy: new Set(),
        home: new HomeMounts(options),
        hidden: new Hidden(options),
      },
      clones: new Clones(options, programs),
      keepClones: true,
      programs,
      pipes: new Pipes(dir("pipes"), programs),
      clock: systemClock,
      arch: process.arch,
      newStep: (id) => {
        mkdirSync(join(dir("steps"), id));
        return Promise.resolve({ stepFolder: join(dir("steps"), id), since: "0" });
      },
    };
  }
});

describe("no walls at all", () => {
  it("P10: says why, runs in the folder itself, ends what it started, refuses plan mode", async () => {
    const bench = await sandboxBench({ only: ["none"] });
    onTestFinished(() => bench.close());
    expect(bench.sandbox).toMatchObject({ kind: "none", contained: false });
    const nap = oddNap();
    const ran = await bench.run(`echo x > f; cd /; export A=1; setsid nohup sleep ${nap} & echo done; exit 4`);
    expect(ran).toMatchObject({ code: 4, reason: "exit", cwd: "/", env: { A: "1" } });
    expect(ran.output).toBe("done\n");
    expect(ran.changes).toBeUndefined();
    expect(readdirSync(bench.folder)).toEqual(["f"]);
    expect(processesWith(nap)).toEqual([]);
    await expect(bench.run("echo x > g", { mode: "plan" })).rejects.toThrow("plan mode");
    expect(readdirSync(bench.folder)).toEqual(["f"]);
  });

  it("P10: root of a user namespace (a container without its own overlay): one clear line for each overlay, then a clone", (ctx) => {
    needs(ctx, root ? missingTool("bwrap") : "this user is not root");
    const opened = (only: string): [string, boolean, string[], string] => {
      const script = `const { sandboxBench } = await import(${JSON.stringify(join(support, "sandbox-bench.ts"))}); const b = await sandboxBench(${only}); const r = b.sandbox.contained ? await b.run("echo x > f; touch /usr/x") : undefined; console.log(JSON.stringify([b.sandbox.kind, b.sandbox.contained, b.sandbox.why, r?.output ?? ""])); await b.close();`;
      const args = ["-Ur", process.execPath, "--input-type=module", "-e", script];
      return JSON.parse(execFileSync("unshare", args, { encoding: "utf8", env: process.env })) as ReturnType<
        typeof opened
      >;
    };
    const [kind, contained, why, output] = opened("");
    expect([kind, contained]).toEqual(["copy-bind", true]);
    expect(output).toContain("Read-only file system");
    for (const each of ["overlay-root: ", "overlay-unshare: "]) expect(why.some((l) => l.startsWith(each))).toBe(true);
    for (const line of why) expect(line).toMatch(/^[a-z-]+( in memory)?: [^\n]{5,400}$/);
    expect(opened('{ only: ["overlay-root"] }').slice(0, 2)).toEqual(["none", false]);
  });

  it("W7: without perl and bubblewrap nothing has a filter, so commands ask first, and it says why", async () => {
    const bench = await sandboxBench({ without: ["bwrap", "perl"] });
    onTestFinished(() => bench.close());
    expect(bench.sandbox).toMatchObject({ kind: "none", contained: false });
    for (const words of ["bubblewrap is not installed", "perl is not installed"])
      expect(bench.sandbox.why.join()).toContain(words);
  });
});

describe("a state folder whose file system takes no upper layer", () => {
  it("SANDBOX-2: on an overlay the layers lie in memory for the time of the command, and nothing stays there", async (ctx) => {
    needs(ctx, root ? missingTool("bwrap") : "this user is not root");
    const base = scratch("state");
    for (const name of ["l", "u", "w", "m"]) mkdirSync(join(base, name));
    execFileSync("mount", [
      "-t",
      "overlay",
      "overlay",
      "-o",
      `lowerdir=${base}/l,upperdir=${base}/u,workdir=${base}/w`,
      join(base, "m"),
    ]);
    onTestFinished(() => void execFileSync("umount", [join(base, "m")]));
    const stateDir = join(base, "m", "state");
    const bench = await sandboxBench({
      stateDir,
      prepare: (folder) => {
        mkdirSync(join(folder, "d"));
        for (const name of ["a", "d/x"]) writeFileSync(join(folder, name), name);
      },
    });
    onTestFinished(() => bench.close());
    expect([bench.sandbox.kind, bench.sandbox.contained]).toEqual(["overlay-root", true]);
    expect(bench.sandbox.why.join()).toMatch(/^overlay-root: /);
    const ran = await bench.run(
      "echo b >> a; rm -r d; mkdir d; echo y > d/y; mkfifo p; ln -s a l; chmod 000 a; mkdir -m 000 z",
    );
    const said = ran.changes?.changes.map((c) => `${c.op} ${c.path}`).toSorted();
    expect(said).toEqual(["create d/y", "create l", "create p", "create z", "delete d/x", "modify a"]);
    const upper = join(stateDir, "steps", "op_1", "u0");
    expect(lstatSync(upper).isDirectory()).toBe(true);
    expect(readdirSync(upper).toSorted()).toEqual(["a", "d", "l", "p", "z"]);
    const after = ran.changes?.changes.find((c) => c.path === "a")?.after;
    expect(after).toMatchObject({ ino: String(lstatSync(join(upper, "a")).ino), mode: 0, size: 3 });
    expect(readdirSync("/dev/shm/understudy-0").filter((name) => name.startsWith(`${process.pid}-`))).toEqual([]);
  });

  it("SANDBOX-2: on another file system than the folder's it needs no memory", async (ctx) => {
    needs(ctx, root ? missingTool("bwrap") : "this user is not root");
    const stateDir = mkdtempSync("/dev/shm/understudy-test-");
    onTestFinished(() => rmSync(stateDir, { recursive: true, force: true }));
    const bench = await sandboxBench({ stateDir });
    onTestFinished(() => bench.close());
    expect(bench.sandbox).toMatchObject({ kind: "overlay-root", why: [] });
    const ran = await bench.run("echo 1 > f");
    expect(ran.changes?.changes.map((c) => c.path)).toEqual(["f"]);
  });
});
