import { deepEqual, equal, match, ok } from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { agentEnv, runAgent, scriptFile } from "../support/run-agent.ts";
import { startTerminal } from "../support/terminal.ts";
import type { Called, FieldBench } from "./field.ts";

type Also = (bench: FieldBench) => Promise<void> | void;
/** The built program: its screen runs from `dist/` alone. */
const AGENT = join(import.meta.dirname, "../../bin/agent.js");
const statuses = ({ results }: FieldBench): string[] => results.map((r) => r.status);
const texts = ({ results }: FieldBench): string[] => results.map((r) => r.text);
const words = ({ results }: FieldBench, at: number): string => results.at(at)?.text ?? "";
const fileOf = (bench: FieldBench, name: string): string => readFileSync(join(bench.folder, name), "utf8");
const lacks = (text: string, part: string | RegExp): void =>
  ok(typeof part === "string" ? !text.includes(part) : !part.test(text), `it has ${part}`);
const within = (called: Called | undefined, seconds: number): void =>
  ok((called?.seconds ?? Infinity) < seconds, `it took ${called?.seconds} s, at most ${seconds}`);

/** What `expect` and `note` of a report say beyond its `check` commands. */
export const ALSO: Readonly<Record<string, Also>> = {
  "edit-curly-quotes": (b) => deepEqual(statuses(b), ["ok", "ok", "ok"]),
  "edit-dollar-literal": async (b) => {
    writeFileSync(join(b.folder, "p.sh"), "total()\nrest\n");
    const fresh = 'echo "$$ $& $1 $` $\'" ${x} $<n>';
    await b.call("Read", { file_path: "p.sh" });
    await b.call("Edit", { file_path: "p.sh", old_string: "total()", new_string: fresh, replace_all: true });
    equal(fileOf(b, "p.sh"), fileOf(b, "want.txt"));
  },
  "edit-final-newline": (b) => ok(statuses(b).every((s) => s === "ok")),
  "edit-latin1-untouched": (b) => {
    equal(statuses(b)[1], "ok");
    equal(readFileSync(join(b.folder, "conf.ini"), "latin1"), "limit = 20\n# pr\xe9vu pour f\xe9vrier\n");
    match(words(b, 0), /# prévu pour février/);
  },
  "edit-nfd-text": (b) => {
    equal(statuses(b).at(-1), "error");
    match(words(b, -1), /line 2 .*accents/);
  },
  "edit-sjis-no-mix": (b) => {
    const bytes = readFileSync(join(b.folder, "app.ini"));
    if (statuses(b).at(-1) === "ok") return ok(bytes.includes(Buffer.of(0x93, 0xfa, 0x96, 0x7b)));
    ok(bytes.equals(Buffer.from("\x83\x65\x83\x58\x83\x67=1\r\nname=abc\r\n", "latin1")));
    match(words(b, -1), /encoding looks like (cp932|shift)/);
  },
  "edit-stale-refused": (b) => {
    deepEqual(statuses(b), ["ok", "error", "ok", "ok"]);
    match(words(b, 1), /changed since it was read.*Read it again/);
  },
  "edit-tab-indent": (b) => {
    ok(words(b, 0).includes("3\t\t\tgo()"));
    deepEqual(statuses(b), ["ok", "ok", "error"]);
    match(words(b, 2), /white space/);
  },
  "edit-twin-blocks": async (b) => {
    deepEqual(statuses(b), ["ok", "error", "error"]);
    match(words(b, 1), /not in the file/);
    match(words(b, 2), /2 times, at lines 2, 6/);
    const all = { file_path: "store.py", old_string: "    check(x)\n", new_string: "", replace_all: true };
    equal((await b.call("Edit", all)).status, "ok");
    lacks(fileOf(b, "store.py"), "check");
  },
  "read-exact-name-first": (b) => deepEqual(texts(b), ["1\tright", "1\twrong"]),
  "read-fifo-device": (b) => {
    deepEqual(statuses(b), ["error", "error", "ok"]);
    match(words(b, 0), /not a regular file/);
    match(words(b, 1), /not a regular file/);
    match(words(b, 2), /plain\.txt/);
    for (const result of b.results) within(result, 5);
  },
  "glob-dot-folders": (b) => {
    for (const n of [0, 1, 3]) ok(words(b, n).includes(".github/workflows/ci.yml"));
    ok(words(b, 2).includes(".env.example"));
    lacks(texts(b).join("\n"), ".git/");
  },
  "grep-dash-pattern": (b) => {
    const lines = ["1:tool --pdf-engine x", "2:a->b", "3:-77", "1:tool --pdf-engine x"];
    deepEqual(
      texts(b),
      lines.map((line) => `help.txt\n${line}`),
    );
  },
  "grep-error-not-empty": (b) => {
    deepEqual(statuses(b), ["error", "ok", "ok", "error"]);
    match(words(b, 0), /unclosed group/);
    equal(words(b, 1), "a.txt\n1:f(");
    match(words(b, 2), /No matches/);
    match(words(b, 3), /No nope/);
  },
  "grep-minified-line": (b) => {
    match(words(b, 0), /characters\]…a+NEEDLE_42b+…\[/);
    ok(words(b, 0).length < 5000);
  },
  "bash-bang-quoted": (b) => equal(words(b, 0), "[ != ][save!]\n[a! b]"),
  "bash-cr-progress": (b) => {
    match(words(b, 0), /load 200%/);
    match(words(b, 0), /done\n.*green/s);
    lacks(words(b, 0), "load 57%");
    lacks(words(b, 0), /\x1b/);
    ok(words(b, 0).length < 300);
  },
  "bash-detached-holder": (b) => {
    within(b.results[0], 5);
    equal(words(b, 0), "started");
  },
  "bash-flood": (b) => {
    within(b.results[0], 60);
    ok(words(b, 0).length < 60_000);
    match(words(b, 0), /^0123456789\n[^]*Lines [\d]+ to \d+ of \d+ left out[^]*\n[0-9]*$/);
    ok(process.memoryUsage.rss() < 700 * 2 ** 20, `${process.memoryUsage.rss()} bytes resident`);
  },
  "bash-shell-syntax": (b) => equal(words(b, 0), "IT'S $HOME {A} `B`\nin-braces\npid-ok"),
  "bash-stdin-closed": (b) => {
    within(b.results[0], 3);
    match(words(b, 0), /^after\nrc=1\nnotty/);
  },
  "bash-term-ignored": async (b) => {
    within(b.results[0], 12);
    match(words(b, 0), /inner=\d+/);
    match(words(b, 0), /Timed out after 2 s/);
    // Numbers of the copy mean nothing here: no process of this command is left on the machine.
    await gone('trap "" TERM; echo inner=');
  },
};

/** Waits up to 2 s until no process of the machine's has this in its command line. */
async function gone(mark: string): Promise<void> {
  const { execFileSync } = await import("node:child_process");
  for (let tries = 0; ; tries++) {
    const left = execFileSync("ps", ["-eo", "pid=,args="], { encoding: "utf8" })
      .split("\n")
      .filter((row) => row.includes(mark));
    if (left.length === 0) return;
    if (tries === 20) throw new Error(`still there: ${left.join("; ")}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

const placeOf = ({ folder, folders, ground }: FieldBench) => ({
  folder,
  config: ground.config,
  state: ground.state,
  home: folders.home,
});
/** A model that makes one call, then ends. */
const oneCall = (command: string) => ({ turns: [{ calls: [{ name: "Bash", input: { command } }] }, { text: "ok" }] });

/** Reports told in words, and how they are acted out; their checks and `ALSO` come after it. */
export const OWN: Readonly<Record<string, (bench: FieldBench) => Promise<void>>> = {
  "read-mislabelled-image": async (b) => {
    const read = await b.call("Read", { file_path: "logo.png" });
    ok(read.content.every((block) => block.type === "text"));
    match(read.text, /<svg/);
    lacks(b.session.sent(), '"type":"image"');
    const later = await b.session.run([], []);
    equal(later.facts.at(-1)?.type, "query.finished");
  },
  "bash-login-shell": async (b) => {
    const at = { ...placeOf(b), home: join(b.folder, "h") };
    const command = "declare -A m=([k]=v); echo ${m[k]}; echo /no/such/*; ls -d .";
    const model = scriptFile(at, oneCall(command), "login-shell.json");
    const args = ["-p", "--output-format", "stream-json", "--model", model, "--mode", "auto", "go"];
    const run = await runAgent(at, args, { SHELL: "/bin/false", HOME: at.home });
    equal(run.code, 0, run.err);
    match(run.out, /"v\\n\/no\/such\/\*\\n\."/);
    lacks(run.out, "NOISE");
  },
  "bash-git-editor": async (b) => {
    const at = placeOf(b);
    const model = scriptFile(at, oneCall("git add -A && git commit; echo rc=$?"), "git-editor.json");
    const args = [AGENT, "--model", model, "--mode", "auto"];
    const terminal = startTerminal(process.execPath, args, { cols: 100, rows: 30, cwd: b.folder, env: agentEnv(at) });
    try {
      await terminal.waitFor(/auto mode/);
      terminal.type("go");
      await terminal.waitFor(/go/);
      terminal.type("\r");
      const since = performance.now();
      await terminal.waitFor(/rc=1/);
      ok(performance.now() - since < 10_000, "it took longer than 10 s");
      // git's own words, no editor, and keys still arrive.
      match((await terminal.lines()).join("\n"), /editor|message/i);
      ok(!terminal.modes().alternate, "a full-screen program is shown");
      terminal.type("still here");
      await terminal.waitFor(/still here/);
    } finally {
      terminal.close();
    }
    ok(existsSync(join(b.folder, ".git")));
    await gone(`vi ${b.folder}`);
  },
};
