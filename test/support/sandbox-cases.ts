import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { SandboxKind } from "../../src/sandbox/sandbox.ts";
import { upperOf } from "../../src/workspace/change.ts";
import { deep } from "./deep.ts";
import { cloneCases } from "./sandbox-clone.ts";
import { type Case, LIMITS, over, said } from "./sandbox-bench.ts";
import { openGround } from "./sandbox-oracle.ts";
import { SCRIPTS } from "./sandbox-scripts.ts";
import { treeLines } from "./tree.ts";
import { hiddenCases } from "./sandbox-hidden.ts";
import { linkCases } from "./sandbox-links.ts";
import { leavingCases } from "./sandbox-leaving.ts";
import { shownCases } from "./sandbox-shown.ts";
import { netCases } from "./sandbox-net.ts";
import { WALL_WORDS, wallCases } from "./sandbox-walls.ts";
import { shellCases } from "./sandbox-shell.ts";

/** The same command plainly and through the copy and the door; what an ordinary user closed to themselves is all that may differ. */
async function differential(kind: SandboxKind, script: string, prepare = ""): Promise<void> {
  const ground = await openGround(kind, prepare);
  try {
    const came = await ground.round(script);
    if (came === "known") assert.ok(process.getuid?.() !== 0 && /locked|000/.test(script), "as a plain run");
  } finally {
    await ground.close();
  }
}

const differentialCases: Case[] = Object.entries(SCRIPTS).map(([name, script]) => ({
  title: `W2: ${name}: through the copy and the door as plainly, and undone`,
  run: (kind) => differential(kind, script),
}));

/** The folder's own mode refuses an ordinary user what it refuses outside; what is below it does not. */
const UNWRITABLE =
  "echo n > n; rm empty; mkdir d; mv run.sh r.sh; cp big big2; echo more >> empty; echo x > src/new; rm src/b.txt; chmod 600 big; ln -sf x link";

const scanCases: Case[] = [
  {
    title: "W2: in a folder without its own write bit: through the copy and the door as plainly, and undone",
    run: (kind) => differential(kind, UNWRITABLE, "chmod 555 ."),
  },
  {
    title: "W2: a touch, equal bytes and a file that came and went are no change",
    run: (kind) =>
      over(
        kind,
        async ({ run }) => {
          const ran = await run(
            "touch a; cat a > /tmp/x; cat /tmp/x > a; echo t > t; rm t; mkdir d; rmdir d; chmod 600 a; chmod 644 a",
          );
          assert.deepEqual(said(ran.changes), []);
        },
        { prepare: (folder) => writeFileSync(join(folder, "a"), "a\n", { mode: 0o644 }) },
      ),
  },
  {
    title: "W2: what somebody else changed meanwhile is marked late; what was not touched by both is not",
    run: (kind) =>
      over(
        kind,
        async ({ run, folder, resultsDir }) => {
          // Not a file of the folder: the copy remembers that a name was not there (SANDBOX-H2).
          const wait = `while [ ! -e '${resultsDir}/go' ]; do sleep 0.02; done`;
          let ready = (): void => {};
          const begun = new Promise<void>((resolve) => (ready = resolve));
          const ran = run(`echo ready; ${wait}; echo mine >> a; echo mine >> b; rm -r d e`, {}, undefined, () =>
            ready(),
          );
          await begun;
          writeFileSync(join(folder, "a"), "theirs");
          writeFileSync(join(folder, "d", "new"), "theirs");
          writeFileSync(join(resultsDir, "go"), "");
          const changes = said((await ran).changes);
          assert.deepEqual(changes, ["delete d late", "delete e", "modify a late", "modify b"]);
        },
        {
          prepare: (folder) => {
            for (const name of ["a", "b"]) writeFileSync(join(folder, name), name);
            for (const name of ["d", "e"]) {
              mkdirSync(join(folder, name));
              writeFileSync(join(folder, name, "f"), "f");
            }
          },
        },
      ),
  },
  {
    title: "W2: a rename is a pair, with the hash of its bytes",
    run: (kind) =>
      over(
        kind,
        async ({ run }) => {
          const ran = await run("mv a b");
          const [created, deleted] = ["create", "delete"].map((op) => ran.changes?.changes.find((c) => c.op === op));
          assert.equal(created?.pair, "a");
          assert.equal(deleted?.pair, "b");
          assert.equal(created?.after?.hash, deleted?.before?.hash);
        },
        { prepare: (folder) => writeFileSync(join(folder, "a"), "text") },
      ),
  },
  {
    title: "P9: kept layers are seen by the next command, the newest first, and its changes are its own",
    run: (kind) =>
      over(kind, async ({ run, steps }) => {
        const first = await run("mkdir -p node_modules/p old; echo 1 > node_modules/p/i; echo o > old/o");
        const second = await run("echo 2 > node_modules/p/i; rm -r old; mkdir old; echo n > old/n", {
          layers: [join(steps, "op_1")],
        });
        assert.deepEqual(said(first.changes), ["create node_modules", "create old", "create old/o"]);
        assert.deepEqual(said(second.changes), ["create old/n", "delete old/o", "modify node_modules/p/i"]);
        const layers = [join(steps, "op_1"), join(steps, "op_2")];
        const third = await run("cat node_modules/p/i; ls old; rm old/n; echo 3 > x", { layers });
        assert.equal(third.output, "2\nn\n");
        assert.deepEqual(said(third.changes), ["create x", "delete old/n"]);
        // A clone's layer names each deletion instead.
        assert.equal(existsSync(join(steps, "op_2", "opaque.json")), kind !== "copy-bind");
      }),
  },
  {
    title: "W1: several roots lie in one copy, each at its own path, and one change set spans them",
    run: (kind) =>
      over(
        kind,
        async ({ run, base }) => {
          const ran = await run(`echo 1 > here; echo 2 > '${base}/other dir/there'; cat '${base}/other dir/old'`);
          assert.equal(ran.output, "old\n");
          const changes = (ran.changes?.changes ?? []).map((c) => `${c.root} ${c.op} ${c.path}`);
          assert.deepEqual(changes, ["0 create here", "1 create there"]);
          assert.deepEqual(readdirSync(join(base, "other dir")), ["old"]);
        },
        {
          roots: (folder, base) => {
            mkdirSync(join(base, "other dir"), { recursive: true });
            writeFileSync(join(base, "other dir", "old"), "old\n");
            return [
              { path: folder, kind: "folder" },
              { path: join(base, "other dir"), kind: "git" },
            ];
          },
        },
      ),
  },
  {
    title: "W1: folders whose name mount options would misread",
    run: (kind) =>
      over(
        kind,
        async ({ run, folder }) => {
          const ran = await run("pwd; echo x > f");
          assert.equal(ran.output, `${folder}\n`);
          assert.deepEqual(said(ran.changes), ["create f"]);
        },
        { folder: "a,b:c\\d $x 'q'/é" },
      ),
  },
  {
    title: "W1: nothing of a run is left but its layer; nothing at all where there is no change set",
    run: (kind) =>
      over(kind, async ({ run, steps }) => {
        const kept = await run("echo 1 > f; mkdir -m 000 closed");
        assert.deepEqual(readdirSync(join(steps, "op_1")), ["u0"]);
        assert.ok(existsSync(join(upperOf(kept.changes?.stepFolder ?? "", 0), "f")));
        await run("echo 1 > f", { mode: "plan" });
        await run("sleep 20; echo 1 > f", { limits: { ...LIMITS, timeoutMs: 300 } });
        assert.deepEqual(readdirSync(steps), ["op_1"]);
      }),
  },
  {
    title: "P1: in plan mode the folder is read-only but for build output, which is thrown away",
    run: (kind) =>
      over(
        kind,
        async ({ run, folder }) => {
          const before = treeLines(folder);
          const ran = await run(
            "echo x > new; echo y >> package.json; rm package.json; echo o > dist/o && cat dist/o; echo n > node_modules/n && echo kept; mkdir pkg/dist/in && echo deep; echo t > /tmp/t && echo h > ~/h && echo home",
            { mode: "plan" },
          );
          assert.match(ran.output, /Read-only file system[^]*\no\nkept\ndeep\nhome\n$/);
          assert.ok(
            ran.hints.some((hint) => hint.includes("plan mode: say in the plan what you would change")),
            ran.hints.join(),
          );
          assert.equal(ran.changes, undefined);
          assert.deepEqual(treeLines(folder), before);
        },
        {
          prepare: (folder) => {
            for (const dir of ["node_modules", "pkg/dist"]) mkdirSync(join(folder, dir), { recursive: true });
            writeFileSync(join(folder, "package.json"), "{}");
          },
        },
      ),
  },
  {
    title: "SANDBOX-0.2: git status leaves nothing, a commit in a linked worktree stays in the copy",
    run: (kind) =>
      over(
        kind,
        async ({ run, folder, base }) => {
          const status = await run("git status --short; cd d && git log --oneline | wc -l");
          assert.equal(status.output, "1\n");
          assert.deepEqual(said(status.changes), []);
          const head = readFileSync(join(base, "main", ".git", "refs", "heads", "side"), "utf8");
          const commit = await run("echo 2 >> f; git commit -qam two; git log --oneline | wc -l");
          assert.equal(commit.output, "2\n");
          assert.equal(readFileSync(join(base, "main", ".git", "refs", "heads", "side"), "utf8"), head);
          const roots = new Set(commit.changes?.changes.map((c) => c.root));
          assert.deepEqual([...roots], [0, 1]);
          assert.equal(readFileSync(join(folder, "f"), "utf8"), "1\n");
        },
        {
          roots: (folder, base) => [
            { path: folder, kind: "folder" },
            { path: join(base, "main", ".git"), kind: "git" },
          ],
          prepare: (folder, base) => {
            const git = `cd '${base}'; rmdir '${folder}'; git init -q -b main main; cd main; git config user.email a@b.c; git config user.name n; mkdir d; echo 1 > f; echo 1 > d/g; git add .; git commit -qm one; git worktree add -q -b side '${folder}'; touch -d @1 '${folder}/f'`;
            execFileSync("bash", ["-ec", git], { stdio: "ignore", env: { PATH: process.env["PATH"], HOME: base } });
          },
        },
      ),
  },
];

export const cases: readonly Case[] = [
  ...differentialCases,
  ...scanCases,
  ...cloneCases,
  ...wallCases,
  ...linkCases,
  ...shellCases,
  ...netCases,
  ...leavingCases,
  ...shownCases,
  ...hiddenCases,
];

/** The cases that show the words of the walls. */
const words: readonly Case[] = cases.filter((one) => WALL_WORDS.some(([, title]) => title.test(one.title)));
const others: readonly Case[] = cases.filter((one) => !words.includes(one));

/** Every `of`th case, counted from `turn`. */
interface Turn {
  turn: number;
  of: number;
}

/** Which part of the cases a backend runs: its turn of those that are no words of the walls, of the words, of those about clones. */
export interface Part extends Turn {
  words?: Turn;
  clones?: Turn;
}

/**
 * The scan and the door are the same code on every backend, and each launcher has one list of walls: `npm test` runs a case on one
 * backend, those about clones on a clone too, the words of the walls on more; `npm run deep` all of them on each.
 */
export function casesFor(part?: Part): readonly Case[] {
  if (part === undefined || deep(0, 1) === 1) return cases;
  const turns = (list: readonly Case[], of?: Turn): Case[] =>
    of === undefined ? [] : list.filter((_, n) => n % of.of === of.turn);
  // Those that wait for a limit run where all words do.
  const slow = (one: Case): boolean => part.words?.of !== 1 && /^SEC-G10|time-out/.test(one.title);
  const turned = [...turns(others, part), ...turns(cloneCases, part.clones)];
  return [...new Set([...turned, ...turns(words, part.words).filter((one) => !slow(one))])];
}
