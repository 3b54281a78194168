import { bash, edit, glob, grep, read, type Work } from "./call.ts";

/** Work that looks, builds, debugs, and work with git. */
export const LOOKS: readonly Work[] = [
  {
    name: "explain the project",
    turns: [
      [bash("ls -la"), read("README.md"), read("package.json")],
      [glob("**/*.js"), bash("git log --oneline --all --graph | head -20")],
      [read("src/index.js"), read("src/util.js"), read("src/server.js")],
      [grep("export function", "src"), bash("wc -l src/*.js | sort -n | tail -5")],
      [bash("npm test 2>&1 | tail -9"), bash("du -sh . && find . -name '*.js' -not -path './node_modules/*' | wc -l")],
      [bash("git show --stat HEAD"), bash("git blame -L 1,3 src/util.js")],
      [read("scripts/build.mjs"), read("scripts/check.mjs")],
      [bash("node scripts/build.mjs && ls dist | head -5")],
    ],
  },
  {
    name: "review a branch",
    turns: [
      [bash("git branch -a && git log main..discount --oneline"), bash("git diff main...discount --stat")],
      [bash("git diff main...discount"), read("src/price.js")],
      [bash("git show discount:src/price.js | tail -5"), grep("half")],
      [bash("git worktree list; git merge-base main discount")],
      [
        bash(
          "mkdir -p /tmp/review && git archive discount | tar x -C /tmp/review && cd /tmp/review && node --test 2>&1 | tail -9",
        ),
      ],
      [bash("git merge-tree $(git merge-base main discount) main discount | head -20")],
      [read("test/price.test.js"), bash("npm run check")],
      [bash(`node -e "console.log([3, 5, 0.01].map((n) => n / 2))"`)],
    ],
  },
  {
    name: "a server that misbehaves",
    turns: [
      [read("src/server.js"), grep("listen")],
      [bash("PORT=4199 node src/server.js", { run_in_background: true })],
      [bash("sleep 0.5; curl -s -m 2 http://127.0.0.1:4199/ || true")],
      [{ name: "BashOutput", input: { shell_id: "bg_1" } }],
      [
        bash(
          "(PORT=4200 node src/server.js & echo $! > /tmp/pid; sleep 0.4; curl -s http://127.0.0.1:4200/; kill $(cat /tmp/pid))",
        ),
      ],
      [bash("time node --cpu-prof --cpu-prof-dir=/tmp/prof -e \"import('./src/price.js')\"; ls /tmp/prof")],
      [
        edit(
          "src/server.js",
          "res.end(String(price([{ amount: 2 }])))",
          'res.setHeader("content-type", "text/plain").end(String(price([{ amount: 2 }])))',
        ),
      ],
      [bash("(PORT=4201 node src/server.js & p=$!; sleep 0.4; curl -si http://127.0.0.1:4201/ | head -3; kill $p)")],
      [{ name: "KillShell", input: { shell_id: "bg_1" } }],
      [bash("npm test 2>&1 | tail -9"), bash("git diff")],
    ],
  },
  {
    name: "commits on a branch",
    turns: [
      [bash("git status && git log --oneline -3"), read("src/tax.js")],
      [bash("git checkout -b tax-rate")],
      [edit("src/tax.js", "  return round(sum);", "  return round(sum * 1.19);")],
      [bash("node --test test/tax.test.js 2>&1 | tail -12"), read("test/tax.test.js")],
      [edit("test/tax.test.js", ", 1.01)", ", 1.2)")],
      [bash("node --test test/tax.test.js")],
      [bash("git add -A && git commit -qm 'Tax rate' && git log --oneline -2")],
      [bash("git diff main --stat"), bash("npm run check"), bash("npm test 2>&1 | tail -9")],
      [bash("git rebase main && git log --oneline -3")],
      [bash("git show --stat HEAD")],
    ],
  },
];
