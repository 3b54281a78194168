import assert from "node:assert/strict";
import { chmodSync, linkSync, lstatSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Case, over, said } from "./sandbox-bench.ts";

const RENAME = 'perl -e \'rename("d", "e") or die "$!\\n"\'';

function withFolder(folder: string): void {
  mkdirSync(join(folder, "d"));
  writeFileSync(join(folder, "d", "f"), "text\n");
}

/** Clones of the roots: the retry of what an overlay refuses, and a copy that is kept up to date. */
export const cloneCases: readonly Case[] = [
  {
    title: "SANDBOX-H3: a folder's rename(2), refused by an overlay, is run again on a clone, and only that is told",
    run: (kind) =>
      over(
        kind,
        async ({ run, folder, resultsDir }) => {
          const long = "for i in $(seq 20000); do echo line $i; done; ";
          for (const talk of ["", long]) {
            const ran = await run(`${talk}[ -e d/seen ] && echo TWICE; touch d/seen; export A=$A.; ${RENAME}`);
            assert.equal(ran.retriedOn, kind === "copy-bind" ? undefined : "copy-bind", ran.output);
            assert.equal(ran.code, 0);
            assert.doesNotMatch(ran.output, /cross-device|TWICE/);
            assert.deepEqual(said(ran.changes), ["create e", "create e/f", "create e/seen", "delete d"]);
            assert.equal(ran.env["A"], ".");
            assert.deepEqual(ran.hints, []);
            if (talk !== "")
              assert.equal(readFileSync(join(resultsDir, "op_2.txt"), "utf8").split("\n").length, 20_001);
          }
          assert.equal(lstatSync(join(folder, "d", "f")).size, 5);
        },
        { prepare: withFolder },
      ),
  },
  {
    title: "SANDBOX-H3: git mv of a folder works",
    run: (kind) =>
      over(
        kind,
        async ({ run }) => {
          const git = "git -c user.name=n -c user.email=e@x";
          const first = await run(`git init -q && git add . && ${git} commit -qm 1`);
          const layers = [first.changes?.stepFolder ?? ""];
          const ran = await run(`git mv d e && git status --short`, { layers });
          assert.equal(ran.output, "R  d/f -> e/f\n", ran.hints.join());
        },
        { prepare: withFolder },
      ),
  },
  {
    title: "SANDBOX-0.7: with a granted need or an abort nothing is run twice: the result says to use mv",
    run: (kind) =>
      over(
        kind,
        async ({ run }) => {
          const ran = await run(RENAME, { network: true });
          assert.equal(ran.retriedOn, undefined);
          assert.equal(
            ran.hints.some((hint) => hint.includes("use `mv`")),
            kind !== "copy-bind",
          );
        },
        { prepare: withFolder },
      ),
  },
  {
    title: "W7: the next command sees what the person did since, and what an earlier one left out is gone",
    run: (kind) =>
      over(
        kind,
        async ({ run, folder }) => {
          const first = await run("echo mine >> a; rm -r gone; mkdir made; echo m > made/m; chmod 700 d; mv b c");
          assert.equal(first.changes?.changes.length, 7);
          writeFileSync(join(folder, "a"), "theirs");
          renameSync(join(folder, "d"), join(folder, "d2"));
          rmSync(join(folder, "b"));
          const next = await run("cat a; ls; ls gone d2; stat -c %a d2; echo x > new");
          assert.equal(next.output, "theirsa\nd2\ngone\nd2:\nf\n\ngone:\ng\n755\n");
          assert.deepEqual(said(next.changes), ["create new"]);
          const again = await run("ls; find . -name f");
          assert.equal(again.output, "a\nd2\ngone\n./d2/f\n");
        },
        {
          prepare: (folder) => {
            withFolder(folder);
            chmodSync(join(folder, "d"), 0o755);
            mkdirSync(join(folder, "gone"));
            for (const name of ["a", "b", "gone/g"]) writeFileSync(join(folder, name), name);
          },
        },
      ),
  },
  {
    title: "P9: a kept layer that is dropped is seen no more",
    run: (kind) =>
      over(
        kind,
        async ({ run, steps }) => {
          await run("echo kept >> a; mkdir -p node_modules/p; rm -r d; mkdir d; echo n > d/n");
          const layers = [join(steps, "op_1")];
          assert.equal(
            (await run("cat a; ls d node_modules", { layers })).output,
            "akept\nd:\nn\n\nnode_modules:\np\n",
          );
          const ran = await run("cat a; ls . d");
          assert.equal(ran.output, "a.:\na\nd\n\nd:\nf\n");
          assert.deepEqual(said(ran.changes), []);
        },
        {
          prepare: (folder) => {
            withFolder(folder);
            writeFileSync(join(folder, "a"), "a");
          },
        },
      ),
  },
  {
    title: "P1: in plan mode what a command writes to build folders is thrown away, the rest is read-only",
    run: (kind) =>
      over(
        kind,
        async ({ run }) => {
          const command = "ls node_modules dist; echo x > node_modules/x; echo y > dist/y; echo z > z";
          for (const _ of [1, 2]) {
            const ran = await run(command, { mode: "plan" });
            assert.match(ran.output, /^dist:\n\nnode_modules:\np\n[^]*Read-only/);
            assert.equal(ran.changes, undefined);
          }
          assert.equal(
            (await run("ls -A . node_modules")).output,
            ".:\n.gitignore\nnode_modules\npackage.json\n\nnode_modules:\np\n",
          );
        },
        {
          prepare: (folder) => {
            mkdirSync(join(folder, "node_modules", "p"), { recursive: true });
            writeFileSync(join(folder, "package.json"), "{}");
            writeFileSync(join(folder, ".gitignore"), "node_modules\ndist\n");
          },
        },
      ),
  },
  {
    title: "SANDBOX-H4: names of one file: an overlay parts them, a clone does not",
    run: (kind) =>
      over(
        kind,
        async ({ run }) => {
          const ran = await run("echo more >> h1; cat h2");
          const together = kind === "copy-bind";
          assert.equal(ran.output, together ? "hmore\n" : "h");
          assert.deepEqual(said(ran.changes), together ? ["modify h1", "modify h2"] : ["modify h1"]);
          const same = await run("rm h2");
          assert.deepEqual(said(same.changes), ["delete h2"]);
          assert.deepEqual([ran.hints, same.hints], [[], []]);
          const named = await run("ln h1 h3; echo n > n1; ln n1 n2; ln n1 n3");
          assert.deepEqual(said(named.changes), ["create h3", "create n1", "create n2", "create n3"]);
          assert.deepEqual(named.hints, [
            "a hard link to a file that was there already lands as a file of its own: h3",
          ]);
        },
        {
          prepare: (folder) => {
            writeFileSync(join(folder, "h1"), "h");
            linkSync(join(folder, "h1"), join(folder, "h2"));
          },
        },
      ),
  },
];
