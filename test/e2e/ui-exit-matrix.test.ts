import { constants } from "node:os";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { bundle } from "../support/bundle.ts";
import { deep } from "../support/deep.ts";
import { openTerminal, RESTORED, type Terminal } from "../support/terminal.ts";

let built: Awaited<ReturnType<typeof bundle>>;
beforeAll(async () => {
  built = await bundle("fake-repl.ts");
}, 120_000);
afterAll(() => built.remove());
const CRASH = 70;

/** What a person is in the middle of; `keys`: what leaves it by hand, one after the other. */
interface Place {
  name: string;
  /** What is written and not sent by then. */
  draft?: string;
  enter(t: Terminal): Promise<void>;
  keys: readonly (readonly string[])[];
}
const typed = async (t: Terminal, text: string, shown: string | RegExp) => {
  t.type(text);
  await t.waitFor(shown);
};
const PLACES: readonly Place[] = [
  {
    name: "at the composer",
    enter: async () => undefined,
    keys: [
      ["\x04", "\x04"],
      ["/exit", "\r"],
      ["\x03", "\x03"],
    ],
  },
  {
    name: "in shell mode",
    draft: "!ls -la",
    enter: (t) => typed(t, "!ls -la", "ls -la"),
    keys: [["\x03", "\x03", "\x03"]],
  },
  {
    name: "before a question",
    async enter(t) {
      await typed(t, "edit it", "edit it");
      await typed(t, "\r", /1\W+Yes/i);
    },
    keys: [["\x03", "\x03", "\x03"]],
  },
  {
    name: "in the middle of an answer",
    async enter(t) {
      await typed(t, "stream 5000 5", "stream 5000");
      await typed(t, "\r", "w20");
      await typed(t, "half a thought", "half a thought");
    },
    draft: "half a thought",
    keys: [["\x03", "\x03", "\x03", "\x03"]],
  },
  {
    name: "in the pager",
    enter: async (t) => {
      t.type("\x0f");
      await t.waitFor(() => t.modes().alternate);
    },
    keys: [["q", "\x04", "\x04"]],
  },
  {
    name: "while the editor has the terminal",
    draft: "unsent",
    async enter(t) {
      await typed(t, "unsent", "unsent");
      t.type("\x07");
      await t.waitFor("editor has unsent");
    },
    keys: [],
  },
  {
    name: "while another program has the terminal",
    async enter(t) {
      await typed(t, "!!vi", "vi");
      t.type("\r");
      await t.waitFor("outside has it");
    },
    keys: [],
  },
];

interface Way {
  name: string;
  code: number;
  leave(t: Terminal, pid: number): Promise<void>;
}
const SIGNALS = ["SIGTERM", "SIGHUP", "SIGQUIT", "SIGINT"] as const;
const bySignal: readonly Way[] = [
  ...SIGNALS.map((signal) => ({
    name: signal,
    code: 128 + constants.signals[signal],
    leave: async (_: Terminal, pid: number) => void process.kill(pid, signal),
  })),
  { name: "an exception", code: CRASH, leave: async (_, pid) => void process.kill(pid, "SIGUSR2") },
  {
    name: "an exception while it is drawn",
    code: CRASH,
    leave: async (t, pid) => {
      process.kill(pid, "SIGXCPU");
      // The region is not drawn while the pager has the screen.
      for (const key of t.modes().alternate ? ["q"] : []) t.type(key);
      // What is drawn while another program has the terminal is drawn when it is back.
      await t.waitFor(/\[tty same\]/);
    },
  },
  { name: "a rejection", code: CRASH, leave: async (_, pid) => void process.kill(pid, "SIGALRM") },
];
const byKeys = (keys: readonly string[]): Way => ({
  name: `the keys ${JSON.stringify(keys)}`,
  code: 0,
  async leave(t) {
    for (const key of keys) {
      t.type(key);
      await new Promise((resolve) => setTimeout(resolve, 150));
    }
  },
});
/** The keys for these are the other program's while it has the terminal: they end that one, not this. */
const ITS_OWN = new Set(["SIGINT", "SIGQUIT", "an exception while it is drawn"]);
const CELLS = PLACES.flatMap((place) =>
  [...place.keys.map(byKeys), ...bySignal.filter(({ name }) => place.keys.length > 0 || !ITS_OWN.has(name))].map(
    (way) => ({ place, way, title: `${way.name}, ${place.name}` }),
  ),
);
/** A way of each kind, each in another place. */
const SAMPLE = new Set([
  'the keys ["\\u0003","\\u0003"], at the composer',
  "SIGTERM, before a question",
  "an exception, in the middle of an answer",
  "SIGTERM, while the editor has the terminal",
  "an exception while it is drawn, in shell mode",
]);

/** An editor that shows what it got, and stays. */
function editorIn(dir: string): string {
  const file = join(dir, "editor");
  writeFileSync(file, '#!/bin/sh\necho "editor has $(cat "$1")"\nexec sleep 1000\n', { mode: 0o755 });
  return file;
}
function draftsIn(dir: string): string {
  const drafts = join(dir, "drafts");
  if (!existsSync(drafts)) return "";
  return readdirSync(drafts)
    .map((name) => readFileSync(join(drafts, name), "utf8"))
    .join("\n");
}

describe("the terminal goes away", () => {
  // With a session of its own it gets no SIGHUP: only reads and writes fail.
  it.each(
    [
      ["UX-N-10, TUI-B12: with nothing but errors (EIO, end of input)", ["setsid", "-w"]],
      ["UX-N-10, TUI-B12: with a signal", []],
    ].slice(0, deep(1, 2)) as [string, string[]][],
  )("%s: the program ends within two seconds, the draft is kept", { timeout: 60_000 }, async (_, own) => {
    const dir = mkdtempSync(join(tmpdir(), "understudy-exit-"));
    onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
    const command = [...own, process.execPath, built.file];
    const t = openTerminal("/bin/sh", ["-c", `trap "" HUP; "$@"; echo $? > ${dir}/code`, "sh", ...command], {
      env: { DESK: dir },
    });
    await t.waitFor("what shall be done");
    await typed(t, "unsent words", "unsent words");
    t.hangUp();
    const until = Date.now() + 20_000;
    while (!existsSync(join(dir, "code")) && Date.now() < until)
      await new Promise((resolve) => setTimeout(resolve, 50));
    expect(readFileSync(join(dir, "code"), "utf8").trim()).toMatch(/^(0|129)$/);
    expect(draftsIn(dir)).toContain("unsent words");
  });
});

describe("ways to leave × places", () => {
  it.each(
    CELLS.filter(({ title }) => SAMPLE.has(title) || deep(0, 1) === 1).map((cell) => [cell.title, cell] as const),
  )("TUI-B12, tui-leaves-clean: %s", { timeout: 90_000 }, async (_, { place, way }) => {
    const script = `stty -a > /dev/null; before=$(stty -g); "$0" "$1"; echo "[code $?]"; [ "$(stty -g)" = "$before" ] && echo "[tty same]"`;
    const dir = mkdtempSync(join(tmpdir(), "understudy-exit-"));
    onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
    const env = { CRASH: "1", DESK: dir, VISUAL: editorIn(dir) };
    const t = openTerminal("/bin/sh", ["-c", script, process.execPath, built.file], { env });
    await t.waitFor("what shall be done");
    await place.enter(t);
    const [pid = ""] = readFileSync(`/proc/${t.pid}/task/${t.pid}/children`, "utf8").trim().split(" ");
    await way.leave(t, Number(pid));
    const screen = (await t.waitFor("[tty same]")).join("\n");
    expect({ code: Number(/\[code (\d+)\]/.exec(screen)?.[1]), modes: t.modes() }).toEqual({
      code: way.code,
      modes: RESTORED,
    });
    const count = (sequence: string) => t.raw().split(sequence).length - 1;
    expect(count("\x1b[22;0t")).toBe(count("\x1b[23;0t"));
    // The region is gone.
    expect(screen).not.toMatch(/^ask mode · /m);
    // Keys that leave take it away.
    const draft = way.name.startsWith("the keys") ? "" : (place.draft ?? "");
    expect(draftsIn(dir)).toContain(draft);
  });
  // Shells differ in when a stopped job gets both signals; tried in the long checks.
  it.each(["SIGTERM"].slice(0, deep(0, 1)))(
    "TUI-B12, UX-Q-8: ended by %s while it is stopped, the terminal is the shell's",
    { timeout: 90_000 },
    async () => {
      const t = openTerminal("/bin/bash", ["--norc", "--noprofile", "-i"], { env: { PS1: "SHELL> " } });
      await t.waitFor("SHELL>");
      t.type(`${process.execPath} ${built.file}\r`);
      await t.waitFor("what shall be done");
      t.type("\x1a");
      await t.waitFor(/Stopped/);
      expect(t.modes()).toEqual({ ...RESTORED, paste: t.modes().paste });
      t.type("kill -TERM %1; fg; echo [code $?]\r");
      await t.waitFor(/\[code 143\]/);
      expect(t.modes()).toEqual({ ...RESTORED, paste: t.modes().paste });
    },
  );
});
