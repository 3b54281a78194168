import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmodSync, linkSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { upperOf } from "../../src/workspace/change.ts";
import { type Case, over, said, type SandboxBench } from "./sandbox-bench.ts";
import { treeLines } from "./tree.ts";

const SECRET = "CANARY-SECRET";

/** A folder with things to hide, in a repository that has them too. */
function prepare(folder: string): void {
  for (const dir of ["keys/deep", "app/conf", "plain"]) mkdirSync(join(folder, dir), { recursive: true });
  for (const file of [".env", "keys/a.txt", "keys/deep/b.txt", "app/conf/x.pem", "app/.env"])
    writeFileSync(join(folder, file), `${SECRET}\n`);
  for (const file of ["a.txt", "app/main.js", "plain/p.txt"]) writeFileSync(join(folder, file), "plain\n");
  symlinkSync("app/conf/x.pem", join(folder, "link.pem"));
}

const RULES = ["Read(.env)", "Read(/keys/**)", "Read(app/**/*.pem)"];
const PATHS = [".env", "app/.env", "keys/a.txt", "keys/deep/b.txt", "app/conf/x.pem", "link.pem"];

function git(folder: string, line: string): string {
  const env = { PATH: process.env["PATH"], HOME: "/nowhere", GIT_CONFIG_NOSYSTEM: "1" };
  return execFileSync("bash", ["-ec", line], { cwd: folder, env, encoding: "utf8" });
}

const INIT = "git init -q; git config user.email a@b.c; git config user.name n; git add -A; git commit -qm one";

/** Every way to the bytes that a command could try. */
const TRIES = [
  ...PATHS.map((path) => `cat ${path}`),
  "cat /proc/self/cwd/.env /proc/$$/root$PWD/.env /proc/1/root$PWD/.env",
  "ln .env hard; cat hard",
  "ln -s .env soft; cat soft",
  "cp .env copied; cat copied",
  "cp -r . /tmp/all; cat /tmp/all/.env /tmp/all/keys/*",
  "mv .env moved; cat moved",
  "mv app app2; cat app2/.env app2/conf/x.pem app/.env",
  "mv keys keys2; cat keys2/a.txt keys/a.txt; ls keys2",
  "tar cf - . | strings",
  "cd keys && cat a.txt",
  "chmod -R 777 .env keys; cat .env keys/a.txt",
  "umount .env; cat .env",
  "rm -rf keys; mkdir -p keys; cat keys/a.txt",
  `grep -r ${SECRET.slice(0, 4)} . | cat`,
  'perl -e \'open(F, "<", ".env") and print <F>\'',
  "dd if=.env 2>/dev/null; head -c 20 .env; tail .env; od -c .env | head",
];

async function hidden(bench: SandboxBench): Promise<void> {
  const { run, folder } = bench;
  const before = treeLines(folder);
  const ran = await run(`${TRIES.map((line) => `(${line}) 2>&1`).join("\n")}\necho end`);
  assert.doesNotMatch(ran.output, new RegExp(SECRET.slice(5)));
  assert.match(ran.output, /end\n$/);
  assert.match((await run("cat .env a.txt")).output, /\.env: Permission denied\nplain\n$/);
  assert.deepEqual(treeLines(folder), before);
}

export const hiddenCases: readonly Case[] = [
  {
    title: "P6: what a Read deny names can't be read in the copy: by name, link, /proc, a parent that moves, archives",
    run: (kind) => over(kind, hidden, { prepare, denied: () => RULES }),
  },
  {
    title: "P6: a stand-in never lands: neither by git, nor by moving or deleting what it lies in; the rest works",
    run: (kind) =>
      over(
        kind,
        async ({ run, folder }) => {
          const before = treeLines(folder);
          const index = readFileSync(join(folder, ".git/index"));
          for (const line of [
            "git add -A; git commit -qam two; git status --short",
            "git add -A keys; git rm -q --cached keys/a.txt",
            "git mv app app3; mv app app3; mv keys keys3",
            "rm -rf keys app .env",
            "echo x > .env; echo x > keys/new; touch .env; chmod 600 .env",
            "git stash; git checkout -q HEAD -- .; git reset -q --hard",
          ]) {
            const ran = await run(line);
            const names = said(ran.changes).filter((word) => /\.env|keys|pem/.test(word));
            assert.deepEqual(names, [], `${line}: ${ran.output}`);
            for (const change of ran.changes?.changes ?? [])
              if (change.path === ".git/index") {
                const real = join(ran.changes?.stepFolder ?? "", "u0", change.path);
                const listed = git(folder, `GIT_INDEX_FILE='${real}' git ls-files -s .env keys app/.env app/conf`);
                assert.equal(listed, git(folder, "git ls-files -s .env keys app/.env app/conf"), line);
              }
          }
          const good = await run(
            "echo more >> a.txt; git add a.txt && git commit -qm two && git log --oneline | wc -l",
          );
          assert.equal(good.output, "2\n");
          assert.ok(said(good.changes).includes("modify a.txt"));
          assert.deepEqual(treeLines(folder), before);
          assert.deepEqual(readFileSync(join(folder, ".git/index")), index);
        },
        {
          prepare: (folder) => {
            prepare(folder);
            git(folder, INIT);
          },
          denied: () => RULES,
        },
      ),
  },
  {
    title: "P6: a command that met it is told why; one that didn't is not",
    run: (kind) =>
      over(
        kind,
        async ({ run }) => {
          const met = await run("cat .env");
          assert.match(met.hints.join(), /a deny rule for Read keeps this from commands, whatever they try: \.env/);
          const other = await run("cat missing.txt");
          assert.doesNotMatch(other.hints.join(), /deny rule/);
        },
        { prepare, denied: () => RULES },
      ),
  },
  {
    title: "P6: a rule counts from the next command on; what it names later, in the folder or a layer, is hidden too",
    run: async (kind) => {
      let rules: string[] = [];
      await over(
        kind,
        async ({ run, folder }) => {
          assert.match((await run("cat .env")).output, new RegExp(SECRET));
          rules = ["Read(.env)", "Read(/made/**)"];
          assert.doesNotMatch((await run("cat .env app/.env 2>&1")).output, new RegExp(SECRET));
          mkdirSync(join(folder, "later"));
          writeFileSync(join(folder, "later/.env"), SECRET);
          assert.doesNotMatch((await run("cat later/.env 2>&1")).output, new RegExp(SECRET));
          const kept = await run(`mkdir made; echo ${SECRET} > made/m; echo ${SECRET} > plain/.env`);
          const layers = [kept.changes?.stepFolder ?? ""];
          assert.match(readFileSync(`${upperOf(layers[0] ?? "", 0)}/made/m`, "utf8"), new RegExp(SECRET));
          const seen = await run("cat made/m plain/.env 2>&1; echo $?", { layers });
          assert.doesNotMatch(seen.output, new RegExp(SECRET));
          assert.match(seen.output, /1\n$/);
          rules = [];
          assert.match((await run("cat .env")).output, new RegExp(SECRET));
        },
        { prepare, denied: () => rules },
      );
    },
  },
  {
    title: "P6: no command runs where a rule hides all, or more than can be hidden one by one; it says what to do",
    run: async (kind) => {
      let rules = ["Read(**)"];
      await over(
        kind,
        async ({ run }) => {
          await assert.rejects(run("true"), /hides the whole folder/);
          rules = ["Read(*.many)"];
          await assert.rejects(run("true"), /hide 501 files, more than the 500/);
          rules = ["Read(/many)"];
          assert.equal((await run("cat many/1.many 2>/dev/null || echo no")).output, "no\n");
        },
        {
          prepare: (folder) => {
            mkdirSync(join(folder, "many"));
            for (let n = 0; n <= 500; n++) writeFileSync(join(folder, `many/${n}.many`), "");
          },
          denied: () => rules,
        },
      );
    },
  },
  {
    title: "P6: what can't be entered, and odd names, are no way around a Read deny",
    run: (kind) =>
      over(
        kind,
        async ({ run, folder }) => {
          const ran = await run(
            `chmod 700 shut 2>/dev/null; cat shut/.env .ENV 'sp ace/.env' $'new\\nline/.env' 2>&1; cat sp*/.env new*/.env 2>&1; echo end`,
          );
          assert.doesNotMatch(ran.output, new RegExp(SECRET));
          assert.match(ran.output, /end\n$/);
          chmodSync(join(folder, "shut"), 0o700);
        },
        {
          prepare: (folder) => {
            for (const dir of ["shut", "sp ace", "new\nline"]) {
              mkdirSync(join(folder, dir));
              writeFileSync(join(folder, dir, ".env"), SECRET);
            }
            writeFileSync(join(folder, ".ENV"), SECRET);
            linkSync(join(folder, ".ENV"), join(folder, "other-name"));
            chmodSync(join(folder, "shut"), 0o000);
          },
          denied: () => ["Read(.env)"],
        },
      ),
  },
];
