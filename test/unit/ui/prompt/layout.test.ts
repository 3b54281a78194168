import fc from "fast-check";
import { needText } from "../../../../src/permissions/risk.ts";
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { Need } from "../../../../src/events/effect.ts";
import { layoutPrompt } from "../../../../src/ui/prompt/layout.ts";
import { openPermission, permissionKey } from "../../../../src/ui/prompt/permission.ts";
import { layoutPerson, openPerson, personKey } from "../../../../src/ui/prompt/person.ts";
import { makeKey } from "../../../../src/ui/input/key.ts";
import { lineWidth, paint } from "../../../../src/ui/render/spans.ts";
import { plainTheme } from "../../../../src/ui/theme.ts";
import { entry, oneLineDiff, question, summary } from "../../../support/questions.ts";

const bash = (text: string, output = "") =>
  question({
    tool: "Bash",
    subject: text,
    command: { text, cwd: "/p", exit: 0, output },
    changes: summary([entry("a.ts", { added: 3 })]),
    offer: { session: `Bash(${text})`, always: `Bash(${text})` },
  });
const all = (text: string) =>
  paint(layoutPrompt(openPermission(bash(text)), 200, 500, true).rows, plainTheme).join("\n");

describe("question layout", () => {
  it("UX-P-1: command, folder, walls, exit, output, reason, risk and counts", () => {
    const rows = paint(
      layoutPrompt(openPermission(bash("sed -i s/a/b/ a.ts", "done\n")), 80, 24, true).rows,
      plainTheme,
    );
    expect(rows).toEqual([
      "Land Bash’s changes? medium risk",
      "ask mode: changes are asked",
      "$ sed -i s/a/b/ a.ts",
      "/p · in the copy · exit 0",
      "done",
      "1 file · can be undone",
      "~ a.ts +3",
      "› 1 yes, once · Tab: add a word",
      "  2 yes, for this session: Bash(sed -i s/a/b/ a.ts) · ←→ always",
      "  3 no · the work stops here",
      "Ctrl-E explain · e edit rule · Esc no",
    ]);
  });
  it.each([40, 140])(
    "P5: what is wrong with an edited rule is told while it is typed, in %i columns; what is saved follows",
    (cols) => {
      const changes = summary([entry("some/folder/a.ts", { added: 3 })]);
      const q = question({ changes, offer: { session: "Edit(some/folder/a.ts)", always: "Edit(some/folder/a.ts)" } });
      const sight = { rows: 1, window: 1, unseen: [] };
      const typed = (text: string) => {
        let prompt = permissionKey(openPermission(q), makeKey("e"), sight).prompt;
        for (let n = 0; n < 40; n++) prompt = permissionKey(prompt, makeKey("backspace"), sight).prompt;
        for (const sign of text) prompt = permissionKey(prompt, makeKey(sign, { text: sign }), sight).prompt;
        return permissionKey(prompt, makeKey("return"), sight).prompt;
      };
      const shown = (text: string) => {
        const { rows, caret } = layoutPrompt(typed(text), cols, 30, true);
        return {
          text: paint(rows, plainTheme)
            .map((row) => row.trim())
            .join(" "),
          last: caret.y === rows.length - 1,
        };
      };
      const wrong = shown("Foo(x)");
      expect(wrong.text).toMatch(/Foo is no kind of rule; write .* or mcp__server__tool rule: Foo\(x\)$/);
      expect(wrong.last).toBe(true);
      expect(shown("Edit(b)").text).toContain(
        "This rule doesn't cover this call: Enter again keeps it so rule: Edit(b)",
      );
      expect(shown("Edit(some/**)").text).not.toContain("some/folder/a.ts)");
      expect(shown("Edit(some/**)").text).toContain("Edit(some/**)");
      // On a low screen the question's own rows stay.
      expect(layoutPrompt(typed("Foo(x)"), cols, 6, true).rows.length).toBeLessThanOrEqual(6);
    },
  );
  it.each([40, 140])("P-4: a question whose keys go to the draft says how to answer, in %i columns", (cols) => {
    const rows = paint(layoutPrompt(openPermission(bash("ls")), cols, 30, false).rows, plainTheme);
    expect(rows.join(" ")).toContain("Ctrl-Y answers");
  });
  it("G7: what earlier commands exported is shown where it decides what the words mean, and must be seen", () => {
    const exported = ["EVIL=\u001b]0;x\u0007\nY=1", `PATH=/evil:${"x".repeat(600)}`];
    const q = question({
      tool: "Bash",
      subject: "npm ci",
      needs: [{ kind: "network", host: "*" }],
      command: { text: "npm ci", cwd: "/p", exported },
    });
    const rows = paint(layoutPrompt(openPermission(q), 80, 40, true).rows, plainTheme).join("\n");
    expect(rows).toContain("with what earlier commands exported:\n  EVIL=\\u{1b}]0;x\\u{7}\\nY=1\n  PATH=/evil:xxx");
    expect(rows).toContain("(611 characters)");
    const small = layoutPrompt(openPermission(q), 80, 8, true);
    expect(small.sight.unseen).toContain("exported");
  });
  it("UX-N-9, P-4: in the smallest window the title is the body's first and must be seen; why a key did nothing is told", () => {
    const q = question({ tool: "Write", diffs: [oneLineDiff("a.ts")], changes: summary([entry("a.ts")]) });
    const drawn = (prompt: ReturnType<typeof openPermission>, focused = true) => layoutPrompt(prompt, 19, 3, focused);
    const text = (prompt: ReturnType<typeof openPermission>, focused?: boolean) =>
      paint(drawn(prompt, focused).rows, plainTheme).join("\n");
    let prompt = openPermission(q);
    expect(text(prompt)).toMatch(/^Land Write’s\n› 1 yes/);
    expect(text(prompt, false)).toContain("You are writing:");
    const press = (name: string) => {
      const { visible, sight } = drawn(prompt);
      prompt = { ...prompt, seen: new Set([...prompt.seen, ...visible]) };
      const step = permissionKey(prompt, makeKey(name), sight);
      prompt = step.prompt;
      return step.answer?.kind;
    };
    expect(press("1")).toBeUndefined();
    expect(drawn(prompt).sight.unseen).toContain("title");
    expect(text(prompt)).toContain("Not answered: PgDn");
    let answer: string | undefined;
    for (let n = 0; n < 40 && answer === undefined; n++) answer = n % 2 === 0 ? void press("pagedown") : press("1");
    expect(answer).toBe("yes");
  });
  it("UX-P-1: one file is named by the reason and its diff, not by a list as well; a deletion must have been seen", () => {
    const reason = "deletes 1 file: a.ts";
    const gone = { ...oneLineDiff("a.ts"), op: "delete" as const };
    const one = question({
      tool: "Bash",
      risk: "high",
      reason,
      changes: summary([entry("a.ts", { op: "delete", marks: ["delete"] })]),
      diffs: [gone],
    });
    const shown = layoutPrompt(openPermission(one), 80, 24, true);
    const rows = paint(shown.rows, plainTheme);
    expect(rows.slice(0, 4)).toEqual([
      "Land Bash’s changes? high risk",
      `${reason} · can be undone`,
      "",
      expect.any(String),
    ]);
    expect(rows[3]).toMatch(/^a\.ts deleted/);
    expect(shown.visible).toEqual(["80:entry:0:0"]);
    const marked = question({
      changes: summary([entry("a.ts", { marks: ["executable"] })]),
      diffs: [oneLineDiff("a.ts")],
    });
    expect(paint(layoutPrompt(openPermission(marked), 80, 24, true).rows, plainTheme).join("\n")).toContain(
      "new executable",
    );
  });
  it("UX-P-1: needs are named with what they want", () => {
    const q = question({ tool: "WebFetch", needs: [{ kind: "network", host: "exаmple.com", port: 443 }] });
    const rows = paint(layoutPrompt(openPermission(q), 80, 24, true).rows, plainTheme).join("\n");
    expect(rows).toContain("reaches the network\n  exаmple.com:443\n");
    expect(rows).toContain("really xn--exmple-4nf.com");
  });
  it("P3: named hosts, any host and the whole network are three questions; only what can be pinned names its rule", () => {
    const rows = (...needs: Need[]) =>
      paint(layoutPrompt(openPermission(question({ tool: "Bash", needs })), 100, 40, true).rows, plainTheme).join("\n");
    const host = (name: string, port: number): Need => ({ kind: "network", host: name, port });
    const named = rows(host("a.example", 443), host("10.0.0.1", 80));
    expect(named).toContain(
      "reaches the network\n  a.example:443\nreaches the network\n  10.0.0.1:80 (an address inside",
    );
    expect(named).toContain("unless your own rules allow Network(a.example:443), Network(10.0.0.1:80)");
    expect(rows(host("*", 443))).toContain("reaches ANY host\n  port 443");
    const whole = rows({ kind: "network", host: "*" });
    expect(whole).toContain("gets the WHOLE network\n  any host and port, this machine's own services");
    const all: Need = { kind: "network", host: "*" };
    const asked = question({ tool: "Bash", needs: [all], reason: `${needText(all)}; your rule asks` });
    const once = paint(layoutPrompt(openPermission(asked), 100, 40, true).rows, plainTheme).join("\n");
    expect(once.match(/private network/g)).toHaveLength(1);
    expect(once).toContain("your rule asks");
    for (const text of [whole, rows(host("*", 443)), rows(host("a.example", 443), { kind: "network", host: "*" })])
      expect(text).not.toContain("your own rules");
  });
  it("P5: what no undo takes back is told with the changes, and must have been seen", () => {
    const reached = { kind: "network", host: "a.example", port: 443, up: 12_000, down: 3_000_000 } as const;
    const q = question({
      tool: "Bash",
      subject: "npm ci",
      command: { text: "npm ci", cwd: "/p", exit: 0, output: "" },
      changes: summary([entry("a.ts", { added: 3 })], { sideEffects: [reached] }),
    });
    const rows = paint(layoutPrompt(openPermission(q), 100, 24, true).rows, plainTheme);
    expect(rows).toContain("it also reached a.example:443 (12 kB up, 3.0 MB down): this can't be undone");
    expect(layoutPrompt(openPermission(q), 100, 7, true).sight.unseen).toContain("beyond");
  });
  it("P3: a command that runs outside of the copy says so beside its folder", () => {
    const needs: Need[] = [{ kind: "unsandboxed", words: "docker ps" }];
    const q = question({ tool: "Bash", subject: "docker ps", needs, command: { text: "docker ps", cwd: "/p" } });
    const rows = paint(layoutPrompt(openPermission(q), 100, 24, true).rows, plainTheme).join("\n");
    expect(rows).toContain("/p · outside the copy, as you");
  });
  it("UX-P-2: hidden characters take the offer to remember away", () => {
    expect(all("rm\u200b x")).not.toContain("for this session");
    expect(all("rm\u200b x")).toContain("rm\\u{200b} x");
    expect(all("rm x")).toContain("for this session");
  });
  for (const text of corpusTexts("permission_prompt", "file_name")) {
    it(`${text.id}: shown harmless in a question`, () => {
      const rows = all(text.text);
      for (const bad of text.lacks) expect(rows).not.toContain(bad);
      for (const good of text.has) expect(rows).toContain(good);
      expect(rows).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f]/);
    });
  }
  it("F-1: never more rows than allowed (5 or more), never wider than the width, whatever is asked", () => {
    const arb = fc.record({
      text: fc.string({ unit: "grapheme", maxLength: 300 }),
      files: fc.integer({ min: 0, max: 30 }),
    });
    fc.assert(
      fc.property(
        arb,
        fc.integer({ min: 1, max: 200 }),
        fc.integer({ min: 5, max: 40 }),
        ({ text, files }, width, max) => {
          const entries = Array.from({ length: files }, (_, at) =>
            entry(`${text}${at}`, { op: "delete", marks: ["delete"] }),
          );
          const q = { ...bash(text, text), ...question({ changes: summary(entries), diffs: [oneLineDiff(text)] }) };
          const { rows, caret } = layoutPrompt(openPermission(q), width, max, true);
          expect(rows.length).toBeLessThanOrEqual(max);
          expect(caret.y).toBeLessThan(rows.length);
          for (const row of rows) expect(lineWidth(row)).toBeLessThanOrEqual(width);
        },
      ),
      { numRuns: 150 },
    );
  });
});

describe("AskUser", () => {
  const open = openPerson({
    question: "Which one?",
    options: [{ label: "red", description: "warm" }, { label: "blue" }],
  });
  const keys = (names: readonly string[]) =>
    names.reduce<{ prompt: typeof open; answer?: string }>(
      ({ prompt, answer }, name) =>
        answer === undefined
          ? personKey(prompt, makeKey(name, name.length === 1 ? { text: name } : {}))
          : { prompt, answer },
      { prompt: open },
    );
  it("S6: choices by number or arrows, own words always", () => {
    expect(keys(["2"]).answer).toBe("blue");
    expect(keys(["down", "return"]).answer).toBe("blue");
    expect(keys(["h", "2", "return"]).answer).toBe("h2");
    expect(keys(["down", "down", "return"]).answer).toBeUndefined();
  });
  it("S6: drawn with its choices", () => {
    expect(paint(layoutPerson(open, 40, 10).rows, plainTheme)).toEqual([
      "Which one?",
      "› 1 red · warm",
      "  2 blue",
      "  own words:",
    ]);
  });
  const many = openPerson({
    question: "Which?",
    options: [{ label: "red" }, { label: "blue" }, { label: "green" }],
    multiple: true,
    place: { n: 1, of: 2 },
  });
  const ticks = (names: readonly string[]) =>
    names.reduce<{ prompt: typeof open; answer?: string }>(
      ({ prompt }, name) => personKey(prompt, makeKey(name, name.length === 1 ? { text: name } : {})),
      { prompt: many },
    );
  it("S6: what an option means is shown whole, in several rows where there is room", () => {
    const long = "needs a signing key which takes some days";
    const open = openPerson({
      question: "Which?",
      options: [{ label: "Linux" }, { label: "Windows", description: long }],
    });
    const down = personKey(open, { name: "down", ctrl: false, alt: false, shift: false }).prompt;
    const { rows, caret } = layoutPerson(
      personKey(down, { name: "down", ctrl: false, alt: false, shift: false }).prompt,
      30,
      10,
    );
    expect(paint(rows, plainTheme)).toEqual([
      "Which?",
      "  1 Linux",
      "  2 Windows · needs a signing",
      "    key which takes some days",
      "› own words:",
    ]);
    expect(caret.y).toBe(4);
    expect(layoutPerson(down, 30, 4).rows).toHaveLength(4);
  });

  it("S6: several may be ticked, with own words behind them; Enter answers, a digit alone does not", () => {
    expect(ticks(["3"]).answer).toBeUndefined();
    expect(ticks(["3", "1", "return"]).answer).toBe("red; green");
    expect(ticks(["space", "down", "down", "space", "return"]).answer).toBe("red; green");
    expect(ticks(["1", "1", "2", "return"]).answer).toBe("blue");
    expect(ticks(["9", "down", "return"]).answer).toBe("blue");
    expect(ticks(["1", "x", "2", "return"]).answer).toBe("red; x2");
    expect(ticks(["down", "down", "down", "return"]).answer).toBeUndefined();
  });
  it("S6: a question of several is drawn with its place and its ticks", () => {
    expect(paint(layoutPerson(ticks(["2"]).prompt, 70, 10).rows, plainTheme)).toEqual([
      "1 of 2: Which?",
      "  several may be chosen: Space or a digit ticks, Enter answers",
      "  [ ] 1 red",
      "› [x] 2 blue",
      "  [ ] 3 green",
      "  own words:",
    ]);
  });
  it("F-1: keeps to its rows at any size", () => {
    fc.assert(
      fc.property(
        fc.string(),
        fc.array(fc.string(), { maxLength: 12 }),
        fc.integer({ min: 1, max: 120 }),
        fc.integer({ min: 3, max: 20 }),
        fc.boolean(),
        (q, labels, width, max, multiple) => {
          const { rows, caret } = layoutPerson(
            openPerson({ question: q, options: labels.map((label) => ({ label })), multiple }),
            width,
            max,
          );
          expect(rows.length).toBeLessThanOrEqual(max);
          expect(caret.y).toBeLessThan(max);
          for (const row of rows) expect(lineWidth(row)).toBeLessThanOrEqual(width);
        },
      ),
    );
  });
});

interface CorpusText {
  id: string;
  text: string;
  lacks: string[];
  has: string[];
}
/** The rows of the shared corpus that a question must show safely; copied into fixtures. */
function corpusTexts(...where: string[]): CorpusText[] {
  const file = new URL("../../../../fixtures/screen/hostile.json", import.meta.url);
  const rows: (CorpusText & { where: string })[] = JSON.parse(readFileSync(file, "utf8"));
  return rows.filter((row) => where.includes(row.where));
}
