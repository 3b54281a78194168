import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { type Case, over } from "./sandbox-bench.ts";

/** What lies outside of the roots and is granted, on every backend with walls. */
export const leavingCases: readonly Case[] = [
  {
    title:
      "W1: a granted folder outside is there at its own path, read-only or writable as granted, and nothing beside it",
    run: (kind) =>
      over(kind, async ({ run, base }) => {
        for (const name of ["seen", "written", "other"]) {
          mkdirSync(join(base, name));
          writeFileSync(join(base, name, "f"), `${name}\n`);
        }
        writeFileSync(join(base, "one"), "one\n");
        const outside = [
          { path: join(base, "seen"), access: "read" },
          { path: join(base, "written"), access: "write" },
          { path: join(base, "one"), access: "read" },
        ] as const;
        const ran = await run(
          `cd ${base}; cat seen/f written/f one; ls other 2>/dev/null; echo x 2>/dev/null > seen/f || echo kept; echo x 2>/dev/null >> one || echo kept; echo new > written/f; echo more > written/g`,
          { outside },
        );
        assert.equal(ran.output, "seen\nwritten\none\nkept\nkept\n");
        assert.deepEqual(ran.changes?.changes, []);
        assert.equal(readFileSync(join(base, "seen", "f"), "utf8"), "seen\n");
        assert.equal(readFileSync(join(base, "written", "f"), "utf8"), "new\n");
        assert.equal(readFileSync(join(base, "written", "g"), "utf8"), "more\n");
        const next = await run(`ls ${base}/seen ${base}/written 2>/dev/null | wc -l`);
        assert.equal(next.output.trim(), "0");
      }),
  },
  {
    title: "W1: in a granted folder the roots stay copies, the program's own folders and secrets are covered",
    run: (kind) =>
      over(kind, async ({ run, base, folder, personHome, sandbox, steps }) => {
        assert.equal(sandbox.kind, kind);
        const state = dirname(steps);
        mkdirSync(join(personHome, ".ssh"));
        writeFileSync(join(personHome, ".ssh", "id"), "SECRET");
        writeFileSync(join(personHome, "notes"), "notes\n");
        writeFileSync(join(state, "key"), "SECRET");
        const outside = [...new Set([base, dirname(state)])].map((path) => ({ path, access: "write" as const }));
        const ran = await run(
          `cat ${personHome}/notes; cat ${personHome}/.ssh/id; ls ${state} | grep -v results; echo in > made; echo out > ${base}/made`,
          { outside },
        );
        assert.match(ran.output, /^notes\n(cat: [^\n]*No such file[^\n]*\n)?$/);
        assert.deepEqual(
          ran.changes?.changes.map((c) => `${c.op} ${c.path}`),
          ["create made"],
        );
        assert.throws(() => readFileSync(join(folder, "made")));
        assert.equal(readFileSync(join(base, "made"), "utf8"), "out\n");
        await assert.rejects(run("true", { outside: [{ path: state, access: "read" }] }), /belongs to this program/);
      }),
  },
  {
    title: "SANDBOX-H10: a socket in a granted folder can't be talked to",
    run: (kind) =>
      over(kind, async ({ run, base }) => {
        mkdirSync(join(base, "out"));
        const path = join(base, "out", "s");
        const server = createServer((socket) => socket.end("PWNED"));
        await new Promise<void>((resolve) => server.listen(path, resolve));
        try {
          const ask = `perl -MIO::Socket::UNIX -e 'my $s=IO::Socket::UNIX->new(Peer=>"${path}") or die "refused: $!\\n"; print <$s>'`;
          for (const access of ["read", "write"] as const) {
            const ran = await run(ask, { outside: [{ path: join(base, "out"), access }] });
            assert.match(ran.output, /^refused: /);
          }
        } finally {
          server.close();
        }
      }),
  },
  {
    title: "P10: out of the copy a command works in the folder itself, and no changes of it are known",
    run: (kind) =>
      over(kind, async ({ run, folder }) => {
        const ran = await run("echo x > made; export A=1; kill -0 $PPID && echo outside", {
          network: true,
          unsandboxed: true,
        });
        assert.deepEqual([ran.output, ran.changes, ran.env], ["outside\n", undefined, { A: "1" }]);
        assert.equal(readFileSync(join(folder, "made"), "utf8"), "x\n");
        await assert.rejects(run("true", { network: true, unsandboxed: true, mode: "plan" }), /plan mode/);
      }),
  },
];
