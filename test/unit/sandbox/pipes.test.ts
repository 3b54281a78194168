import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, readlinkSync, renameSync, statSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import { handedOver, Pipes } from "../../../src/sandbox/pipes.ts";
import { findPrograms } from "../../../src/sandbox/programs.ts";
import { missingTool, needs } from "../../support/runnable.ts";
import { openRig } from "../../support/rig.ts";
import { scratch } from "../../support/scratch.ts";
import { place } from "../../support/session.ts";

const programs = findPrograms("", []);
const linkOf = (fd: number): string => readlinkSync(`/proc/self/fd/${fd}`);

describe("pipes of commands", () => {
  it("sandbox-011: a command learns nothing of the session from the names of its descriptors", async (ctx) => {
    needs(ctx, missingTool("bwrap"));
    const at = place("fds");
    const rig = await openRig(at);
    const { result } = await rig.bash("for f in /proc/self/fd/*; do readlink $f; done; ls -l /proc/self/fd");
    expect(result).toContain("pipe");
    for (const word of [rig.session.id, at.home, at.folder, "session", "sock"]) expect(result).not.toContain(word);
    const { result: opened } = await rig.bash(
      "echo out > /dev/stdout; echo err > /dev/stderr; echo x | tee /dev/stderr",
    );
    expect(opened.split("\n").toSorted()).toEqual(["err", "out", "x", "x"]);
    await rig.session.close();
    expect(readdirSync(join(at.state, "pipes"))).toEqual([]);
  });
  it("a pipe in use has no name on the disk, and carries what is written until the last end is closed", async () => {
    const dir = join(scratch("pipes"), "p");
    const pipes = new Pipes(dir, programs);
    const pipe = await pipes.take();
    const link = linkOf(pipe.write);
    expect(link).toMatch(/\/p\/[\w-]{12} \(deleted\)$/);
    expect(existsSync(link.replace(" (deleted)", ""))).toBe(false);
    expect(statSync(dir).mode & 0o777).toBe(0o700);
    execFileSync("sh", ["-c", "echo a > /dev/stdout; echo b >&1"], { stdio: ["ignore", pipe.write, "ignore"] });
    handedOver(pipe);
    expect(await text(pipe.reader)).toBe("a\nb\n");
    pipes.close();
    expect(readdirSync(dir)).toEqual([]);
  });
  it("E3: what a program left that was killed goes when the next one starts, never what one that lives made", async () => {
    const dir = join(scratch("pipes"), "p");
    const owners = `${dir}-made`;
    const lives = new Pipes(dir, programs);
    handedOver(await lives.take());
    const [mine = ""] = readdirSync(owners);
    const killed = new Pipes(dir, programs);
    handedOver(await killed.take());
    const theirs = readdirSync(owners).find((name) => name !== mine) ?? "";
    const gone = new Set(readFileSync(join(owners, theirs), "utf8").split("\n").filter(Boolean));
    // A number that no process has.
    renameSync(join(owners, theirs), join(owners, "999999999-a"));
    const next = new Pipes(dir, programs);
    expect(gone.size).toBe(8);
    expect(readdirSync(dir).filter((name) => gone.has(name))).toEqual([]);
    expect(readdirSync(dir)).toHaveLength(7);
    expect(readdirSync(owners)).toEqual([mine]);
    for (const pipes of [lives, next]) pipes.close();
    expect([readdirSync(dir), readdirSync(owners)]).toEqual([[], []]);
  });
  it("sweeps what a killed program left, never what another may still want; swept ones are made anew", async () => {
    const dir = scratch("pipes");
    const [first, second] = [new Pipes(dir, programs), new Pipes(dir, programs)];
    const used = await first.take();
    const spare = readdirSync(dir);
    expect(spare).toHaveLength(7);
    const other = await second.take();
    for (const name of spare) expect(existsSync(join(dir, name))).toBe(true);
    const old = Date.now() / 1000 - 2 * 86_400;
    for (const name of spare) utimesSync(join(dir, name), old, old);
    const third = new Pipes(dir, programs);
    const late = await third.take();
    for (const name of spare) expect(existsSync(join(dir, name))).toBe(false);
    const again = await first.take();
    for (const pipe of [used, other, late, again]) {
      handedOver(pipe);
      expect(await text(pipe.reader)).toBe("");
    }
  });
});
