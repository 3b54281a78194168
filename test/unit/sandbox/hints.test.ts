import { describe, expect, it } from "vitest";
import { hintsFor } from "../../../src/sandbox/hints.ts";

const copy = { mode: "ask", network: false, command: "x" } as const;

describe("hintsFor", () => {
  it.each([
    ["npm error code EAI_AGAIN", "network is off"],
    ["curl: (6) Could not resolve host: example.com", "network is off"],
    ["connect ENETUNREACH 1.2.3.4:443", "network is off"],
    ["fatal: renaming 'a' failed: Invalid cross-device link", "use `mv`"],
    ["Error: EXDEV: cross-device link not permitted, rename", "use `mv`"],
    ["mv: cannot move 'x': Value too large for defined data type", "another user"],
    ["bash: line 1: sudo: command not found", "no sudo"],
    ["Cannot connect to the Docker daemon at unix:///var/run/docker.sock", "containers"],
    ["npm error code ENEEDAUTH", "logins, keys"],
    ["git@host: Permission denied (publickey).", "logins, keys"],
    ["error: gpg failed to sign the data", "logins, keys"],
    ["Unable to locate credentials. You can configure", "logins, keys"],
    ["E: Unable to acquire the dpkg frontend lock (/var/lib/dpkg/lock-frontend), are you root?", "system packages"],
    ["System has not been booted with systemd as init system", "services of the machine"],
    ["==12==LeakSanitizer has encountered a fatal error.", "detect_leaks=0"],
    ["strace: ptrace(PTRACE_TRACEME, ...): Operation not permitted", "trace another"],
    ["warning: ptrace: Operation not permitted.", "trace another"],
    ["touch: /usr/x: Read-only file system", "only the folder"],
    ["cat: /tmp/out.txt: No such file or directory", "a /tmp of its own"],
    ["FileNotFoundError: [Errno 2] No such file or directory: '/tmp/a/b'", "a /tmp of its own"],
    ["Error: ENOENT: no such file or directory, open '/tmp/report.json'", "a /tmp of its own"],
    ["ls: cannot access '/tmp/build': No such file or directory", "a /tmp of its own"],
  ])("SANDBOX-H21: %s", (output, hint) => {
    expect(hintsFor(output, 1, copy, true).join()).toContain(hint);
    expect(hintsFor(output, 1, copy, false)).toEqual([]);
  });
  it.each([
    "Vim: Warning: Input is not from a terminal",
    "error: There was a problem with the editor 'false'.",
    "stty: 'standard input': Inappropriate ioctl for device",
    "top: failed tty get",
  ])("T7: what wants a terminal is told that there is none: %s", (output) => {
    expect(hintsFor(output, 1, copy, true).join()).toContain("no terminal");
    expect(hintsFor(output, 1, copy, false).join()).toContain("no terminal");
  });
  it("says nothing of a command that worked, or with the network", () => {
    expect(hintsFor("EAI_AGAIN", 0, copy, true)).toEqual([]);
    expect(hintsFor("EAI_AGAIN", 1, { ...copy, network: true }, true)).toEqual([]);
  });
  it("SANDBOX-H21: a pipe that hides the exit code doesn't hide the wall", () => {
    for (const command of ["npm i x 2>&1 | tail -3", "pip install x || true"])
      expect(hintsFor("getaddrinfo EAI_AGAIN", 0, { ...copy, command }, true).join()).toContain("network is off");
    expect(hintsFor("EAI_AGAIN", 0, { ...copy, command: "cat log; ls" }, true)).toEqual([]);
  });
  it("P1: in plan mode a refused write says what to do, whatever the exit code", () => {
    const [hint] = hintsFor("x: Read-only file system", 0, { ...copy, mode: "plan" }, true);
    expect(hint).toContain("plan mode: say in the plan what you would change");
    const [busy] = hintsFor("rm: cannot remove 'dist': Device or resource busy", 1, { ...copy, mode: "plan" }, true);
    expect(busy).toContain("emptied and filled");
  });
});
