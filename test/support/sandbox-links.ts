import assert from "node:assert/strict";
import { existsSync, lstatSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { ShellCommand } from "../../src/sandbox/sandbox.ts";
import { deep } from "./deep.ts";
import { type BenchOptions, type Case, LIMITS, over, type SandboxBench } from "./sandbox-bench.ts";

/** Folders and files of a home that something is mounted at, or on the way to: by table, so that each attack meets all of them. */
const PLACES = [
  ".cargo",
  ".cargo/bin",
  ".cargo/registry",
  ".npm",
  ".gitconfig",
  ".config",
  ".config/git",
  ".local",
  ".local/share",
  "code",
  "code/deep",
  "code/deep/proj",
  "st",
  "st/understudy",
  "st/understudy/results",
];

function makeHome(home: string): void {
  for (const dir of [".cargo/bin", ".cargo/registry", ".npm", ".config/git", ".local/share/pnpm"])
    mkdirSync(join(home, dir), { recursive: true });
  writeFileSync(join(home, ".cargo/bin/tool"), "tool\n");
  writeFileSync(join(home, ".gitconfig"), "[git]\n");
}

/** All that is mounted lies below the home: tools, caches, the folder itself, the program's state. */
const HOME: BenchOptions = {
  folder: "person/code/deep/proj",
  stateBelow: "person/st/understudy",
  prepare: (folder, base) => {
    makeHome(join(base, "person"));
    writeFileSync(join(folder, "kept"), "kept\n");
    mkdirSync(join(base, "victim"));
  },
};

/** Ways by which a link leads to a folder of the machine while the walls are put up: of bubblewrap, of the perl stage, upward. */
const waysOut = (victim: string): string[] => [
  `/oldroot${victim}`,
  victim,
  `../../../../../../../../../../oldroot${victim}`,
];

const each = (places: readonly string[], body: string): string =>
  `for p in ${places.toReversed().join(" ")}; do n=$((n+1)); mv ~/$p ~/moved.$$.$n; rm -rf ~/$p; ${body}; done 2>/dev/null; true`;

/** What a command does to HOME, given where a link should lead. */
const ATTACKS: readonly ((way: string) => string)[] = [
  (way) => each(PLACES, `ln -snT '${way}/new' ~/$p || ln -snT '${way}' ~/$p`),
  (way) => each(PLACES.toReversed(), `ln -snT '${way}' ~/$p`),
  (way) => each(PLACES, `ln -snfT '${way}' ~/moved; mv -T ~/moved ~/$p`),
];
const BREAKS: readonly string[] = [
  each(PLACES, "touch ~/$p"),
  each(PLACES, 'ln -snT "${p##*/}" ~/$p'),
  `for p in ${PLACES.filter((place) => !place.endsWith("proj"))
    .toReversed()
    .join(" ")} .; do chmod 000 ~/$p; done 2>/dev/null; true`,
  "rm -rf ~/* ~/.[a-z]* 2>/dev/null; chmod 000 ~",
];

/** A later command finds all in its place, and nothing was made outside. */
async function intact({ run, base }: SandboxBench, after: string): Promise<void> {
  const ran = await run(
    "cat kept ~/.gitconfig ~/.cargo/bin/tool; : > ~/.npm/x && : > ~/.config/y && : > ~/z && echo works",
  );
  assert.equal(ran.output, "kept\n[git]\ntool\nworks\n", after);
  assert.deepEqual(readdirSync(join(base, "victim")), [], after);
}

/** Grants while a background shell swaps what is on the way as fast as it can, and when it has left links there. */
async function beside(
  { run, sandbox, personHome, folder, base }: SandboxBench,
  ways: readonly string[],
): Promise<void> {
  const at = (path: string): NonNullable<ShellCommand["outside"]> => [{ path: join(personHome, path), access: "read" }];
  const swap = ways
    .map((way) => `rm -rf ~/late ~/late.txt; ln -snT ${way} ~/late; ln -snT ${way}/f ~/late.txt`)
    .join("; ");
  const began = { cwd: folder, env: {}, mode: "auto" as const, network: false, layers: [], limits: LIMITS };
  const command = `until [ -e ~/stop ]; do ${swap}; done 2>/dev/null; ${swap}; : > ~/done; sleep 100`;
  await sandbox.groups?.start({ ...began, operationId: "op_shell", command }, "sh_1", new AbortController().signal);
  for (let n = 0; n < deep(4, 100); n++) {
    for (const path of ["late", "late/in/d", "late.txt"])
      await run("true", { outside: at(path) }).catch(() => undefined);
  }
  await run(": > ~/stop; until [ -e ~/done ]; do sleep 0.05; done");
  for (const path of ["late/in/d", "late.txt"])
    await assert.rejects(run("true", { outside: at(path) }), /can't be shown below HOME while background shells/);
  assert.equal((await run("cat ~/late/in/d/f", { outside: at("late") })).output, "late\n");
  assert.deepEqual(readdirSync(join(base, "victim")), []);
}

/** A home that is a root: its secrets and the program's own state are covered in it. */
const SHOWN: BenchOptions = {
  personHome: (base) => join(base, "folder"),
  prepare: (folder, base) => {
    mkdirSync(join(folder, "st"));
    for (const dir of [".config/gh", ".aws", "dots/ssh"]) mkdirSync(join(folder, dir), { recursive: true });
    for (const name of [".config/gh/hosts", ".aws/c", "dots/ssh/id", ".netrc"])
      writeFileSync(join(folder, name), "SECRET");
    symlinkSync("dots/ssh", join(folder, ".ssh"));
    mkdirSync(join(base, "victim"));
  },
};
const FIND =
  "chmod -R u+rwX . 2>/dev/null; find . -type f -exec cat {} + 2>/dev/null; cat .ssh/id .config/gh/* 2>/dev/null; echo end";
const LAYERS: readonly ((way: string) => string)[] = [
  (way) =>
    `mv .config c; rm -rf .config; ln -s '${way}' .config; mv .aws a; ln -s '${way}/new' .aws; mv st s; rm -rf st; ln -s '${way}' st`,
  () => "mv .config c; rm -rf .config; touch .config; mv dots d; ln -s . dots; mv st s; touch st",
  () => "rm -rf .config dots st; mkdir .config; mkdir .config/gh",
  () => "chmod 000 .config .aws dots; chmod 000 st",
];

async function through(bench: SandboxBench, attack: string, from: number): Promise<void> {
  const { run, base, steps } = bench;
  const first = await run(`(${attack}) 2>/dev/null; true`);
  assert.equal(first.code, 0);
  const layers = [join(steps, `op_${from}`)];
  const ran = await run(FIND, { layers });
  assert.doesNotMatch(ran.output, /SECRET/, attack);
  assert.match(ran.output, /end\n$/, attack);
  assert.deepEqual(readdirSync(join(base, "victim")), [], attack);
}

/** Links and the like that commands leave for those who put up the walls of the next one. */
export const linkCases: readonly Case[] = [
  {
    title: "SEC-G5: whatever a command leaves in HOME, the next one's walls make nothing outside of it, and it works",
    run: (kind) =>
      over(
        kind,
        async (bench) => {
          await intact(bench, "at first");
          // A living command could swap what is on the way just while the next one's walls are put up.
          const moved = await bench.run(
            `perl -e 'for (@ARGV) { rename("$ENV{HOME}/$_", "$ENV{HOME}/$_.x") and print "MOVED $_\\n" }' ${PLACES.join(" ")}`,
          );
          assert.equal(moved.output, "");
          const ways = waysOut(join(bench.base, "victim"));
          const links = ATTACKS.flatMap((attack, n) =>
            ways.filter((_, w) => deep(0, 1) === 1 || w === n).map((way) => attack(way)),
          );
          for (const attack of [...links, ...BREAKS]) {
            await bench.run(attack);
            await intact(bench, attack);
          }
        },
        HOME,
      ),
  },
  {
    title: "SEC-G5: what an earlier run of the program left in the way in HOME is moved aside, and told once",
    run: (kind) =>
      over(
        kind,
        async (bench) => {
          const { base, run } = bench;
          const own = join(base, "person/st/understudy/sessions/s.home/home");
          mkdirSync(own, { recursive: true });
          const places: Record<string, string> = {
            ".cargo": `/oldroot${base}/victim`,
            ".gitconfig": `${base}/victim/made`,
            st: "st",
            code: `${base}/victim`,
          };
          for (const [name, to] of Object.entries(places)) symlinkSync(to, join(own, name));
          writeFileSync(join(own, ".config"), "mine");
          const ran = await run("cat ~/.config.aside");
          assert.equal(ran.output, "mine");
          assert.ok(
            ran.hints.some((hint) => hint.includes("~/.cargo was in the way") && hint.includes("~/.cargo.aside")),
          );
          assert.ok(lstatSync(join(own, ".cargo.aside")).isSymbolicLink());
          const again = await run("true");
          assert.deepEqual(again.hints, []);
          await intact(bench, "links from before");
        },
        HOME,
      ),
  },
  {
    title: "SEC-G5: a granted path below HOME is shown whatever a command or a living shell puts on the way to it",
    run: (kind) =>
      over(
        kind,
        async (bench) => {
          const { base, run, personHome, sandbox } = bench;
          const victim = join(base, "victim");
          const outside = [{ path: join(personHome, "data/in/d"), access: "read" as const }];
          const file = [{ path: join(personHome, "data.txt"), access: "read" as const }];
          const swaps = waysOut(victim).map((way) => `ln -snT '${way}' ~/data; ln -snT '${way}/f' ~/data.txt`);
          for (const swap of swaps) {
            await run(`rm -rf ~/data ~/data.txt; mv ~/data ~/e; ${swap}; true`);
            assert.equal((await run("cat ~/data/in/d/f", { outside })).output, "far\n", swap);
            assert.equal((await run("cat ~/data.txt", { outside: file })).output, "flat\n", swap);
          }
          if (sandbox.groups !== undefined) await beside(bench, waysOut(victim));
          await intact(bench, "grants");
        },
        {
          ...HOME,
          prepare: (folder, base) => {
            HOME.prepare?.(folder, base);
            const files = {
              "data/in/d/f": "far\n",
              "data.txt": "flat\n",
              "late/in/d/f": "late\n",
              "late.txt": "late\n",
            };
            for (const [name, text] of Object.entries(files)) {
              mkdirSync(dirname(join(base, "person", name)), { recursive: true });
              writeFileSync(join(base, "person", name), text);
            }
          },
        },
      ),
  },
  {
    title: "SEC-G5: a layer with links where a root's secrets were shows none of them, and makes nothing outside",
    run: (kind) =>
      over(
        kind,
        async (bench) => {
          assert.doesNotMatch((await bench.run(FIND)).output, /SECRET/);
          let from = 2;
          const [way = "", plain = ""] = waysOut(join(bench.base, "victim"));
          for (const attack of [...LAYERS.map((a) => a(way)), ...LAYERS.slice(0, 1).map((a) => a(plain))]) {
            await through(bench, attack, from);
            from += 2;
          }
          assert.ok(existsSync(join(bench.base, "folder/.aws/c")));
        },
        // An overlay over a folder can't have layers that lie in that folder.
        { ...SHOWN, ...(kind === "copy-bind" ? { stateBelow: "folder/st/understudy" } : {}) },
      ),
  },
  {
    title: "SEC-G5: a folder around the root, written by grant, leads the root's mount nowhere else",
    run: (kind) =>
      over(
        kind,
        async ({ run, base }) => {
          const outside = [{ path: join(base, "around"), access: "write" as const }];
          const victim = join(base, "victim");
          const swap = `mv '${base}/around/a' '${base}/around/b' && ln -s '/oldroot${victim}' '${base}/around/a'`;
          // Its own root is gone then.
          await assert.rejects(run(`cd / && ${swap}`, { outside }), /is gone/);
          assert.ok(lstatSync(join(base, "around/a")).isSymbolicLink());
          await assert.rejects(run("true", { outside }), /moved or replaced by a link|is gone|no such file/i);
          assert.deepEqual(readdirSync(victim), []);
        },
        { folder: "around/a/proj", prepare: (_, base) => mkdirSync(join(base, "victim")) },
      ),
  },
];
