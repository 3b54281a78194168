import { describe, expect, it } from "vitest";
import type { Part } from "../../../../src/session/trust-part.ts";
import type { TrustLook } from "../../../../src/session/trust.ts";
import type { Key } from "../../../../src/ui/input/key.ts";
import { layoutTrust, openTrust, trustKey, type TrustPrompt, trustShown } from "../../../../src/ui/prompt/trust.ts";
import { lineWidth, textOfLine } from "../../../../src/ui/render/spans.ts";

const part = (name: string, runs: string[], more: Partial<Part> = {}): Part => ({
  kind: "hook",
  path: ".claude/settings.json",
  name,
  runs,
  hash: "h",
  ...more,
});

function look(parts: readonly Part[], more: Partial<TrustLook> = {}): TrustLook {
  const survey = { parts, problems: [], whole: true, hash: "h" };
  return {
    folder: "/home/ann/project",
    survey,
    reasons: [],
    state: "new",
    keeps: true,
    differences: [],
    texts: [],
    ...more,
  };
}

const PARTS = [
  part("PreToolUse (Bash)", [
    "./guard.sh\u001b[2J --with \u202ea very long line of words that goes on and on beyond any narrow window",
  ]),
  part("db", ["node server.js"], { kind: "server", path: ".mcp.json" }),
  part("", [], { kind: "memory", path: "CLAUDE.md" }),
];
const key = (name: string, text?: string): Key =>
  ({ name, ctrl: false, alt: false, shift: false, ...(text === undefined ? {} : { text }) }) as Key;

/** As a person scrolls: each frame is on the terminal before the next key. */
function seenAll(prompt: TrustPrompt, width: number, max: number): TrustPrompt {
  let now = prompt;
  for (let n = 0; n < 200; n++) {
    const layout = layoutTrust(now, width, max);
    now = trustKey(trustShown(now, layout, width), key("pagedown"), layout).prompt;
  }
  return now;
}

describe("the question that a folder is opened with", () => {
  it.each([
    [39, 23],
    [79, 23],
    [139, 39],
    [79, 9],
    [29, 6],
  ])(
    "H5: fits %i columns and %i rows, shows what runs literally, and no byte of its own reaches the terminal",
    (width, max) => {
      const shown = new Set<string>();
      let prompt = openTrust(look(PARTS));
      for (let n = 0; n < 60; n++) {
        const layout = layoutTrust(prompt, width, max);
        expect(layout.rows.length).toBeLessThanOrEqual(max);
        for (const row of layout.rows) {
          expect(lineWidth(row)).toBeLessThanOrEqual(width);
          shown.add(textOfLine(row));
        }
        prompt = trustKey(trustShown(prompt, layout, width), key("pagedown"), layout).prompt;
      }
      const text = [...shown].filter((row) => !row.includes("more rows")).join("\n");
      expect(text).toContain("1 Trust it");
      expect(text).toContain("3 Leave");
      expect(text.replaceAll(/\s+/g, "")).toContain("./guard.sh\\u{1b}[2J--with\\u{202e}averylong");
      expect(text.split("").filter((sign) => (sign < " " && sign !== "\n") || sign === "\u202e")).toEqual([]);
    },
  );

  it.each([39, 139])(
    "H5: what each answer means, and why the last key did nothing, is whole in %i columns",
    (width) => {
      const prompt = openTrust(look(Array.from({ length: 30 }, (_, n) => part(`Stop ${n}`, [`run ${n}`]))));
      const early = trustKey(prompt, key("1"), layoutTrust(prompt, width, 24)).prompt;
      const { rows } = layoutTrust({ ...early, chosen: 1 }, width, 24);
      const text = rows.map((row) => textOfLine(row).trim()).join(" ");
      expect(text).toContain("1 Trust it · what is listed is used, until what runs changes");
      expect(text).toContain("2 Open it without · nothing of it runs or is read as instructions");
      expect(text).toContain("look at all of it first (PgDn or Space scrolls)");
      const at = layoutTrust({ ...prompt, chosen: 2 }, width, 24);
      expect(textOfLine(at.rows[at.caret.y] ?? [])).toBe("› 3 Leave");
      expect(rows.length).toBeLessThanOrEqual(24);
    },
  );

  it("H5: a yes counts only once all that runs was on screen, at this width; a no and leaving always do", () => {
    const prompt = openTrust(look(Array.from({ length: 30 }, (_, n) => part(`Stop ${n}`, [`run ${n}`]))));
    const yes = (at: TrustPrompt, width: number) => trustKey(at, key("1"), layoutTrust(at, width, 15));
    expect(yes(prompt, 79)).toMatchObject({
      prompt: { hint: expect.stringMatching(/look at all of it first/) as string },
    });
    expect(yes(prompt, 79).done).toBeUndefined();
    const jumped = trustKey(
      trustShown(prompt, layoutTrust(prompt, 79, 15), 79),
      key("end"),
      layoutTrust(prompt, 79, 15),
    ).prompt;
    expect(yes(trustShown(jumped, layoutTrust(jumped, 79, 15), 79), 79).done).toBeUndefined();
    const seen = seenAll(prompt, 79, 15);
    expect(yes(seen, 79).done).toBe("trust");
    expect(yes(seen, 39).done).toBeUndefined();
    expect(trustKey(prompt, key("2"), layoutTrust(prompt, 79, 15)).done).toBe("without");
    expect(trustKey(prompt, key("escape"), layoutTrust(prompt, 79, 15)).done).toBe("leave");
  });

  it("H5: nothing is chosen beforehand: Enter alone answers nothing, the arrows choose", () => {
    const prompt = openTrust(look(PARTS));
    const sight = layoutTrust(prompt, 79, 23);
    expect(trustKey(prompt, key("return"), sight)).toEqual({
      prompt: { ...prompt, hint: "Choose with a number or the arrows" },
    });
    const down = trustKey(trustKey(prompt, key("down"), sight).prompt, key("down"), sight).prompt;
    expect(trustKey(down, key("return"), sight).done).toBe("without");
    expect(trustKey(prompt, key("7"), sight).done).toBeUndefined();
    expect(trustKey(prompt, key("x", "x"), sight)).toEqual({ prompt });
  });

  it("H5: a place that asks whatever it brings says why, and has nothing to trust", () => {
    const prompt = openTrust(
      look([], { reasons: ["This is your home folder: everything of yours would be the project."], keeps: false }),
    );
    const rows = layoutTrust(prompt, 79, 23).rows.map(textOfLine);
    expect(rows).toEqual([
      "Do you trust this folder?",
      "/home/ann/project",
      "This is your home folder: everything of yours would be the project.",
      "  1 Open it",
      "  2 Leave",
      "  1–2 or ↑↓ Enter · Esc leaves",
    ]);
    expect(trustKey(prompt, key("1"), layoutTrust(prompt, 79, 23)).done).toBe("without");
    expect(trustKey(prompt, key("3"), layoutTrust(prompt, 79, 23)).done).toBeUndefined();
  });

  it("H5: what is other than at the last yes stands first", () => {
    const changed = look(PARTS, { state: "changed", differences: [{ what: "changed", id: "server .mcp.json db" }] });
    const rows = layoutTrust(openTrust(changed), 79, 23).rows.map(textOfLine).join("\n");
    expect(rows).toMatch(/Other than what you last said yes or no to:\nchanged: server \.mcp\.json db\n1 hook/);
  });
});
