import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { Clones } from "../../../src/sandbox/clones.ts";
import { markedPids } from "../../../src/sandbox/mac-ended.ts";
import { MappedOutput } from "../../../src/sandbox/mac-output.ts";
import { type MacWalls, macProfile, PathMap, quoted } from "../../../src/sandbox/mac-profile.ts";
import { runOnMac } from "../../../src/sandbox/mac-run.ts";
import { openSandbox } from "../../../src/sandbox/open.ts";
import { Pipes } from "../../../src/sandbox/pipes.ts";
import { findPrograms } from "../../../src/sandbox/programs.ts";
import type { SandboxOptions, ShellCommand, ShellExit } from "../../../src/sandbox/sandbox.ts";
import { systemClock } from "../../../src/util/system.ts";
import { scratch } from "../../support/scratch.ts";

const walls: MacWalls = {
  roots: ["/Users/p/work"],
  copies: ["/s/clones/1-a/0"],
  fixed: ["/s/clones/1-a/0/locked"],
  closed: ["/s/clones/1-a/0/.env"],
  home: "/s/home",
  tmp: "/s/tmp-1",
  shell: "/s/step/sh",
  results: "/s/results",
  personHome: "/Users/p",
  tools: ["/Users/p/.cargo/bin"],
  own: ["/s"],
  plan: false,
  network: false,
};

describe("the profile of sandbox-exec (untested on macOS)", () => {
  const lines = macProfile(walls).split("\n");
  const at = (text: string): number => lines.findIndex((line) => line.includes(text));

  it("W7: nothing is written but the copy, HOME, TMPDIR and the wrapper's state", () => {
    const denied = lines.indexOf("(deny file-write*)");
    expect(denied).toBeGreaterThan(0);
    expect(lines.slice(denied + 1, denied + 4)).toEqual([
      '(allow file-write* (subpath "/s/clones/1-a/0") (subpath "/s/home") (subpath "/s/tmp-1") (literal "/s/step/sh/state")',
      '  (literal "/dev/null") (literal "/dev/zero") (literal "/dev/dtracehelper"))',
      '(deny file-write* (subpath "/s/clones/1-a/0/locked"))',
    ]);
  });
  it("P6: what a deny rule for Read hides can be neither read nor written in the copy", () => {
    const hidden = lines.indexOf('(deny file-read-data file-write* (subpath "/s/clones/1-a/0/.env"))');
    expect(hidden).toBeGreaterThan(lines.indexOf("(deny file-write*)"));
    expect(lines.filter((line) => line.includes("(allow file-write*"))).toHaveLength(1);
  });
  it("W7: home, the original folder and the program's own folders are hidden, tools and the copy shown again behind", () => {
    const hidden = at('(deny file-read* file-write* (subpath "/Users/p") (subpath "/Users/p/work") (subpath "/s"))');
    expect(hidden).toBeGreaterThan(0);
    expect(at('(allow file-read* (subpath "/Users/p/.cargo/bin"))')).toBeGreaterThan(hidden);
    expect(at('(allow file-read* (subpath "/s/clones/1-a/0") (subpath "/s/home")')).toBeGreaterThan(hidden);
  });
  it("W7: no network but this machine's own; the whole one only when granted", () => {
    expect(at("(deny network*)")).toBeGreaterThan(0);
    expect(at("(allow network*")).toBe(at("(deny network*)") + 1);
    expect(macProfile({ ...walls, network: true })).not.toContain("network");
  });
  it("P1: in plan mode the copy is not in the list of what may be written", () => {
    const plan = macProfile({ ...walls, plan: true }).split("\n");
    expect(plan.find((line) => line.startsWith("(allow file-write*"))).not.toContain("/s/clones");
  });
  it("W7: names can't break out of their string", () => {
    expect(quoted('/a") (allow file-write*) ("\\')).toBe('"/a\\") (allow file-write*) (\\"\\\\"');
    const hostile = macProfile({ ...walls, roots: ['/a"b'], fixed: [] });
    expect(hostile).toContain('(subpath "/a\\"b")');
    expect(hostile.replaceAll(/"(?:[^"\\]|\\.)*"/g, "").match(/\(/g)).toHaveLength(
      macProfile({ ...walls, fixed: [] })
        .replaceAll(/"(?:[^"\\]|\\.)*"/g, "")
        .match(/\(/g)?.length ?? 0,
    );
  });
});

describe("paths of the copy and of the folder", () => {
  const map = new PathMap(["/p/work", "/p/work2"], ["/s/c/0", "/s/c/10"]);
  it("W7: go in and come back, the deeper one first, and only whole names", () => {
    expect(["/p/work", "/p/work/a", "/p/work2/b", "/p/workshop", "/other"].map((path) => map.inside(path))).toEqual([
      "/s/c/0",
      "/s/c/0/a",
      "/s/c/10/b",
      "/p/workshop",
      "/other",
    ]);
    expect(map.outside("/s/c/10/x/y")).toBe("/p/work2/x/y");
    expect(map.outsideIn("at /s/c/0/a:1, /s/c/10, /s/c/01 and /s/c/0")).toBe(
      "at /p/work/a:1, /p/work2, /s/c/01 and /p/work",
    );
  });
  it("W7: output says the folder's paths wherever it is cut, bytes that are no text included", () => {
    const text = Buffer.concat([
      Buffer.from("é /s/c/0/x\n/s/c/"),
      Buffer.from([0xff]),
      Buffer.from(" /s/c/10\n/s/c/0"),
    ]);
    for (let cut = 0; cut <= text.length; cut++) {
      const file = join(scratch("mac"), "f");
      const output = new MappedOutput(1000, file, map);
      output.add(text.subarray(0, cut));
      output.add(text.subarray(cut));
      expect(output.finish().text).toBe("é /p/work/x\n/s/c/\ufffd /p/work2\n/p/work");
    }
  });
  it("W7: the marked processes of a listing, no others", () => {
    const listing =
      "  12 sleep 5 HOME=/x UNDERSTUDY_CALL=op_1\n 13 sleep UNDERSTUDY_CALL=op_12\nno UNDERSTUDY_CALL=op_1\n";
    expect(markedPids(listing, "UNDERSTUDY_CALL=op_1")).toEqual([12]);
  });
});

describe("a command at another path", () => {
  function bench(): { folder: string; run: (command: string, more?: Partial<ShellCommand>) => Promise<ShellExit> } {
    const base = scratch("mac-run");
    const [folder, exec] = [join(base, "folder"), join(base, "sandbox-exec")];
    mkdirSync(join(folder, "d"), { recursive: true });
    for (const name of ["a", "d/x"]) writeFileSync(join(folder, name), `${name}\n`);
    // No walls here: what is tried is what lies around them.
    writeFileSync(exec, '#!/bin/sh\n[ "$1" = -p ] || exit 99\nshift 2\nexec "$@"\n', { mode: 0o755 });
    const options: SandboxOptions = {
      roots: [{ path: folder, kind: "folder" }],
      homeDir: join(base, "state", "home"),
      personHome: join(base, "person"),
      stateDir: join(base, "state"),
      resultsDir: join(base, "state", "results"),
      env: { PATH: process.env["PATH"] },
      uid: 1,
      gid: 1,
    };
    for (const dir of [options.homeDir, options.resultsDir]) mkdirSync(dir, { recursive: true });
    const programs = findPrograms("", []);
    let count = 0;
    const parts = {
      options,
      programs,
      pipes: new Pipes(join(base, "state", "pipes"), programs),
      clock: systemClock,
      clones: new Clones(options, programs),
      sandboxExec: exec,
      newStep: (id: string) => {
        const stepFolder = join(base, "state", id);
        mkdirSync(stepFolder);
        return Promise.resolve({ stepFolder, since: String(statSync(stepFolder, { bigint: true }).ctimeNs) });
      },
    };
    const run = async (command: string, more: Partial<ShellCommand> = {}): Promise<ShellExit> => {
      const running = runOnMac(
        parts,
        {
          operationId: `op${++count}`,
          command,
          cwd: folder,
          env: {},
          mode: "auto",
          network: false,
          layers: [],
          limits: { timeoutMs: 20_000, processes: 512, fileSizeMb: 16, layerMb: 64 },
          ...more,
        },
        new AbortController().signal,
      );
      for (;;) {
        const next = await running.next();
        if (next.done === true) return next.value;
      }
    };
    return { folder, run };
  }

  it("W7: says the folder's paths, changes only the copy, tells what changed, and begins the next one from there", async () => {
    const { folder, run } = bench();
    const ran = await run("pwd; echo b >> a; rm -r d; mkdir e; cd e; export HERE=$PWD");
    expect(ran.output).toBe(`${folder}\n`);
    expect(ran).toMatchObject({ code: 0, cwd: join(folder, "e"), env: { HERE: join(folder, "e") } });
    expect(ran.changes?.changes.map((c) => `${c.op} ${c.path}`).toSorted()).toEqual([
      "create e",
      "delete d",
      "modify a",
    ]);
    expect(readdirSync(folder).toSorted()).toEqual(["a", "d"]);
    expect(readFileSync(join(folder, "a"), "utf8")).toBe("a\n");
    const next = await run('cat a; ls; echo "$HERE"', { env: ran.env });
    expect(next.output).toBe(`a\na\nd\n${folder}/e\n`);
    expect(next.changes?.changes).toEqual([]);
  });
  it("W7: in plan mode, or ended before its end, nothing of it is left", async () => {
    const { run } = bench();
    const slow = await run("echo x > a; sleep 10", {
      limits: { timeoutMs: 300, processes: 1, fileSizeMb: 1, layerMb: 1 },
    });
    expect(slow).toMatchObject({ reason: "timeout", code: null });
    expect((await run("echo y > a", { mode: "plan" })).changes).toBeUndefined();
    expect((await run("cat a")).output).toBe("a\n");
  });
  it("W7: single hosts can't be granted there, so nothing runs", async () => {
    const { run, folder } = bench();
    await expect(run("touch x", { hosts: [] })).rejects.toThrow("can't be granted");
    expect(existsSync(join(folder, "x"))).toBe(false);
  });
  it("SEC-G12: without sandbox-exec, commands ask first, and it says why; elsewhere no copy is tried", async () => {
    const base = scratch("mac-open");
    mkdirSync(join(base, "folder"));
    const options: SandboxOptions = {
      roots: [{ path: join(base, "folder"), kind: "folder" }],
      homeDir: join(base, "home"),
      personHome: join(base, "person"),
      stateDir: join(base, "state"),
      resultsDir: join(base, "results"),
      env: {},
      uid: 1,
      gid: 1,
    };
    const newStep = (): Promise<never> => Promise.reject(new Error("no step"));
    const open = (platform: string) => openSandbox(options, { newStep, clock: systemClock, arch: "arm64", platform });
    expect(await open("darwin")).toMatchObject({ kind: "none", why: [expect.stringContaining("sandbox-exec")] });
    expect(await open("freebsd")).toMatchObject({ kind: "none", why: ["no copy on freebsd yet"] });
  });
});
