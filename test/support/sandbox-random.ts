import fc from "fast-check";
import type { SandboxKind } from "../../src/sandbox/sandbox.ts";
import { useVariant, type Variant } from "./sandbox-bench.ts";
import { openGround } from "./sandbox-oracle.ts";

/** One backend, the state beside the folder or on another file system, and how many scripts it plays. */
export interface Combination {
  kind: SandboxKind;
  variant: Variant;
  runs: number;
  seed: number;
}

export interface Played {
  scripts: number;
  /** Of these, scripts that met a difference that docs/copy.md lists, and were told of it. */
  known: number;
  /** fast-check's report of a script that came to something else, shrunk. */
  problem?: string;
}

/** Names that the fixture has, and some that it has not. */
const name = fc.constantFrom(
  "src",
  "lib",
  "many",
  "sec",
  "empty",
  "link",
  "dirlink",
  "hard1",
  "run.sh",
  "queue",
  "'a b'",
  String.raw`$'bad\xff\xfename'`,
  String.raw`$'new\nline'`,
  "./-dash",
  "'*'",
  "n",
  "n2",
  "node_modules",
  "repo/d",
  "repo/t",
);
const path = fc.oneof(
  { weight: 3, arbitrary: name },
  {
    weight: 2,
    arbitrary: fc
      .tuple(fc.constantFrom("src", "many", "n", "lib", "src/deep"), fc.constantFrom("a.txt", "f1", "x", "one", "er"))
      .map((p) => p.join("/")),
  },
);

/** What a folder copied into itself comes to depends on the order in which the file system lists it: not told apart here. Links that grow have no end. */
function notIntoItself(from: string, to: string, line: string): string {
  return `a=$(timeout 9 readlink -f -- ${from}) && b=$(timeout 9 readlink -f -- ${to}) && case "$b/" in "$a"/*) ;; *) ${line} ;; esac`;
}

/** Nobody reads a named pipe here: opening one would wait for ever. */
const unlessPipe = (p: string, line: string): string => `[ -p ${p} ] || ${line}`;
/** rename(2), which an overlay refuses for folders; a script that ends so is run again on a clone. */
const rename = (a: string, b: string): string =>
  `perl -e 'rename($ARGV[0], $ARGV[1]) or die "$!\\n"' ${a} ${b} || exit 9`;

const git = fc.constantFrom(
  "git add -A && git commit -qm more",
  "git commit -qam all",
  "git add t",
  "git checkout -q -b side",
  "git checkout -q side",
  "git checkout -q main",
  "git checkout -q -- .",
  "git branch other",
  "git branch -D other",
  "git stash -q",
  "git stash -q -u",
  "git stash pop -q",
  "git mv t t2",
  "git mv d e || exit 9",
  "git mv d/u u",
  "git rm -rq d",
  "git merge -q side",
  "git reset -q --hard HEAD",
  "git tag v1",
  "git clean -qfd",
  "git status; git log --oneline; git diff",
);

const two = fc.tuple(path, path);
/** One line of a script; every one may fail, which it then does in both worlds. */
const line = fc.oneof(
  path.map((p) => unlessPipe(p, `echo text >> ${p}`)),
  path.map((p) => unlessPipe(p, `: > ${p}`)),
  path.map((p) => unlessPipe(p, `truncate -s 3 ${p}`)),
  path.map((p) => unlessPipe(p, `printf XY | dd of=${p} bs=1 seek=2 conv=notrunc status=none`)),
  path.map((p) => unlessPipe(p, `sed -i s/e/EE/ ${p}`)),
  path.map((p) => `rm -rf ${p}`),
  path.map((p) => `rm ${p}`),
  path.map((p) => `mkdir -p ${p}`),
  path.map((p) => `touch ${p}`),
  two.map(([a, b]) => `mv ${a} ${b}`),
  two.map(([a, b]) => `mv -T ${a} ${b}`),
  two.map(([a, b]) => rename(a, b)),
  two.map(([a, b]) => notIntoItself(a, b, `cp -a ${a} ${b}`)),
  two.map(([a, b]) => `ln -s ${a} ${b}`),
  two.map(([a, b]) => `ln ${a} ${b}`),
  fc
    .tuple(fc.constantFrom("600", "644", "755", "700", "000", "4755"), path)
    .map(([m, p]) => `[ -L ${p} ] || chmod ${m} ${p}`),
  fc
    .tuple(fc.constantFrom("500", "700", "1777", "2755"), fc.constantFrom("src", "many", "n", "sec", "src/deep"))
    .map(([m, p]) => `chmod ${m} ${p}`),
  path.map((p) => `[ -L ${p} ] || mkfifo ${p}`),
  two.map(([a, b]) => notIntoItself(a, b, `tar cf - ${a} | (mkdir -p ${b} && cd ${b} && tar xf -)`)),
  fc
    .tuple(path, fc.constantFrom(String.raw`$'\xe4\x80 \n'`, String.raw`'"q"'`, "--", String.raw`$'\\'`))
    .map(([p, odd]) => `mkdir -p ${p} && echo o > ${p}/${odd}`),
  {
    weight: 4,
    arbitrary: fc
      .array(git, { minLength: 1, maxLength: 3 })
      .map((lines) => `(cd repo && echo r >> t\n${lines.join("\n")}\ntrue) || exit 9`),
  },
);
const lines = fc.array(line, { minLength: 1, maxLength: 12 });

/** Plays random scripts on one backend, all on one folder, since each leaves it as it was. */
export async function playRandom({ kind, variant, runs, seed }: Combination): Promise<Played> {
  useVariant(variant);
  // An overlay parts the names of one file (SANDBOX-H4), and an ordinary user's clone lacks what it can't read.
  const prepare = kind === "copy-bind" ? "chmod 700 locked; rm -r locked" : "rm hard2";
  let ground = await openGround(kind, prepare);
  let [scripts, known] = [0, 0];
  const property = fc.asyncProperty(lines, async (list) => {
    try {
      scripts++;
      if ((await ground.round(list.join("\n"))) === "known") known++;
    } catch (error) {
      await ground.close();
      ground = await openGround(kind, prepare);
      throw error;
    }
  });
  try {
    const report = await fc.check(property, { numRuns: runs, seed });
    const problem = fc.defaultReportMessage(report);
    return { scripts, known, ...(problem === undefined ? {} : { problem }) };
  } finally {
    await ground.close();
    useVariant({});
  }
}
