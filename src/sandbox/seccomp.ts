/** Machine words that the filter knows numbers for. */
export type SeccompArch = "x64" | "arm64";

/** One classic BPF instruction: code, jump when true, jump when false, operand. */
type Instruction = readonly [code: number, jt: number, jf: number, k: number];

const LOAD = 0x20;
const AND = 0x54;
const EQUAL = 0x15;
const AT_LEAST = 0x35;
const ANY_BIT = 0x45;
const RETURN = 0x06;
const KILL = 0x80000000;
const ALLOW = 0x7fff0000;
const EPERM = 0x00050000 | 1;
const ENOSYS = 0x00050000 | 38;
const EAFNOSUPPORT = 0x00050000 | 97;
/** Offsets in `struct seccomp_data`; arguments are little-endian, so their low word comes first. */
const AT_NR = 0;
const AT_ARCH = 4;
const AT_ARG0 = 16;
const AT_ARG1 = 24;

const AUDIT_ARCH: Record<SeccompArch, number> = { x64: 0xc000003e, arm64: 0xc00000b7 };
/** Numbers by machine; -1: it has no such call. */
type Row = readonly [name: string, x64: number, arm64: number];

/** Refused with EPERM: other processes, mounts, namespaces, keys, kernel programs, the machine's state. */
const REFUSED: readonly Row[] = [
  ["ptrace", 101, 117],
  ["syslog", 103, 116],
  ["modify_ldt", 154, -1],
  ["pivot_root", 155, 41],
  ["chroot", 161, 51],
  ["acct", 163, 89],
  ["settimeofday", 164, 170],
  ["mount", 165, 40],
  ["umount2", 166, 39],
  ["swapon", 167, 224],
  ["swapoff", 168, 225],
  ["reboot", 169, 142],
  ["iopl", 172, -1],
  ["ioperm", 173, -1],
  ["init_module", 175, 105],
  ["delete_module", 176, 106],
  ["quotactl", 179, 60],
  ["clock_settime", 227, 112],
  ["kexec_load", 246, 104],
  ["add_key", 248, 217],
  ["request_key", 249, 218],
  ["keyctl", 250, 219],
  ["unshare", 272, 97],
  ["perf_event_open", 298, 241],
  ["fanotify_init", 300, 262],
  ["open_by_handle_at", 304, 265],
  ["setns", 308, 268],
  ["process_vm_readv", 310, 270],
  ["process_vm_writev", 311, 271],
  ["kcmp", 312, 272],
  ["finit_module", 313, 273],
  ["kexec_file_load", 320, 294],
  ["bpf", 321, 280],
  ["userfaultfd", 323, 282],
  ["open_tree", 428, 428],
  ["move_mount", 429, 429],
  ["fsopen", 430, 430],
  ["fsconfig", 431, 431],
  ["fsmount", 432, 432],
  ["fspick", 433, 433],
  ["pidfd_getfd", 438, 438],
  ["mount_setattr", 442, 442],
  ["quotactl_fd", 443, 443],
  ["open_tree_attr", 467, 467],
];
/** Told to be missing, so that libraries fall back to calls whose arguments the filter can see. */
const MISSING: readonly Row[] = [
  ["io_uring_setup", 425, 425],
  ["io_uring_enter", 426, 426],
  ["io_uring_register", 427, 427],
  ["clone3", 435, 435],
];
const CLONE: Row = ["clone", 56, 220];
const IOCTL: Row = ["ioctl", 16, 29];
const SOCKET: Row = ["socket", 41, 198];
const SOCKET_PAIR: Row = ["socketpair", 53, 199];

/** CLONE_NEW{NS,CGROUP,UTS,IPC,USER,PID,NET}. */
const NEW_NAMESPACES = 0x7e020000;
/** TIOCSTI and TIOCLINUX: typing into the person's terminal. */
const TERMINAL_INPUT = [0x5412, 0x541c];
/** Families by number; all others (vsock and the like) leave the network namespace. */
const UNIX = 1;
const FAMILIES = [2, 10, 16];
/** SOCK_STREAM and SOCK_SEQPACKET, without the flags that come with a type. */
const JOINED = [1, 5];
const TYPE_BITS = 0xf;

function number(row: Row, arch: SeccompArch): number {
  return arch === "x64" ? row[1] : row[2];
}

/** `when nr, then body`: the body must end with a return on every way through it, or falls to the next rule. */
function onCall(row: Row, arch: SeccompArch, body: readonly Instruction[]): Instruction[] {
  const nr = number(row, arch);
  // The body may have overwritten the loaded number: load it again for what follows.
  return nr < 0 ? [] : [[EQUAL, 0, body.length + 1, nr], ...body, [LOAD, 0, 0, AT_NR]];
}

function refuse(rows: readonly Row[], arch: SeccompArch, result: number): Instruction[] {
  return rows.flatMap((row): Instruction[] => {
    const nr = number(row, arch);
    return nr < 0
      ? []
      : [
          [EQUAL, 0, 1, nr],
          [RETURN, 0, 0, result],
        ];
  });
}

/** Passes these numbers in an argument, under a mask, and refuses all others. */
function socketBody(numbers: readonly number[], at = AT_ARG0, mask = 0xffffffff): Instruction[] {
  return [
    [LOAD, 0, 0, at],
    [AND, 0, 0, mask],
    ...numbers.map((each, n): Instruction => [EQUAL, numbers.length - n, 0, each]),
    [RETURN, 0, 0, EAFNOSUPPORT],
  ];
}

/**
 * Of pairs only unix ones, whatever else the kernel makes them of. Without sockets only those that stay with each other: one of
 * datagrams can be taken apart, given a name and reached by anybody.
 */
function pairBody(unixSockets: boolean): Instruction[] {
  if (unixSockets) return socketBody([UNIX]);
  const types = socketBody(JOINED, AT_ARG1, TYPE_BITS);
  return [[LOAD, 0, 0, AT_ARG0], [EQUAL, 0, types.length - 1, UNIX], ...types];
}

/**
 * A classic BPF program (8 bytes an instruction) for `bwrap --seccomp`, the second layer of the wall: what the kernel
 * should not even be asked for. `unixSockets` false refuses path and abstract sockets (pairs of streams still work), for
 * commands in the machine's own network namespace, where abstract sockets of other programs are within reach, and for those
 * that run beside another of the session: nobody may hand on descriptors of a layer that outlive its command.
 */
export function seccompFilter(arch: SeccompArch, unixSockets: boolean): Uint8Array {
  const families = unixSockets ? [UNIX, ...FAMILIES] : FAMILIES;
  const program: Instruction[] = [
    [LOAD, 0, 0, AT_ARCH],
    [EQUAL, 1, 0, AUDIT_ARCH[arch]],
    [RETURN, 0, 0, KILL],
    [LOAD, 0, 0, AT_NR],
    // x32 calls carry other numbers for the same deeds.
    ...(arch === "x64"
      ? ([
          [AT_LEAST, 0, 1, 0x40000000],
          [RETURN, 0, 0, ENOSYS],
        ] as const)
      : []),
    ...refuse(REFUSED, arch, EPERM),
    ...refuse(MISSING, arch, ENOSYS),
    ...onCall(CLONE, arch, [
      [LOAD, 0, 0, AT_ARG0],
      [ANY_BIT, 0, 1, NEW_NAMESPACES],
      [RETURN, 0, 0, EPERM],
    ]),
    ...onCall(IOCTL, arch, [
      [LOAD, 0, 0, AT_ARG1],
      ...TERMINAL_INPUT.flatMap((request): Instruction[] => [
        [EQUAL, 0, 1, request],
        [RETURN, 0, 0, EPERM],
      ]),
    ]),
    ...onCall(SOCKET, arch, socketBody(families)),
    ...onCall(SOCKET_PAIR, arch, pairBody(unixSockets)),
    [RETURN, 0, 0, ALLOW],
  ];
  return encode(program);
}

function encode(program: readonly Instruction[]): Uint8Array {
  const bytes = new DataView(new ArrayBuffer(program.length * 8));
  program.forEach(([code, jt, jf, k], n) => {
    bytes.setUint16(n * 8, code, true);
    bytes.setUint8(n * 8 + 2, jt);
    bytes.setUint8(n * 8 + 3, jf);
    bytes.setUint32(n * 8 + 4, k >>> 0, true);
  });
  return new Uint8Array(bytes.buffer);
}

/** Whether the filter knows this machine's numbers. */
export function seccompArch(arch: string): SeccompArch | undefined {
  return arch === "x64" || arch === "arm64" ? arch : undefined;
}
