import { chmodSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bundle } from "../support/bundle.ts";
import { openTerminal, RESTORED, type Terminal } from "../support/terminal.ts";

let built: Awaited<ReturnType<typeof bundle>>;
beforeAll(async () => {
  built = await bundle("fake-repl.ts");
});
afterAll(() => built.remove());

async function open(env: Record<string, string>): Promise<Terminal> {
  const terminal = openTerminal(process.execPath, [built.file], { env });
  await terminal.waitFor("ask mode ·");
  return terminal;
}
/** Waits for what the program does to its files. */
async function until(holds: () => boolean): Promise<void> {
  for (let n = 0; n < 500 && !holds(); n++) await new Promise((resolve) => setTimeout(resolve, 20));
  expect(holds()).toBe(true);
}

describe("the composer in a terminal", () => {
  it("UX-IN-17: a draft survives SIGKILL, comes back with a word, and is gone from the disk once sent", async () => {
    const dir = mkdtempSync(join(tmpdir(), "desk-"));
    const drafts = join(dir, "drafts");
    const files = () => {
      try {
        return readdirSync(drafts).map((name) => readFileSync(join(drafts, name), "utf8"));
      } catch {
        return [];
      }
    };
    const first = await open({ DESK: dir });
    first.type("half a thought");
    await first.waitFor("› half a thought");
    await until(() => files().some((text) => text.includes("half a thought")));
    first.signal("SIGKILL");
    await first.exited;
    const second = await open({ DESK: dir });
    const screen = await second.waitFor("› half a thought");
    expect(screen.join("\n")).toContain("Your draft of before is back");
    second.type("\r");
    await second.waitFor("You said: half a thought");
    await until(() => files().length === 0);
  });
  it("UX-IN-16: Ctrl-G gives the terminal to the editor as it was, and takes what comes back; one that fails leaves the draft", async () => {
    const dir = mkdtempSync(join(tmpdir(), "desk-"));
    const editor = join(dir, "ed.sh");
    const fails = join(dir, "fails");
    writeFileSync(
      editor,
      `#!/bin/sh\nstty -a | grep -o ' icanon' > ${dir}/stty\n[ -e ${fails} ] && exit 3\nprintf ' and the rest' >> "$1"\n`,
    );
    chmodSync(editor, 0o700);
    const terminal = await open({ DESK: dir, VISUAL: editor });
    terminal.type("a beginning");
    await terminal.waitFor("› a beginning");
    terminal.type("\x07");
    await terminal.waitFor("› a beginning and the rest");
    expect(readFileSync(join(dir, "stty"), "utf8").trim()).toBe("icanon");
    writeFileSync(fails, "");
    terminal.type("\x07");
    const screen = await terminal.waitFor("ended with 3: the draft is as it was");
    expect(screen.join("\n")).toContain("› a beginning and the rest");
    terminal.type("\r");
    await terminal.waitFor("You said: a beginning and the rest");
    await terminal.waitFor("› what shall");
    terminal.type("/exit\r");
    expect(await terminal.exited).toBe(0);
    expect(terminal.modes()).toEqual(RESTORED);
  });
  it("UX-IN-7: Vim keys by setting: what is typed ahead is written, Esc commands, the mode stands in the status", async () => {
    const terminal = await open({ DESK: mkdtempSync(join(tmpdir(), "desk-")), VIM_KEYS: "1" });
    terminal.type("one two three");
    await terminal.waitFor((rows) => rows.some((row) => row.includes("INSERT")) && rows.includes("› one two three"));
    terminal.type("\x1b");
    await terminal.waitFor("NORMAL");
    terminal.type("0dw.");
    await terminal.waitFor((rows) => rows.includes("› three"));
    terminal.type("\r");
    expect((await terminal.waitFor("You said: three")).join("\n")).toContain("INSERT");
  });
});
