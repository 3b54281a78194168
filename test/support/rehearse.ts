import { execFileSync } from "node:child_process";
import type { Rig } from "./rig.ts";
import type { Place } from "./session.ts";
import { treeLines } from "./tree.ts";

type Call = readonly [tool: string, input: Record<string, unknown>];
const bash = (command: string): Call => ["Bash", { command }];
const DATE = "GIT_AUTHOR_DATE='2026-02-02T00:00:00Z' GIT_COMMITTER_DATE='2026-02-02T00:00:00Z'";
const GIT = `${DATE} git -c user.name=t -c user.email=t@t.invalid`;

/** A folder with a repository, odd names, a link, modes and an ignored folder. */
export function fillFolder(at: Place): void {
  const script = `
git init -q -b main .
printf 'one\\ntwo\\nthree\\nfour\\nfive\\nsix\\nseven\\neight\\nnine\\nten\\n' > a.txt
printf 'node_modules\\ndist\\n' > .gitignore
mkdir -p src/deep docs && echo 'export const a = 1;' > src/a.ts && echo b > src/deep/b && echo d > docs/d.md
echo '#!/bin/sh' > run.sh && chmod 755 run.sh && ln -s a.txt link && echo 'x y' > 'with space'
for n in 1 2 3 4 5 6; do echo "line $n" > src/f$n; done
git add -A && GIT_AUTHOR_DATE=2026-01-01T00:00:00Z GIT_COMMITTER_DATE=2026-01-01T00:00:00Z git -c user.name=t -c user.email=t@t.invalid commit -qm start
mkdir -p node_modules/p && echo 1 > node_modules/p/i.js
n=1000000000; find . -path ./.git -prune -o -type f -print | sort | while read -r f; do touch -d @$n "$f"; n=$((n + 60)); done; git status --short`;
  execFileSync("bash", ["-ec", script], { cwd: at.folder, env: { PATH: process.env["PATH"] ?? "", HOME: at.home } });
}

/** Thirty calls of all kinds, each building on what those before it changed. */
export const MIXED: readonly Call[] = [
  ["Glob", { pattern: "**/*" }],
  ["Read", { file_path: "a.txt" }],
  ["Edit", { file_path: "a.txt", old_string: "two", new_string: "TWO" }],
  bash("cat a.txt; sed -i s/nine/NINE/ a.txt"),
  ["Read", { file_path: "a.txt" }],
  [
    "Edit",
    {
      file_path: "a.txt",
      edits: [
        { old_string: "NINE", new_string: "9" },
        { old_string: "one", new_string: "1" },
      ],
    },
  ],
  ["Write", { file_path: "src/new/made.ts", content: "export const made = true;\n" }],
  bash("ls -R src | sort; cat src/new/made.ts; echo more >> src/new/made.ts; mv src/deep src/moved"),
  ["Glob", { pattern: "src/**" }],
  ["Grep", { pattern: "e", output_mode: "content" }],
  ["Delete", { file_path: "docs", recursive: true }],
  bash("ls; mkdir docs && echo again > docs/again.md; ls docs"),
  ["Read", { file_path: "docs" }],
  ["Write", { file_path: "docs/second.md", content: "second\n" }],
  bash("mkdir -p dist && echo built > dist/o.js; echo 2 > node_modules/p/two.js; cat node_modules/p/*"),
  ["Read", { file_path: "dist/o.js" }],
  ["Grep", { pattern: "export", path: "src" }],
  bash(`git add -A && ${GIT} commit -qm second && git log --oneline | wc -l && git status --short`),
  ["Read", { file_path: "run.sh" }],
  ["Edit", { file_path: "run.sh", old_string: "#!/bin/sh", new_string: "#!/bin/sh\necho run" }],
  bash("./run.sh; stat -c '%a %n' run.sh src/f1; chmod 640 src/f1; rm src/f2 src/f3; ln -sf run.sh link"),
  ["Delete", { file_path: "src/f4" }],
  ["Glob", { pattern: "src/f*" }],
  bash("rm -rf src/new && echo file > src/new; cat src/new; readlink link"),
  ["Read", { file_path: "src/new" }],
  ["Write", { file_path: "src/new", content: "written over\n" }],
  bash("cd src; pwd | sed 's#.*/##'; printf 'A\\n' > A; mv A a; cat a f5 f6; export V=1"),
  bash('echo "$V in ${PWD##*/}"; touch empty; : > f5; git diff --stat | cat'),
  ["Grep", { pattern: "line", output_mode: "files_with_matches" }],
  bash("cd ..; ls -A | tr '\\n' ' '; git stash list; git branch side; git checkout -q side; git branch | cat"),
];

/** What a call told the model, without the program's word about where its changes are. */
export function wordsOf(result: string): string {
  return result
    .split("\n")
    .filter(
      (row) => !/^\[(?:Landed in the folder|Pending, not in the folder|\d+ regenerable|Deleted in the copy)/.test(row),
    )
    .join("\n");
}

/** Plays calls one after another; what each came to. */
export async function play(rig: Rig, calls: readonly Call[], folder: string): Promise<string[]> {
  const results: string[] = [];
  for (const [tool, input] of calls) {
    const done = await rig.call(tool, input, "yes");
    results.push(`${tool} ${done.status}\n${wordsOf(done.result).replaceAll(folder, "FOLDER")}`);
  }
  return results;
}

/** The folder as it counts: files, and what git says of itself. */
export function folderWords(folder: string): string[] {
  const git = (...args: string[]): string =>
    execFileSync("git", ["-c", "core.fsmonitor=false", ...args], {
      cwd: folder,
      encoding: "utf8",
      env: { PATH: process.env["PATH"] ?? "", GIT_OPTIONAL_LOCKS: "0" },
    });
  return [
    ...treeLines(folder, { git: false }),
    git("ls-files", "-s"),
    git("log", "--all", "--oneline"),
    git("status", "--short", "--branch"),
    git("fsck"),
  ];
}
