import { describe, expect, it } from "vitest";
import { type SeccompArch, seccompArch, seccompFilter } from "../../../src/sandbox/seccomp.ts";

/** Runs the program as the kernel would: data is nr, arch, ip, six arguments. */
function judge(filter: Uint8Array, arch: number, nr: number, args: readonly number[] = []): number {
  const program = new DataView(filter.buffer);
  const data = new DataView(new ArrayBuffer(64));
  data.setUint32(0, nr, true);
  data.setUint32(4, arch, true);
  args.forEach((arg, n) => data.setBigUint64(16 + 8 * n, BigInt.asUintN(64, BigInt(arg)), true));
  let word = 0;
  for (let at = 0; at < filter.length / 8; at++) {
    const code = program.getUint16(at * 8, true);
    const [jt, jf] = [program.getUint8(at * 8 + 2), program.getUint8(at * 8 + 3)];
    const k = program.getUint32(at * 8 + 4, true);
    if (code === 0x06) return k;
    if (code === 0x20) word = data.getUint32(k, true);
    else if (code === 0x15) at += word === k ? jt : jf;
    else if (code === 0x35) at += word >= k ? jt : jf;
    else if (code === 0x45) at += (word & k) !== 0 ? jt : jf;
    else if (code === 0x54) word = (word & k) >>> 0;
    else throw new Error(`code ${code}`);
  }
  throw new Error("it fell off the end");
}

const ALLOW = 0x7fff0000;
const errno = (n: number): number => 0x00050000 | n;
const NUMBERS: Record<SeccompArch, Record<string, number>> = {
  x64: {
    arch: 0xc000003e,
    read: 0,
    open: 257,
    ioctl: 16,
    clone: 56,
    socket: 41,
    pair: 53,
    ptrace: 101,
    mount: 165,
    unshare: 272,
    bpf: 321,
    clone3: 435,
    uring: 425,
    execve: 59,
  },
  arm64: {
    arch: 0xc00000b7,
    read: 63,
    open: 56,
    ioctl: 29,
    clone: 220,
    socket: 198,
    pair: 199,
    ptrace: 117,
    mount: 40,
    unshare: 97,
    bpf: 280,
    clone3: 435,
    uring: 425,
    execve: 221,
  },
};

describe.each<SeccompArch>(["x64", "arm64"])("seccompFilter on %s", (arch) => {
  const nr = (name: string): number => NUMBERS[arch][name] ?? -1;
  const on = (name: string, args: readonly number[] = [], unix = true): number =>
    judge(seccompFilter(arch, unix), nr("arch"), nr(name), args);

  it("SEC-G5: ordinary calls pass", () => {
    for (const name of ["read", "open", "execve"]) expect([name, on(name)]).toEqual([name, ALLOW]);
    expect(on("ioctl", [0, 0x5401])).toBe(ALLOW);
    // CLONE_VM|FS|FILES|SIGHAND|THREAD|SYSVSEM and so on: a thread.
    expect(on("clone", [0x3d0f00])).toBe(ALLOW);
  });
  it("SEC-G5: namespaces, mounts, other processes and kernel programs are refused", () => {
    for (const name of ["ptrace", "mount", "unshare", "bpf"]) expect([name, on(name)]).toEqual([name, errno(1)]);
    for (const flag of [0x20000, 0x2000000, 0x4000000, 0x8000000, 0x10000000, 0x20000000, 0x40000000]) {
      expect(on("clone", [flag | 17])).toBe(errno(1));
    }
  });
  it("SEC-G5: what hides its arguments is said to be missing", () => {
    expect([on("clone3"), on("uring")]).toEqual([errno(38), errno(38)]);
  });
  it("SEC-G5: nothing types into a terminal, whatever the upper half of the request says", () => {
    for (const request of [0x5412, 0x541c]) {
      expect(on("ioctl", [0, request])).toBe(errno(1));
      expect(on("ioctl", [0, request + 2 ** 32])).toBe(errno(1));
    }
  });
  it("SANDBOX-H10: sockets of the net namespace pass; by path only without the machine's network; others never", () => {
    for (const family of [2, 10, 16]) expect(on("socket", [family, 1])).toBe(ALLOW);
    expect(on("socket", [1, 1])).toBe(ALLOW);
    expect(on("socket", [1, 1], false)).toBe(errno(97));
    for (const family of [40, 38, 17, 44]) expect(on("socket", [family, 1])).toBe(errno(97));
  });
  it("SANDBOX-H10: unix pairs pass; where there are no unix sockets those of datagrams don't, which could be given a name", () => {
    const [stream, dgram, raw, packets, nonblock, cloexec] = [1, 2, 3, 5, 0x800, 0x80000];
    for (const flags of [0, nonblock, cloexec, nonblock | cloexec]) {
      for (const type of [stream, packets, dgram, raw]) expect(on("pair", [1, type | flags])).toBe(ALLOW);
      for (const type of [stream, packets]) expect(on("pair", [1, type | flags], false)).toBe(ALLOW);
      for (const type of [dgram, raw]) expect(on("pair", [1, type | flags], false)).toBe(errno(97));
    }
    for (const unix of [true, false])
      for (const family of [2, 30, 40]) expect(on("pair", [family, stream], unix)).toBe(errno(97));
  });
  it("SEC-G5: calls of another machine's numbering are killed", () => {
    expect(judge(seccompFilter(arch, true), 0x40000003, 1)).toBe(0x80000000);
  });
});

describe("seccompArch", () => {
  it("SEC-G12: knows its machines and no others", () => {
    expect(["x64", "arm64", "ia32", "riscv64"].map(seccompArch)).toEqual(["x64", "arm64", undefined, undefined]);
  });
  it("SEC-G5: x32 numbers are refused", () => {
    expect(judge(seccompFilter("x64", true), 0xc000003e, 0x40000000 + 101)).toBe(errno(38));
  });
});
