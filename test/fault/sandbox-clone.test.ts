import { execFileSync } from "node:child_process";
import { chmodSync, chownSync, mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { PLAIN_BOUND } from "../../src/sandbox/clone-bound.ts";
import { remoteName } from "../../src/sandbox/place.ts";
import { ordinaryUser, startAs } from "../support/as-user.ts";
import { missingTool, needs } from "../support/runnable.ts";
import { sandboxBench } from "../support/sandbox-bench.ts";
import { scratch } from "../support/scratch.ts";

const root = process.getuid?.() === 0;
const account = ordinaryUser();

describe("where no overlay can be", () => {
  it("SANDBOX-H7: a folder with another file system inside is cloned; that one is shown read-only, and named", async (ctx) => {
    needs(ctx, root ? missingTool("bwrap") : "this user is not root");
    const base = scratch("mounted");
    const inside = join(base, "folder", "in side");
    mkdirSync(inside, { recursive: true });
    chmodSync(base, 0o755);
    execFileSync("mount", ["-t", "tmpfs", "tmpfs", inside]);
    onTestFinished(() => void execFileSync("umount", [inside]));
    writeFileSync(join(inside, "data"), "data\n");
    const bench = await sandboxBench({ roots: () => [{ path: join(base, "folder"), kind: "folder" }] });
    onTestFinished(() => bench.close());
    expect([bench.sandbox.kind, bench.sandbox.contained]).toEqual(["copy-bind", true]);
    expect(bench.sandbox.why.join()).toContain("in side");
    const ran = await bench.run("cat 'in side/data'; echo x > f; echo y > 'in side/y'", { cwd: join(base, "folder") });
    expect(ran.output).toMatch(/^data\n[^]*Read-only file system\n$/);
    expect(ran.hints.join()).toContain(`without permission to read it: ${inside}`);
    expect(ran.changes?.changes.map((c) => `${c.op} ${c.path}`)).toEqual(["create f"]);
    const clones = readdirSync(join(bench.base, "state", "sessions", "s.home", "clones"), { recursive: true });
    expect(clones.some((name) => String(name).endsWith("data"))).toBe(false);
  });

  it("SANDBOX-0.6: remote file systems by name", () => {
    expect([0x6969, 0x65735546, 0x01021997, 0xff534d42].map(remoteName).join(", ")).toBe(
      "NFS, FUSE (sshfs and the like), 9p (a folder of the host's, drvfs), CIFS",
    );
    // statfs of Node gives a signed number where the kernel's is one.
    expect(remoteName(0xff534d42 | 0)).toBe("CIFS");
    for (const own of [0xef53, 0x01021994, 0x9123683e]) expect(remoteName(own)).toBeUndefined();
  });

  it("W7: what a dead process left of its clones is removed at the next start", async (ctx) => {
    needs(ctx, root ? missingTool("bwrap") : "this user is not root");
    const state = scratch("left");
    const clones = join(state, "sessions", "s.home", "clones");
    for (const name of ["99999999-a", `${process.pid}-b`]) mkdirSync(join(clones, name, "0"), { recursive: true });
    chmodSync(join(clones, "99999999-a", "0"), 0);
    const bench = await sandboxBench({ stateDir: state });
    onTestFinished(() => bench.close());
    expect(readdirSync(clones)).toEqual([`${process.pid}-b`]);
  });
});

interface Ran {
  code: number;
  output: string;
  retriedOn?: string;
  hints: string[];
  changes: string[];
}

/** What a user's commands over a folder come to. */
async function foreign(
  folder: string,
  kind: string,
  ...commands: string[]
): Promise<[kind: string, why: string[], first: Ran, second: Ran]> {
  if (account === undefined) throw new Error("there is no ordinary user");
  const { child, remove } = startAs(account, "sandbox-foreign.ts", [folder, kind, ...commands]);
  onTestFinished(remove);
  let out = "";
  child.stdout?.on("data", (chunk: Buffer) => (out += chunk.toString("utf8")));
  child.stderr?.on("data", (chunk: Buffer) => (out += chunk.toString("utf8")));
  await new Promise((resolve) => child.once("close", resolve));
  return JSON.parse(out) as Awaited<ReturnType<typeof foreign>>;
}

describe("files of others in a user's folder", () => {
  /** Of the user's, with entries of root's in it. */
  function mixed(): string {
    const base = scratch("foreign");
    chmodSync(base, 0o755);
    const folder = join(base, "folder");
    mkdirSync(join(folder, "locked"), { recursive: true });
    writeFileSync(join(folder, "theirs"), "theirs\n");
    chmodSync(join(folder, "theirs"), 0o666);
    writeFileSync(join(folder, "secret"), "SECRET\n", { mode: 0o600 });
    writeFileSync(join(folder, "locked", "inside"), "SECRET\n");
    chmodSync(join(folder, "locked"), 0o700);
    writeFileSync(join(folder, "own"), "own\n");
    for (const path of [folder, join(folder, "own")]) chownSync(path, account?.uid ?? 0, account?.gid ?? 0);
    return folder;
  }

  it.for(["overlay-bwrap", "overlay-unshare", "copy-bind"])(
    "SANDBOX-H6: %s: what the overlay can't write for its owner is written on a clone",
    async (kind, ctx) => {
      needs(ctx, !root || account === undefined ? "needs root and an ordinary user" : missingTool("bwrap"));
      const folder = mixed();
      const [found, , ran] = await foreign(folder, kind, "echo more >> theirs && mv theirs moved && cat moved");
      expect(found).toBe(kind);
      expect(ran.output).toBe("theirs\nmore\n");
      expect(ran).toMatchObject({ code: 0, changes: ["create moved", "delete theirs"] });
      expect(ran.retriedOn).toBe(kind === "copy-bind" ? undefined : "copy-bind");
    },
  );

  it("W7: a clone shows what can't be read from the original: never as empty, never to be replaced", async (ctx) => {
    needs(ctx, !root || account === undefined ? "needs root and an ordinary user" : missingTool("bwrap"));
    const folder = mixed();
    const [, , ran, next] = await foreign(
      folder,
      "copy-bind",
      "cat secret; ls locked; rm -f secret; chmod 644 secret; mv locked free; echo x > own; rm -rf locked; exit 1",
      "cat own",
    );
    expect(ran.output).toMatch(/secret: Permission denied[^]*locked'?: Permission denied[^]*resource busy/);
    expect(ran.output).not.toContain("SECRET");
    expect(ran.changes).toEqual(["modify own"]);
    expect(ran.hints.join()).toContain(join(folder, "secret"));
    expect(next).toMatchObject({ code: 0, output: "own\n", changes: [] });
    expect(statSync(join(folder, "secret")).size).toBe(7);
  });
});

describe("a folder that is too large for a plain copy", () => {
  it("SANDBOX-0.7: is not copied for a retry; the result keeps its changes and says why and to use mv", async (ctx) => {
    needs(ctx, root ? missingTool("bwrap") : "this user is not root");
    const bench = await sandboxBench({
      prepare: (folder) => {
        mkdirSync(join(folder, "d"));
        // Sparse: a size, no content.
        execFileSync("truncate", ["-s", String(PLAIN_BOUND.bytes + 1), join(folder, "d", "big")]);
      },
    });
    onTestFinished(() => bench.close());
    const ran = await bench.run('echo x > f; perl -e \'rename("d", "e") or die "$!\\n"\'');
    const clones = join(bench.base, "state", "sessions", "s.home", "clones");
    expect(readdirSync(clones)).toEqual([]);
    if (ran.retriedOn !== undefined) return;
    expect(ran.changes?.changes.map((c) => c.path)).toEqual(["f"]);
    expect(ran.hints.join()).toMatch(/use `mv`[^]*too large to be copied[^]*no reflink/);
    const only = await sandboxBench({ only: ["copy-bind"], roots: () => [{ path: bench.folder, kind: "folder" }] });
    onTestFinished(() => only.close());
    expect(only.sandbox).toMatchObject({ kind: "none", contained: false });
    expect(only.sandbox.why.join()).toContain("more than 1024 MB");
  });
});
