import { describe, expect, it } from "vitest";
import { setupRows } from "../../../../src/ui/commands/terminal-setup.ts";
import { fakeScreen } from "../../../support/fake-screen.ts";

describe("/terminal-setup", () => {
  const text = (env: Record<string, string>) => setupRows(env).join("\n");

  it("UX-IN-2: tells by terminal what to put where, and that nothing was changed", () => {
    expect(text({ TERM: "xterm-kitty" })).toContain("Shift+Enter works as it is.");
    expect(text({ TERM_PROGRAM: "vscode" })).toContain("workbench.action.terminal.sendSequence");
    expect(text({ TERM_PROGRAM: "Apple_Terminal" })).toContain("Use Option as Meta key");
    expect(text({ WT_SESSION: "1" })).toContain("sendInput");
    expect(text({ TERM: "xterm-256color" })).toContain("Esc [ 13 ; 2 u");
    for (const env of [{}, { TERM_PROGRAM: "iTerm.app" }]) {
      expect(text(env)).toContain("Ctrl+J, and \\ before Enter");
      expect(text(env)).toContain("Nothing was changed.");
    }
  });
  it("UX-IN-2: in tmux extended-keys come first, then the terminal around it", () => {
    const rows = setupRows({
      TMUX: "/tmp/tmux",
      TERM: "tmux-256color",
      TERM_PROGRAM: "tmux",
      GHOSTTY_RESOURCES_DIR: "/g",
    });
    expect(rows).toContain("    set -s extended-keys on");
    expect(rows.indexOf("tmux")).toBeLessThan(rows.indexOf("Ghostty"));
  });
});

describe("/vim", () => {
  it("UX-IN-7: switches the keys, and says so", async () => {
    const screen = fakeScreen();
    const send = async (words: string) => {
      await screen.type(words);
      await screen.type("\r");
    };
    await send("/vim");
    await screen.settle(() => screen.above.join("\n").includes("Vim keys are on"));
    expect(screen.region().at(-1)).toContain("INSERT");
    await send("/vim");
    await screen.settle(() => screen.above.join("\n").includes("Vim keys are off."));
    expect(screen.region().at(-1)).not.toContain("INSERT");
    screen.controller.leave();
    await screen.ended;
  });
});
