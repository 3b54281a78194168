import assert from "node:assert/strict";
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { whileStopped } from "../../src/sandbox/group-freeze.ts";
import type { SandboxKind, ShellCommand } from "../../src/sandbox/sandbox.ts";
import { socketHints } from "../../src/sandbox/socket-hints.ts";
import { systemClock } from "../../src/util/system.ts";
import { deep } from "./deep.ts";
import { type GroupBench, overGroups, until } from "./group-bench.ts";
import { type Case, said } from "./sandbox-bench.ts";
import { processesWith } from "./sandbox-shell.ts";

const one = (title: string, body: (bench: GroupBench) => Promise<void>): Case => ({
  title,
  run: (kind: SandboxKind) => overGroups(kind, body),
});
const sleep = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms));
const python = (text: string): string => `cat > /tmp/p.py <<'EOF'\n${text}\nEOF\nexec python3 -u /tmp/p.py`;

/** Every way to a unix socket that another could send a descriptor to; says what came of each. */
const LISTEN = `
import array, ctypes, os, socket, time
libc = ctypes.CDLL(None, use_errno=True)
def tried(name, make):
    try: print(name, "has", make().fileno())
    except OSError as e: print(name, e)
def bound(kind, at):
    s = socket.socket(socket.AF_UNIX, kind); s.bind(at); s.listen(5); return s
def apart(kind):
    a, b = socket.socketpair(socket.AF_UNIX, kind)
    if libc.connect(a.fileno(), b"\\0\\0", 2): raise OSError(ctypes.get_errno(), "apart")
    a.bind("\\0apart"); globals()["kept"] = (a, b); return a
def pair(kind):
    a, b = socket.socketpair(socket.AF_UNIX, kind)
    f = os.open("/dev/null", os.O_RDONLY)
    a.sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [f]))]); b.recvmsg(1, 64)
    return a
tried("path", lambda: bound(socket.SOCK_STREAM, os.path.expanduser("~/s.sock")))
tried("abstract", lambda: bound(socket.SOCK_STREAM, "\\0s"))
tried("datagrams", lambda: socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM))
tried("pair of datagrams", lambda: apart(socket.SOCK_DGRAM))
tried("pair of raw", lambda: apart(socket.SOCK_RAW))
tried("pair of streams apart", lambda: apart(socket.SOCK_STREAM))
tried("pair of streams", lambda: pair(socket.SOCK_STREAM))
tried("tcp", lambda: socket.socket())
print("DONE")
time.sleep(1000)`;

/** Sends a descriptor of the command's layer to whoever listens; then says that its own sockets work. */
const SEND = `
import array, os, socket
f = os.open("new.txt", os.O_RDWR | os.O_CREAT, 0o644); os.write(f, b"good\\n")
rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [f, os.open(".", os.O_RDONLY)]))]
for kind, at in ((socket.SOCK_STREAM, os.path.expanduser("~/s.sock")), (socket.SOCK_STREAM, "\\0s"), (socket.SOCK_DGRAM, "\\0apart")):
    try:
        s = socket.socket(socket.AF_UNIX, kind); s.connect(at); s.sendmsg([b"x"], rights); print("SENT")
    except OSError as e: print("refused", e.errno)
s = socket.socket(socket.AF_UNIX); s.bind("/tmp/own.sock"); s.listen(1)
c = socket.socket(socket.AF_UNIX); c.connect("/tmp/own.sock"); print("own works")`;

const REFUSED = [
  "path [Errno 97] Address family not supported by protocol",
  "abstract [Errno 97] Address family not supported by protocol",
  "datagrams [Errno 97] Address family not supported by protocol",
  "pair of datagrams [Errno 97] Address family not supported by protocol",
  "pair of raw [Errno 97] Address family not supported by protocol",
  "pair of streams apart [Errno 22] apart",
];

/** Folders and links of the shell's own change places without pause, by several processes that fork, end and wake each other. */
const swapping = (outside: string, name: string): string => `
import ctypes, os, signal, sys, time
libc = ctypes.CDLL(None, use_errno=True)
${JSON.stringify(name)}
for i in range(3):
    os.makedirs("own/d%d" % i); os.makedirs("links", exist_ok=True)
    os.symlink(${JSON.stringify(outside)}, "links/l%d" % i)
    for k in range(4): open("own/d%d/f%d.txt" % (i, k), "w").write("mine\\n")
count = os.open(os.path.expanduser("~/count"), os.O_RDWR | os.O_CREAT, 0o644)
def turns(i):
    n = 0
    while True:
        n += 1
        libc.renameat2(-100, b"own/d%d" % i, -100, b"links/l%d" % i, 2)
        os.pwrite(count, b"%d %d\\n" % (n, os.getpid()), 64 * i)
        if n % 50 == 0: os.kill(-1, signal.SIGCONT)
        if n % 400 == 0 and os.fork(): os._exit(0)
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
print("BEGUN")
for i in range(3):
    if os.fork() == 0: turns(i)
time.sleep(1000)`;

/** The first process of a shell's space, by one of its others. */
function firstOf(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, "latin1");
  if (/^NSpid:.*\t1$/m.test(status)) return pid;
  return firstOf(Number(/^PPid:\t(\d+)/m.exec(status)?.[1]));
}

/** A folder outside, and what tells whether it was read or written. */
function marked(folder: string): () => string {
  mkdirSync(join(folder, "inner"), { recursive: true });
  for (const name of ["outside-0.txt", "f0.txt", "f1.txt", "inner/deep.txt"])
    writeFileSync(join(folder, name), "OUTSIDE");
  const all = (): string[] => [
    folder,
    ...readdirSync(folder, { recursive: true }).map((name) => join(folder, String(name))),
  ];
  const paths = all();
  // Older than the last change, so that a read is written down where the file system does that at all.
  for (const path of paths.toReversed()) utimesSync(path, 1e9, 1e9 + 1000);
  const stats = (): string[] =>
    paths.map((path) => {
      const { mode, ino, size, atimeMs, mtimeMs, ctimeMs } = lstatSync(path);
      return [path, mode, ino, size, atimeMs, mtimeMs, ctimeMs].join(" ");
    });
  const before = stats();
  return () => {
    const after = stats().filter((line, n) => line !== before[n]);
    const gone = all().filter((path) => !paths.includes(path));
    return [...after, ...gone].join("\n");
  };
}

export const FD_CASES: readonly Case[] = [
  one("W2: no descriptor of a command's layer passes to a background shell, by path or by abstract name", async (b) => {
    for (const more of [{}, { network: true }] as const satisfies Partial<ShellCommand>[]) {
      const shell = await b.start(python(LISTEN), more);
      await until(() => readFileSync(shell.outputFile, "utf8").includes("DONE"));
      const told = shell.unread.take().text.split("\n");
      assert.deepEqual(told.slice(0, 6), REFUSED);
      assert.match(told.slice(6).join("\n"), /^pair of streams has \d+\ntcp has \d+\nDONE/);
      assert.match(socketHints(told.join("\n"))[0] ?? "", /TCP port on 127\.0\.0\.1/);
      const sent = await b.run(python(SEND));
      assert.match(sent.output, /^(refused \d+\n){3}own works\n?$/);
      assert.deepEqual(said(sent.changes), ["create new.txt"]);
      await shell.kill();
    }
  }),
  one("W2: of two commands at a time only the first has unix sockets, and the next one again", async (b) => {
    const socket = "python3 -c 'import socket; socket.socket(socket.AF_UNIX); print(\"has\")' 2>&1 | tail -1";
    const home = join(b.base, "state/sessions/s.home/home");
    const both = b.run(`${socket}; touch ~/here; while [ ! -e ~/go ]; do sleep 0.02; done`);
    await until(() => existsSync(join(home, "here")));
    const seen = await b.run(`${socket}; touch ~/go`);
    assert.match(seen.output, /^OSError: \[Errno 97\]/);
    assert.equal((await both).output.trim(), "has");
    assert.equal((await b.run(socket)).output.trim(), "has");
  }),
  one("W2: a shell that swaps folders for links leads no look, landing or copy out of its layer", async (b) => {
    const outside = join(b.base, "outside");
    const harmed = marked(outside);
    const name = `swapping ${process.pid} ${Date.now() % 1_000_000}`;
    b.put("own-before.txt", "x");
    const shell = await b.start(`python3 -u -c '${swapping(outside, name)}'`);
    await until(() => shell.unread.size > 0 && processesWith(name).length > 2);
    const first = firstOf(processesWith(name)[0] ?? 0);
    const count = join(b.base, "state/sessions/s.home/home/count");
    let [looks, landed] = [0, 0];
    const enough = (): boolean => looks > 3 && landed > 0;
    // On a busy machine a look takes seconds.
    for (const start = Date.now(); Date.now() - start < (enough() ? deep(2000, 20_000) : 60_000); looks++) {
      const still = await whileStopped(first, systemClock, async () => {
        const before = readFileSync(count, "latin1");
        await sleep(5);
        return before === readFileSync(count, "latin1");
      });
      if (still !== undefined) assert.equal(still.got, true, "something ran while all stood still");
      await b.changes(shell).catch((error: unknown) => assert.match(String(error), /standing/));
      await b.land(`own/d${looks % 3}/f${looks % 4}.txt`, `landed ${looks}`);
      if (looks % 10 === 0) await b.land("own/d0", undefined);
      const found = await b.groups.collect(shell, `op_x${looks}`, { layers: [], answered: () => true });
      if (found !== undefined) landed++;
      for (const change of found?.set.changes ?? []) {
        assert.ok(!/outside-0|deep\.txt/.test(change.path), change.path);
        const copy = join(found?.set.stepFolder ?? "", `u${change.root}`, change.path);
        if (change.after?.type === "file") assert.ok(!readFileSync(copy, "utf8").includes("OUTSIDE"), change.path);
      }
    }
    assert.ok(enough(), `${looks} looks, ${landed} collected`);
    await shell.kill();
    assert.equal(harmed(), "");
    assert.equal(existsSync(join(outside, "outside-0.txt")), true);
  }),
];
