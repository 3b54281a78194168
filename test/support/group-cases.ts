import { execFileSync } from "node:child_process";
import assert from "node:assert/strict";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { GroupView } from "../../src/sandbox/group-view.ts";
import { upperOf } from "../../src/workspace/change.ts";
import { fetchIn, type GroupBench, overGroups, SERVER, until } from "./group-bench.ts";
import { applyChanges } from "./sandbox-apply.ts";
import { processesWith } from "./sandbox-shell.ts";
import { type Case, LIMITS, said } from "./sandbox-bench.ts";
import type { SandboxKind } from "../../src/sandbox/sandbox.ts";

const one = (
  title: string,
  body: (bench: GroupBench) => Promise<void>,
  prepare?: (folder: string, base: string) => void,
  denied?: readonly string[],
): Case => ({ title, run: (kind: SandboxKind) => overGroups(kind, body, prepare, denied) });

/** As a browser of the person's sees it. */
async function page(at: number, path: string): Promise<string> {
  const got = await fetch(`http://127.0.0.1:${at}/${path}`, { headers: { connection: "close" } });
  return got.ok ? await got.text() : `status ${got.status}`;
}

/** The system's own node, which the copy shows too. */
export const COPY_NODE = ["/usr/bin/node", "/usr/local/bin/node"].find((path) => existsSync(path));

export const GROUP_CASES: readonly Case[] = [
  one(
    "T1: a later command reaches the server's port, and has a network of its own again when it has ended",
    async (b) => {
      b.put("a.txt", "one");
      const server = await b.start(SERVER);
      await until(() => server.unread.size > 0);
      const got = await b.run(fetchIn("a.txt"));
      assert.equal(got.output, "one");
      assert.deepEqual(said(got.changes), []);
      const shared = [
        (await b.run("readlink /proc/self/ns/net")).output,
        (await b.run("readlink /proc/self/ns/net")).output,
      ];
      assert.equal(shared[0], shared[1]);
      assert.match((await b.run("cat /proc/net/dev")).output, /lo:/);
      await server.kill();
      assert.deepEqual(server.end, { reason: "killed", code: null, signal: "SIGKILL" });
      assert.notEqual((await b.run(fetchIn("a.txt"))).code, 0);
      const last = (await b.run("readlink /proc/self/ns/net")).output;
      assert.notEqual(last, shared[0]);
    },
  ),
  one("W1: the walls of a command hold for one that runs beside a background shell, and for the shell", async (b) => {
    const wall =
      "touch /usr/x 2>&1; unshare -U true 2>&1; unshare -n true 2>&1; mount -t tmpfs t /mnt 2>&1; " +
      "nsenter -t 1 -n true 2>&1; [ $(ls /proc | grep -c '^[0-9]') -lt 10 ] && echo few; grep NoNewPrivs /proc/self/status; grep Seccomp: /proc/self/status; " +
      "timeout 2 bash -c '</dev/tcp/192.0.2.1/80' 2>&1";
    const alone = await b.run(wall);
    const shell = await b.start(`${wall}; echo DONE; sleep 1000`);
    await until(() => readFileSync(shell.outputFile, "utf8").includes("DONE"));
    const beside = await b.run(wall);
    const plain = (text: string): string => text.replaceAll(/line \d+/g, "line");
    assert.match(alone.output, /Read-only|Permission denied/);
    assert.match(alone.output, /^few$/m);
    assert.match(alone.output, /NoNewPrivs:\t1\n.*Seccomp:\t2/s);
    assert.equal(plain(beside.output), plain(alone.output));
    assert.equal(plain(shell.unread.take().text.replace("DONE\n", "")), plain(alone.output));
  }),
  one("what lands is seen at once: replaced, new, deleted, a folder, a link, a mode", async (b) => {
    for (const path of ["a.txt", "gone.txt", "d/x.txt"]) b.put(path, "old");
    const server = await b.start(SERVER);
    const { at } = await b.groups.openPort(3000);
    await until(async () => (await page(at, "a.txt").catch(() => "")) === "old");
    for (const path of ["gone.txt", "d/x.txt", "new.txt"]) await page(at, path);
    await b.land("a.txt", "new");
    assert.equal(await page(at, "a.txt"), "new");
    await b.land("a.txt", "");
    assert.equal(await page(at, "a.txt"), "");
    await b.land("new.txt", "came");
    assert.equal(await page(at, "new.txt"), "came");
    await b.land("gone.txt", undefined);
    assert.equal(await page(at, "gone.txt"), "status 404");
    await b.land("gone.txt", "back");
    assert.equal(await page(at, "gone.txt"), "back");
    await b.land("d", undefined);
    assert.equal(await page(at, "d/x.txt"), "status 404");
    b.put("e/f/y.txt", "deep");
    await b.groups.mirror([{ root: 0, path: "e", deep: true }], []);
    assert.equal(await page(at, "e/f/y.txt"), "deep");
    symlinkSync("e/f/y.txt", join(b.folder, "l.txt"));
    await b.groups.mirror([{ root: 0, path: "l.txt" }], []);
    assert.equal(await page(at, "l.txt"), "deep");
    chmodSync(join(b.folder, "a.txt"), 0o755);
    await b.groups.mirror([{ root: 0, path: "a.txt" }], []);
    assert.equal(statSync(join(upperOf(server.stepFolder, 0), "a.txt")).mode & 0o777, 0o755);
    assert.equal(statSync(join(upperOf(server.stepFolder, 0), "a.txt")).uid, process.getuid?.());
    assert.equal(server.trouble, undefined);
    assert.deepEqual(await b.changes(server), []);
    // Not even when the folder goes on without it.
    b.put("a.txt", "later");
    assert.deepEqual(await b.changes(server), []);
  }),
  one(
    "P6: what a Read deny names is hidden from it too, also when the person saves it anew; what it staged of that isn't brought",
    async (b) => {
      const tries = "cat .env keys/k 2>&1; git add -A keys 2>/dev/null; git rm -q --cached .env";
      const shell = await b.start(`while sleep 0.05; do ${tries}; [ -e go ] && echo n > new && exit; done`);
      await until(() => shell.unread.size > 0);
      await b.land(".env", "CANARY-SECRET 2");
      await b.land("keys/k", "CANARY-SECRET 3");
      await b.land("go", "go");
      await until(() => shell.end !== undefined);
      const said = shell.unread.take().text;
      assert.match(said, /\.env: Permission denied/);
      assert.doesNotMatch(said, /CANARY/);
      assert.equal(shell.trouble, undefined);
      const { set, lost } = await b.collect(shell);
      assert.deepEqual(set.changes, []);
      assert.match(lost ?? "", /staged what is kept from commands \(\.env/);
    },
    (folder) => {
      mkdirSync(join(folder, "keys"));
      for (const file of [".env", "keys/k"]) writeFileSync(join(folder, file), "CANARY-SECRET");
      const env = { PATH: process.env["PATH"], HOME: "/nowhere" };
      const line = "git init -q; git config user.email a@b.c; git config user.name n; git add -A; git commit -qm one";
      execFileSync("bash", ["-ec", line], { cwd: folder, env });
    },
    ["Read(.env)", "Read(/keys)"],
  ),
  one(
    "its own changes are told exactly while it runs, collected by copy, and nothing of it reaches the folder (H1)",
    async (b) => {
      for (const path of ["a.txt", "gone.txt", "keep.txt", "d/x.txt"]) b.put(path, "old");
      const shell = await b.start(
        "echo new > a.txt; rm gone.txt; rm -r d; mkdir -p n/m; echo deep > n/m/f; ln -s a.txt l; echo same > t; " +
          "touch keep.txt; exec 7>>open.txt; echo READY; while read -r line < <(sleep 0.05; echo x); do [ -e go ] && echo later >&7; done",
      );
      await until(() => shell.unread.size > 0);
      const all = [
        "create l",
        "create n",
        "create n/m",
        "create n/m/f",
        "create open.txt",
        "create t",
        "delete d",
        "delete gone.txt",
        "modify a.txt",
      ];
      assert.deepEqual(await b.changes(shell), all);
      const { set, clashes, left } = await b.collect(shell);
      assert.deepEqual([said(set), clashes, left], [all, [], []]);
      assert.deepEqual(readdirSync(b.folder).toSorted(), ["a.txt", "d", "gone.txt", "keep.txt"]);
      applyChanges(set, 0, b.folder);
      await b.groups.mirror(
        set.changes.map(({ root, path }) => ({ root, path, deep: true, by: set.operationId })),
        [],
      );
      assert.equal(b.text("n/m/f"), "deep\n");
      // The shell has the file open, and writes on: into its own copy.
      const [before] = [b.text("open.txt")];
      await b.land("go", "");
      await until(() => readFileSync(join(upperOf(shell.stepFolder, 0), "open.txt"), "utf8").includes("later"));
      assert.equal(b.text("open.txt"), before);
      assert.deepEqual([await b.changes(shell), [...shell.clashes]], [["modify open.txt"], []]);
    },
  ),
  one("what it changes without a pause is looked at while it stands still, and it goes on", async (b) => {
    const shell = await b.start(
      "echo READY; n=0; while :; do mkdir d; for i in {1..40}; do echo $n > d/$i; done; rm -r d; n=$((n+1)); echo $n > n; done",
    );
    await until(() => shell.unread.size > 0);
    const rounds = new Set<string>();
    for (let n = 0; n < 40; n++) {
      await new Promise((done) => setTimeout(done, 15));
      const { set } = await b.collect(shell, false);
      const file = join(upperOf(set.stepFolder, 0), "n");
      rounds.add(existsSync(file) ? readFileSync(file, "utf8") : "");
      // All of one folder are of one round, or of two.
      const seen = set.changes.filter((c) => c.path.startsWith("d/"));
      const values = new Set(
        seen.map((c) => readFileSync(join(upperOf(set.stepFolder, 0), c.path), "utf8")).filter((v) => v !== ""),
      );
      assert.ok(values.size <= 1, [...values].join(" "));
    }
    assert.ok(rounds.size > 3, `it stands still: ${[...rounds].join(" ")}`);
  }),
  one("it stands still while a file of its own is written over, and goes on", async (b) => {
    const nap = `${600_000 + process.pid}.${Date.now() % 1_000_000}`;
    const shell = await b.start(`echo READY; sleep ${nap} & while :; do sleep 0.01; echo x >> ticks; done`);
    await until(() => shell.unread.size > 0 && processesWith(nap).length > 0);
    b.put("big.txt", "x".repeat(40 << 20));
    const states = new Set<string>();
    let over = false;
    const done = b.groups.mirror([{ root: 0, path: "big.txt" }], []).finally(() => (over = true));
    while (!over) {
      const [pid = 0] = processesWith(nap).filter(
        (p) => !readFileSync(`/proc/${p}/cmdline`, "latin1").includes("READY"),
      );
      if (pid !== 0) states.add(readFileSync(`/proc/${pid}/stat`, "latin1").split(") ")[1]?.slice(0, 1) ?? "");
      await new Promise((resolve) => setImmediate(resolve));
    }
    await done;
    assert.ok(states.has("T"), [...states].join(" "));
    const ticks = join(upperOf(shell.stepFolder, 0), "ticks");
    const size = statSync(ticks).size;
    await until(() => statSync(ticks).size > size);
  }),
  one("what was offered and answered is not offered again until it changes; what nobody answered is", async (b) => {
    const shell = await b.start(
      "echo one > f; echo READY; until [ -e go ]; do sleep 0.05; done; echo two > f; echo READY; sleep 1000",
    );
    await until(() => shell.unread.size > 0);
    assert.deepEqual(said((await b.collect(shell)).set), ["create f"]);
    assert.deepEqual(await b.changes(shell, true), []);
    assert.deepEqual(await b.changes(shell, false), ["create f"]);
    shell.unread.take();
    await b.land("go", "");
    await until(() => shell.unread.size > 0);
    assert.deepEqual(await b.changes(shell, true), ["create f"]);
  }),
  one("a file that the shell changed itself is not written over; both are told", async (b) => {
    b.put("a.txt", "old");
    b.put("plain.txt", "old");
    const shell = await b.start("echo mine > a.txt; touch plain.txt; echo READY; sleep 1000");
    await until(() => shell.unread.size > 0);
    await b.land("a.txt", "yours");
    await b.land("plain.txt", "yours");
    const seen = (path: string): string => readFileSync(join(upperOf(shell.stepFolder, 0), path), "utf8");
    assert.deepEqual([seen("a.txt"), seen("plain.txt")], ["mine\n", "yours"]);
    assert.deepEqual([...shell.clashes], ["0/a.txt"]);
    assert.deepEqual(await b.changes(shell), ["modify a.txt late"]);
    const { set, clashes } = await b.collect(shell);
    assert.deepEqual([said(set), clashes.map((c) => c.path)], [[], ["a.txt"]]);
    await shell.kill();
    // It ends: the door decides, which knows what it began from.
    assert.deepEqual(said((await b.collect(shell)).set), ["modify a.txt late"]);
  }),
  one("a folder that is deleted for good is told where the shell may still see it; all else arrives", async (b) => {
    for (const path of ["d/x.txt", "z.txt"]) b.put(path, "old");
    const shell = await b.start(`cat d/x.txt; ${SERVER}`);
    // Its own word, once it listens.
    await until(() => readFileSync(shell.outputFile, "utf8").includes("Serving"));
    rmSync(join(b.folder, "d"), { recursive: true });
    b.put("z.txt", "new");
    const changed = ["d", "d/x.txt", "z.txt"].map((path) => ({ root: 0, path, maybe: true }));
    await b.groups.mirror(changed, []);
    const seen = await b.run(fetchIn("z.txt"));
    assert.equal(seen.output, "new");
    assert.ok((shell.trouble ?? "d was deleted").includes("d was deleted"), shell.trouble);
    assert.deepEqual(await b.changes(shell), []);
  }),
  one(
    "SEC: links and pipes that the shell puts in the way lead nowhere, and hang nothing",
    async (b) => {
      const outside = join(b.base, "outside");
      const shell = await b.start(
        `rm -r d && ln -s ${outside} d; rm f && ln -s ${outside}/secret f; rm p && mkfifo p; mv e e2 && ln -s ${b.folder} e; echo READY; sleep 1000`,
      );
      await until(() => shell.unread.size > 0);
      for (const path of ["d/secret", "f", "p", "e/x"]) await b.land(path, "LANDED");
      await b.groups.mirror(
        ["d/new", "e/new"].map((path) => ({ root: 0, path })),
        [],
      );
      assert.equal(readFileSync(join(outside, "secret"), "utf8"), "secret");
      assert.deepEqual(readdirSync(outside), ["secret"]);
      assert.deepEqual(readdirSync(b.folder).toSorted(), ["d", "e", "f", "p"]);
      assert.deepEqual([...shell.clashes].toSorted(), ["0/d/new", "0/d/secret", "0/e/new", "0/e/x", "0/f", "0/p"]);
    },
    (folder, base) => {
      mkdirSync(join(base, "outside"));
      writeFileSync(join(base, "outside/secret"), "secret");
      for (const dir of ["d", "e"]) mkdirSync(join(folder, dir));
      for (const path of ["d/secret", "f", "p", "e/x"]) writeFileSync(join(folder, path), "old");
    },
  ),
  one("SEC: nothing is written by way of a process that is none of the shell's, or has ended", async (b) => {
    b.put("a.txt", "old");
    const own = new GroupView(process.pid, false);
    await assert.rejects(
      own.at(b.folder, "", () => Promise.resolve(true)),
      /not the group's own/,
    );
    own.close();
    const shell = await b.start("echo READY; sleep 1000");
    await until(() => shell.unread.size > 0);
    await shell.kill();
    rmSync(join(b.folder, "a.txt"));
    await b.groups.mirror([{ root: 0, path: "a.txt" }], []);
    assert.deepEqual(readdirSync(b.folder), []);
  }),
  one("a port is open on 127.0.0.1 alone, elsewhere where it is taken, and closed with the shell", async (b) => {
    b.put("a.txt", "one");
    const taken = createServer();
    const port = await new Promise<number>((resolve) =>
      taken.listen(0, "127.0.0.1", () => resolve((taken.address() as { port: number }).port)),
    );
    const server = await b.start(`python3 -u -m http.server ${port} --bind ::1`);
    const other = await b.start("sleep 1000");
    const forward = await b.groups.openPort(port, "bg_1");
    assert.notEqual(forward.at, port);
    taken.close();
    await until(async () => (await page(forward.at, "a.txt").catch(() => "")) === "one");
    assert.deepEqual(await b.groups.openPort(port), forward);
    assert.deepEqual(b.groups.ports(), [forward]);
    await assert.rejects(fetch(`http://[::1]:${forward.at}/a.txt`));
    const again = await b.groups.openPort(port, "bg_1");
    assert.equal(again.at, forward.at);
    await server.kill();
    assert.deepEqual(b.groups.ports(), []);
    await assert.rejects(page(forward.at, "a.txt"));
    assert.equal(other.end, undefined);
  }),
  one("a body of some MB goes through a port both ways, whole", async (b) => {
    const echo =
      "import socket;s=socket.create_server(('127.0.0.1',3000));print('up',flush=True)\nwhile 1:\n c,_=s.accept()\n" +
      " d=b''\n while 1:\n  r=c.recv(65536)\n  if not r: break\n  d+=r\n c.sendall(d);c.close()";
    const server = await b.start(`python3 -c "${echo}"`);
    await until(() => server.unread.size > 0);
    const { at } = await b.groups.openPort(3000);
    const { connect } = await import("node:net");
    const sent = Buffer.alloc(3 << 20, "understudy ");
    const got = await new Promise<Buffer>((resolve, reject) => {
      const socket = connect({ port: at, host: "127.0.0.1", allowHalfOpen: true }, () => socket.end(sent));
      const parts: Buffer[] = [];
      socket
        .on("data", (part) => parts.push(part))
        .on("end", () => resolve(Buffer.concat(parts)))
        .on("error", reject);
    });
    assert.ok(got.equals(sent), `${got.length} of ${sent.length} bytes`);
  }),
  one("limits but the time hold, and say which", async (b) => {
    const shell = await b.start("head -c 30M /dev/zero > big; sleep 1000", { limits: { ...LIMITS, layerMb: 8 } });
    await until(() => shell.end !== undefined);
    assert.equal(shell.end?.reason, "limit");
    assert.match(shell.end?.limit ?? "", /8 MB/);
    await assert.rejects(
      b.start("echo x", { layers: [join(b.base, "none")] }),
      /could not be started|not be started|lower/,
    );
    assert.deepEqual(b.groups.living(), []);
  }),
  one("endless output is bounded in memory, the newest kept, and the shell goes on", async (b) => {
    const shell = await b.start("yes 0123456789; sleep 1");
    await until(() => shell.unread.size > 400_000);
    const { text, dropped } = shell.unread.take();
    assert.ok(text.length < 900_000 && text.includes("0123456789\n0123456789\n"), `${text.length} ${dropped}`);
    assert.equal(shell.end, undefined);
    await shell.kill();
  }),
  one(
    "one that has ended gives what it changed, regenerable folders too, as a layer that later commands see exactly",
    async (b) => {
      b.put("dist/old.js", "old");
      b.put("dist/keep.js", "keep");
      b.put("node_modules/p/i.js", "p");
      const shell = await b.start(
        "rm -r node_modules; rm -r dist && mkdir dist && echo new > dist/new.js; echo x > src.txt; exit 3",
      );
      await until(() => shell.end !== undefined);
      assert.deepEqual(shell.end, { reason: "exit", code: 3, signal: null });
      const { set } = await b.collect(shell);
      assert.deepEqual(said(set), [
        "create dist/new.js",
        "create src.txt",
        "delete dist/keep.js",
        "delete dist/old.js",
        "delete node_modules",
      ]);
      const seen = await b.run("ls -R; cat dist/new.js", { layers: [set.stepFolder] });
      assert.equal(seen.output, ".:\ndist\nsrc.txt\n\n./dist:\nnew.js\nnew\n");
      await b.groups.forget(shell);
      assert.ok(!existsSync(shell.stepFolder));
    },
  ),
  one("after a crash the same is known: what was written into it is no change, what it changed is", async (b) => {
    for (const path of ["a.txt", "b.txt"]) b.put(path, "old");
    const shell = await b.start("echo mine > own.txt; echo said; sleep 1000");
    await until(() => shell.unread.size > 0);
    await b.land("a.txt", "landed");
    await shell.kill();
    b.put("a.txt", "later");
    await b.groups.close();
    const { Groups } = await import("../../src/sandbox/groups.ts");
    const again = new Groups(b.groups.parts);
    const lost = again.reopen({ id: "bg_1", operationId: "op_bg1", command: "c" }, shell.stepFolder);
    assert.ok(lost !== undefined);
    const asked = { layers: [], answered: () => true };
    const changes = await again.changes(lost, asked).catch((error: unknown) => String(error));
    assert.deepEqual(Array.isArray(changes) ? changes.map((c) => `${c.op} ${c.path}`) : changes, ["create own.txt"]);
    assert.equal(lost.tail(100), "said\n");
    assert.equal(again.reopen({ id: "bg_9", operationId: "op_bg9", command: "c" }, join(b.steps, "none")), undefined);
  }),
];

/** Watching servers; `node` is the system's own. */
export const WATCH_CASES = (node: string): readonly Case[] => [
  one("node --watch and a server on fs.watch see an edit's content", async (b) => {
    b.put("src/app.mjs", "console.log('v1'); setInterval(() => {}, 1000)");
    b.put(
      "watch.mjs",
      "import { readFileSync, watch } from 'node:fs'; const seen = () => console.log('saw ' + readFileSync('page/data.txt', 'utf8'));" +
        "watch('page', seen); watch('page/data.txt', () => console.log('file')); console.log('up')",
    );
    b.put("page/data.txt", "one");
    const app = await b.start(`${node} --watch src/app.mjs`);
    const watcher = await b.start(`${node} watch.mjs`);
    const said = (file: string, text: string): boolean => readFileSync(file, "utf8").includes(text);
    const has = (file: string, text: string) => until(() => said(file, text), `never said ${text}`);
    const version = (v: string): string => `console.log('${v}'); setInterval(() => {}, 1000)`;
    await has(app.outputFile, "v1");
    await has(watcher.outputFile, "up");
    // Node watches a file some time after it ran it: what comes before that, nobody sees.
    for (let n = 0; !said(app.outputFile, "begun"); n++) {
      await b.land("src/app.mjs", version(`begun ${n}`));
      await new Promise((done) => setTimeout(done, 300));
    }
    await b.land("src/app.mjs", version("v2"));
    await b.land("page/data.txt", "two");
    await has(app.outputFile, "v2");
    await has(watcher.outputFile, "saw two");
    await has(watcher.outputFile, "file");
    await b.land("page/data.txt", "three");
    await has(watcher.outputFile, "saw three");
    assert.deepEqual([await b.changes(app), await b.changes(watcher)], [[], []]);
  }),
];
