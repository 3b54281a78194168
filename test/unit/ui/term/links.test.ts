import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { markdown } from "../../../../src/ui/render/markdown.ts";
import { type Card, cardLines } from "../../../../src/ui/render/tool.ts";
import { paint } from "../../../../src/ui/render/spans.ts";
import { guarded } from "../../../../src/ui/term/guard.ts";
import { fileHref, guardedLinks, knowsLinks, opensFiles, safeHref } from "../../../../src/ui/term/links.ts";
import { plainTheme } from "../../../../src/ui/theme.ts";

const row = (text: string, links = true) =>
  paint(markdown(text, 200), plainTheme, { links })
    .map((r) => guardedLinks(r, guarded))
    .join("\n");

describe("links", () => {
  it("UX-T-3: lead where the terminal can follow, and say where; elsewhere they are text", () => {
    const target = "https://example.org/a";
    expect(row(`see [the page](${target})`)).toBe(
      `see \x1b]8;;${target}\x1b\\the page\x1b]8;;\x1b\\ (\x1b]8;;${target}\x1b\\${target}\x1b]8;;\x1b\\)`,
    );
    expect(row(`see [the page](${target})`, false)).toBe(`see the page (${target})`);
  });
  it("UX-T-3: only web addresses without a name and password in them", () => {
    for (const href of [
      "javascript:alert(1)",
      "file:///etc/passwd",
      "ftp://a/b",
      "ssh://a",
      "/etc",
      "https://u:p@a.org/",
      `https://a.org/${"x".repeat(3000)}`,
    ])
      expect(safeHref(href)).toBeUndefined();
    expect(safeHref("https://a.org/ü\x1b]52;c;x\x07")).toMatch(/^https:\/\/a\.org\/[\x21-\x7e]+$/);
  });
  it("UX-T-3: a host in letters that look like others is told as it is asked for", () => {
    expect(row("[docs](https://g\u043e\u043egle.com/a)", false)).toBe("docs (https://xn--ggle-55da.com/a)");
    expect(row("[https://g\u043e\u043egle.com/](https://g\u043e\u043egle.com/)", false)).toContain(
      "(https://xn--ggle-55da.com/)",
    );
    expect(row("[w](https://a.org/\u00fc)", false)).toBe("w (https://a.org/\u00fc)");
  });
  it("UX-T-3: a path leads to its file where a click shows it, and in letters that hide nothing", () => {
    expect(fileHref("/p/a b/ü#?.ts")).toBe("file:///p/a%20b/%C3%BC%23%3F.ts");
    for (const path of [
      "a.ts",
      "/p/run",
      "/p/x.command",
      "/p/x.desktop",
      "/p/x.html",
      "/p/x.sh",
      "/p/x.py",
      "/p/.ts",
      "/p/../x.ts",
      "/p/x\u202e.ts",
      "/p/x\x1b]8;;.ts",
      "/p/\ud800.ts",
      `/p/${"x".repeat(3000)}.ts`,
    ])
      expect(fileHref(path)).toBeUndefined();
  });
  it("UX-T-3: paths of cards are links where files can be opened, and nowhere else", () => {
    const card = {
      tool: "Read",
      input: { file_path: "src/a.ts" },
      status: "ok" as const,
      text: "",
      durationMs: 1,
      folder: "/p",
    };
    const head = (more: Partial<Card>, files = true) =>
      guardedLinks(paint(cardLines({ ...card, ...more }, 80), plainTheme, { links: true, files })[0] ?? "", guarded);
    expect(head({})).toContain("\x1b]8;;file:///p/src/a.ts\x1b\\src/a.ts\x1b]8;;\x1b\\");
    expect(head({}, false)).not.toContain("\x1b]8");
    expect(head({ status: "denied" })).not.toContain("\x1b]8");
    expect(head({ input: { file_path: "src/a.sh" } })).not.toContain("\x1b]8");
    expect(opensFiles({ TERM_PROGRAM: "WezTerm" })).toBe(true);
    expect(opensFiles({ TERM_PROGRAM: "WezTerm", SSH_CONNECTION: "1" })).toBe(false);
    expect(opensFiles({ TERM: "xterm" })).toBe(false);
  });
  it("TUI-B16: whatever a text holds, the terminal gets no link and no escape but ours, and none stays open", () => {
    const hostile = fc.array(
      fc.constantFrom(
        "\x1b]8;;http://evil/\x1b\\",
        "\x1b]8;;",
        "\x1b\\",
        "\x07",
        "\x1b[2J",
        "[a](",
        "https://x.y/",
        ")",
        "b ",
        "\x9d8;;",
      ),
      { maxLength: 12 },
    );
    fc.assert(
      fc.property(hostile, (pieces) => {
        const out = row(pieces.join(""));
        const bare = out.replaceAll(/\x1b\]8;;(?:https?:\/\/[\x21-\x7e]+)?\x1b\\/g, "");
        expect(bare).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f]/);
        for (const one of out.split("\n"))
          expect(one.split("\x1b]8;;http").length).toBe(one.split("\x1b]8;;\x1b\\").length);
        expect(out).not.toContain("\x1b]8;;http://evil/");
      }),
      { numRuns: 300 },
    );
    expect(guardedLinks("\x1b]8;;https://a.org/\x1b\\open", guarded)).toBe(
      "\x1b]8;;https://a.org/\x1b\\open\x1b]8;;\x1b\\",
    );
    expect(guardedLinks("\x1b]8;;file:///x\x1b\\y", guarded)).not.toContain("\x1b");
  });
  it("UX-T-3: known terminals only; in tmux from 3.4 on", () => {
    expect(knowsLinks({ TERM: "xterm-256color" })).toBe(false);
    expect(knowsLinks({ TERM: "xterm-256color", VTE_VERSION: "7200" })).toBe(true);
    expect(knowsLinks({ TERM: "xterm-kitty" })).toBe(true);
    expect(knowsLinks({ TMUX: "x", TERM_PROGRAM: "tmux", TERM_PROGRAM_VERSION: "3.3a", VTE_VERSION: "7200" })).toBe(
      false,
    );
    expect(knowsLinks({ TMUX: "x", TERM_PROGRAM: "tmux", TERM_PROGRAM_VERSION: "3.5" })).toBe(true);
  });
});
