import { describe, expect, it } from "vitest";
import { bwrapArgs, launchLine } from "../../../src/sandbox/launch.ts";
import type { CopyPlan } from "../../../src/sandbox/plan.ts";

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
const programs = { bash: "/bin/bash", unshare: "/bin/unshare", bwrap: "/bin/bwrap", setpriv: "/bin/setpriv" };

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
    const { args } = launchLine("overlay-unshare", programs, { ...plan, network: true }, { uid: 7, gid: 8 }, ["bash"]);
    expect(args).toContain("-Urmpfiu");
  });
  it("SANDBOX-1: the mount is private to its own user, unsynced, newest layer first; root needs no user namespace", () => {
    const user = launchLine("overlay-bwrap", programs, plan, { uid: 7, gid: 8 }, ["bash"]);
    expect(user.args[0]).toBe("-Urm");
    expect(user.args.join(" ")).toContain("-o lowerdir=l0.0:l0.1,upperdir=u0,workdir=w0,userxattr,volatile,");
    const root = launchLine("overlay-root", programs, plan, { uid: 0, gid: 0 }, ["bash"]);
    expect(root.args[0]).toBe("-m");
    expect(root.args.join(" ")).toContain("volatile,redirect_dir=off,");
    expect(root.args.join(" ")).not.toContain("userxattr");
  });
  it("SEC-G5: the launcher's own environment holds nothing of anybody's", () => {
    const { env } = launchLine("overlay-bwrap", programs, plan, { uid: 7, gid: 8 }, ["bash"]);
    expect(Object.keys(env)).toEqual(["PATH"]);
  });
  it("SEC-G12: a missing program is an error, not a weaker line", () => {
    expect(() =>
      launchLine("overlay-bwrap", { bash: "/bin/bash", unshare: "/bin/unshare" }, plan, { uid: 7, gid: 8 }, []),
    ).toThrow("bwrap is gone");
  });
});
