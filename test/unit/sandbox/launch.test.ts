import { describe, expect, it } from "vitest";
import { bwrapArgs, launchLine, type Starter } from "../../../src/sandbox/launch.ts";
import type { CopyPlan } from "../../../src/sandbox/plan.ts";
import { stageText } from "../../../src/sandbox/stage.ts";

const plan: CopyPlan = {
  overlays: [{ mount: "m0", lowers: ["l0.0", "l0.1"], upper: "u0", work: "w0" }],
  placed: [
    { kind: "read", at: "/usr", from: "/usr" },
    { kind: "link", at: "/bin", to: "usr/bin" },
    { kind: "blank", at: "/etc/shadow" },
    { kind: "dev" },
    { kind: "proc" },
    { kind: "empty", at: "/tmp", sizeMb: 2048 },
    { kind: "write", at: "/work", from: "/s/m0" },
  ],
  network: false,
};
const programs = { bash: "/bin/bash", unshare: "/bin/unshare", bwrap: "/bin/bwrap", perl: "/bin/perl" };
const user: Starter = { launcher: "bwrap", root: false, uid: 7, gid: 8, arch: "x64" };
const root: Starter = { launcher: "bwrap", root: true, uid: 0, gid: 0, arch: "x64" };

describe("the line that starts a command", () => {
  it("SEC-G5: the walls of an ordinary user, word by word", () => {
    expect(bwrapArgs(plan, { root: false, uid: 7, gid: 8 }).join(" ")).toBe(
      "--unshare-user --disable-userns --uid 7 --gid 8 --unshare-pid --unshare-ipc --unshare-uts --unshare-cgroup-try --unshare-net " +
        "--die-with-parent --new-session --info-fd 3 --seccomp 4 --ro-bind /usr /usr --symlink usr/bin /bin --ro-bind /dev/null /etc/shadow " +
        "--dev /dev --proc /proc --size 2147483648 --tmpfs /tmp --bind /s/m0 /work --remount-ro / --chdir /",
    );
  });
  it("SANDBOX-0.1: root keeps four capabilities and no more", () => {
    const args = bwrapArgs(plan, { root: true, uid: 0, gid: 0 }).join(" ");
    expect(args).toMatch(
      /^--cap-drop ALL --cap-add CAP_DAC_OVERRIDE --cap-add CAP_CHOWN --cap-add CAP_FOWNER --cap-add CAP_FSETID --unshare-pid/,
    );
  });
  it("W1: only a granted need leaves the network in", () => {
    expect(bwrapArgs({ ...plan, network: true }, { root: false, uid: 7, gid: 8 })).not.toContain("--unshare-net");
    const words = (network: boolean): readonly string[] =>
      launchLine(programs, { ...plan, network }, { ...user, launcher: "stage" }, ["bash"]).args;
    expect(words(true).slice(3, 7)).toEqual(["7", "8", "0", "1"]);
    expect(words(false).slice(3, 7)).toEqual(["7", "8", "0", "0"]);
  });
  it("SANDBOX-1: the mount is private to its own user, unsynced, newest layer first; root needs no user namespace", () => {
    const theirs = launchLine(programs, plan, user, ["bash"]).args;
    expect(theirs[0]).toBe("-Urm");
    expect(theirs.join(" ")).toContain("-o lowerdir=l0.0:l0.1,upperdir=u0,workdir=w0,userxattr,volatile,");
    const roots = launchLine(programs, plan, root, ["bash"]).args;
    expect(roots[0]).toBe("-m");
    expect(roots.join(" ")).toContain("volatile,redirect_dir=off,");
    expect(roots.join(" ")).not.toContain("userxattr");
  });
  it("SEC-G5: the launcher's own environment holds nothing of anybody's", () => {
    for (const launcher of ["bwrap", "stage"] as const) {
      const { env } = launchLine(programs, plan, { ...user, launcher }, ["bash"]);
      expect(Object.keys(env)).toEqual(["PATH"]);
    }
  });
  it("SEC-G12: a missing program is an error, not a weaker line", () => {
    const few = { bash: "/bin/bash", unshare: "/bin/unshare" };
    expect(() => launchLine(few, plan, user, [])).toThrow("bwrap is gone");
    expect(() => launchLine(few, plan, { ...user, launcher: "stage" }, [])).toThrow("perl is gone");
    expect(() => launchLine(programs, plan, { ...user, launcher: "stage", arch: "mips" }, [])).toThrow("filter");
  });
  it("W7: the stage's words are the plan: overlays, then what is placed, then the command", () => {
    const { file, args } = launchLine(programs, plan, { ...user, launcher: "stage" }, ["bash", "-c", "x"]);
    expect([file, args[0]]).toEqual(["/bin/perl", "-e"]);
    const words = args.slice(7).map((word) => (word === "" ? "''" : word));
    expect(words.join(" ")).toBe(
      "m0 lowerdir=l0.0:l0.1,upperdir=u0,workdir=w0,userxattr,volatile,metacopy=off,index=off -- " +
        "read /usr /usr link usr/bin /bin blank '' /etc/shadow dev '' /dev proc '' /proc empty 2048 /tmp write /s/m0 /work -- bash -c x",
    );
  });
  it("W7: each machine has its own system call numbers", () => {
    expect(stageText("x64")).toContain("mount=>165,");
    expect(stageText("arm64")).toContain("mount=>40,");
  });
  it("W7: without an overlay bubblewrap is started without a namespace around it", () => {
    expect(launchLine(programs, { ...plan, overlays: [] }, user, ["bash"]).file).toBe("/bin/bash");
  });
});
