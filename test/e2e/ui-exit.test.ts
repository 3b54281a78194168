import { constants } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openTerminal, RESTORED, type Terminal } from "../support/terminal.ts";

const APP = join(import.meta.dirname, "../support/programs/modes-app.ts");
/** The program under a shell that tells its exit code and the tty's settings afterwards. */
function open(how = ""): Terminal {
  const script = `stty -a > /dev/null; before=$(stty -g); "$0" "$1" $2; echo "[code $?]"; [ "$(stty -g)" = "$before" ] && echo "[tty same]"`;
  return openTerminal("/bin/sh", ["-c", script, process.execPath, APP, how]);
}
/** Process id of the program under the shell. */
async function appPid(shell: Terminal): Promise<number> {
  const { readFileSync } = await import("node:fs");
  return Number(readFileSync(`/proc/${shell.pid}/task/${shell.pid}/children`, "utf8").trim().split(" ")[0]);
}
async function ended(t: Terminal) {
  const screen = (await t.waitFor("[tty same]")).join("\n");
  return { code: Number(/\[code (\d+)\]/.exec(screen)?.[1]), modes: t.modes(), screen };
}

describe("ways to end", () => {
  it.each(["SIGTERM", "SIGHUP", "SIGINT", "SIGQUIT"] as const)(
    "TUI-B12: %s gives the terminal back, exit code 128+n",
    async (signal) => {
      const t = open();
      await t.waitFor("READY");
      expect(t.modes()).toMatchObject({ paste: true, focus: true, kitty: 1 });
      process.kill(await appPid(t), signal);
      const { code, modes, screen } = await ended(t);
      expect({ code, modes }).toEqual({ code: 128 + constants.signals[signal], modes: RESTORED });
      expect(screen).toContain("said");
      expect(screen).not.toContain("READY");
    },
  );
  it.each([
    ["an exit", "e", 3],
    ["an exception", "t", 1],
    ["a rejection", "r", 1],
    ["an empty loop", "q", 0],
  ])("TUI-B12: %s gives the terminal back", async (_, key, want) => {
    const t = open();
    await t.waitFor("READY");
    t.type(key);
    const { code, modes, screen } = await ended(t);
    expect({ code, modes }).toEqual({ code: want, modes: RESTORED });
    if (want === 1) expect(screen).toContain("on purpose");
  });
  it("UX-N-10: a session that can't be saved doesn't keep a signal from ending the program; a second one is quicker", async () => {
    const t = open("hang");
    await t.waitFor("READY");
    const pid = await appPid(t);
    process.kill(pid, "SIGTERM");
    expect(await ended(t)).toMatchObject({ code: 143, modes: RESTORED });
  });
});

describe("Ctrl-Z", () => {
  it("UX-Q-8: gives the terminal to the shell, comes back with fg, the draft there", async () => {
    const t = openTerminal("/bin/bash", ["--norc", "--noprofile", "-i"], { env: { PS1: "SHELL> " } });
    await t.waitFor("SHELL>");
    t.type(`${process.execPath} ${APP}\r`);
    await t.waitFor("READY");
    t.type("\x1a");
    await t.waitFor(
      (rows) => rows.some((r) => /Stopped/.test(r)) && rows.at(-1) !== undefined && !rows.join().includes("READY"),
    );
    expect(t.modes()).toMatchObject({ kitty: 0, focus: false, cursor: true, autowrap: true });
    t.type("fg\r");
    await t.waitFor("READY");
    await t.waitFor("> draft");
    expect(t.modes()).toMatchObject({ kitty: 1, paste: true });
    t.type("x");
    await t.waitFor("> x");
    t.type("e");
    await t.waitFor((rows) => rows.findLast((r) => r !== "")?.startsWith("SHELL>") === true);
    expect(t.modes().kitty).toBe(0);
  });
});
