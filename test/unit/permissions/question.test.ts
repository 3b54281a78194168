import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Effect, Need, Rule } from "../../../src/events/effect.ts";
import { decide } from "../../../src/permissions/decide.ts";
import { deleteRules, offer, pinnedRules } from "../../../src/permissions/offer.ts";
import { questionText } from "../../../src/permissions/question-text.ts";
import { buildQuestion, type QuestionFacts } from "../../../src/permissions/question.ts";
import { landAllowed, readDenied } from "../../../src/permissions/rule-match.ts";
import type { FileDiff } from "../../../src/workspace/workspace.ts";
import { deepRuns } from "../../support/deep.ts";
import { allow, ask, command, deny, entry, landing, marked, needing, summary } from "./effects.ts";

function offered(effect: Effect, rules = [] as Parameters<typeof decide>[2]): string | undefined {
  return offer(effect, decide(effect, "ask", rules, true))?.always;
}

describe("P5: what remembering would save", () => {
  it.each([
    ["npm test", "Bash(npm test)"],
    ["  sed -i s/a/b/ src/a.ts\n", "Bash(sed -i s/a/b/ src/a.ts)"],
    ["echo x > a.txt", "Bash(echo x > a.txt)"],
    ["cd x && make", "Bash(cd x && make)"],
    ["echo 'a:*'", "Bash(echo 'a:*')"],
  ])("for the command %j: %s", (text, rule) => {
    expect(offered(command(text))).toBe(rule);
    expect(decide(command(text), "ask", [allow(rule, "session")], true).action).toBe("allow");
  });
  it.each([
    "echo $x",
    "rm *.o",
    "ls ~/x",
    "x=$(y)",
    "touch a\u200b",
    "touch\ta",
    "touch \u202ea",
    "ls )",
    "",
    "a:*",
    "touch " + "x".repeat(600),
  ])("UX-P-2: nothing for the command %j", (text) => {
    expect(offered(command(text))).toBeUndefined();
  });
  it.each([
    ["src/a.ts", "Edit(src/a.ts)"],
    ["a.ts", "Edit(/a.ts)"],
    ["app/[id]/{x}*.tsx", "Edit(app/\\[id\\]/\\{x\\}\\*.tsx)"],
  ])("for a write of %s: %s, and no other file", (path, rule) => {
    for (const tool of ["Write", "Edit"]) {
      const effect = landing([entry(path)], { tool, subject: path });
      expect(offered(effect)).toBe(rule);
      expect(decide(effect, "ask", [allow(rule)], true).action).toBe("allow");
    }
    for (const other of [`x/${path}`, `${path}/x`, `${path}x`, path.toUpperCase()])
      expect(decide(landing([entry(other)]), "ask", [allow(rule)], true).action).toBe(
        other === `${path}/x` ? "allow" : "ask",
      );
  });
  it("with the folder that the file needs", () => {
    const effect = landing([entry("n", { op: "create", type: "folder" }), entry("n/a.ts", { op: "create" })]);
    expect(offered(effect)).toBe("Edit(n/a.ts)");
  });
  it("never an Edit rule for a command, nothing for Delete, two files, an added folder, a name that isn't UTF-8", () => {
    expect(offered(landing([marked("a", "delete", "own")], { tool: "Delete", subject: "a" }))).toBeUndefined();
    expect(offered(landing([entry("a"), entry("b")]))).toBeUndefined();
    expect(offered(landing([entry("a", { root: 1 })]))).toBeUndefined();
    expect(offered(landing([entry("a\ufffd")]))).toBeUndefined();
    expect(offered(landing([]))).toBeUndefined();
  });
  it.each(["trail ", "src/a ", "a\nb", "a\tb", "\\"])(
    "nothing for the name %j: its rule is read, or looks, otherwise",
    (path) => {
      const rule = offered(landing([entry(path)]));
      if (path === "\\") expect(rule).toBe("Edit(/\\\\)");
      else expect(rule).toBeUndefined();
      const gone = { ...marked(path, "delete"), op: "delete" as const };
      expect(deleteRules(landing([gone]), "ask")).toEqual(path === "\\" ? ["Delete(/\\\\)"] : []);
    },
  );
  it("what is offered for any name answers this question, and shows in one row as it is", () => {
    const sign = fc.constantFrom(..." ()[]{}*?!#\\/,:~.\n\tab".split(""));
    fc.assert(
      fc.property(fc.array(sign, { minLength: 1, maxLength: 6 }), (signs) => {
        const effect = landing([entry(`d${signs.join("")}`)]);
        const rule = offered(effect);
        if (rule === undefined) return;
        expect(rule).not.toMatch(/\p{Cc}/u);
        expect(decide(effect, "ask", [allow(rule, "session")], true).action).toBe("allow");
      }),
      deepRuns(200, 100_000),
    );
  });
  it("P3: where nobody can be asked, a few deletions name a rule each, and with these they land", () => {
    const gone = [marked("h1", "delete", "uncommitted"), marked("d/[x]", "delete")].map((e) => ({
      ...e,
      op: "delete" as const,
    }));
    const rules = ["Delete(/h1)", "Delete(d/\\[x\\])"];
    expect(deleteRules(landing(gone, { tool: "Bash" }), "ask")).toEqual(rules);
    const more = landing([...gone, entry("a")]);
    expect(deleteRules(more, "auto")).toEqual(rules);
    // Something else asks too, too many of them, a folder that was added.
    expect(deleteRules(more, "ask")).toEqual([]);
    expect(deleteRules(landing([...gone, marked("x", "executable")]), "auto")).toEqual([]);
    expect(
      deleteRules(
        landing(Array.from({ length: 6 }, (_, n) => ({ ...marked(`f${n}`, "delete"), op: "delete" as const }))),
        "auto",
      ),
    ).toEqual([]);
    expect(deleteRules(landing(gone.map((e) => ({ ...e, root: 1 }))), "auto")).toEqual([]);
  });
  it("P3: nothing for high risk", () => {
    expect(offered(landing([marked("a", "delete")]))).toBeUndefined();
    expect(offered(landing([marked("a", "control")]))).toBeUndefined();
    expect(offered(needing([{ kind: "network", host: "h", port: 1 }]))).toBeUndefined();
    expect(offered(needing([{ kind: "uncontained", words: "make" }]))).toBeUndefined();
    const many = Array.from({ length: 11 }, (_, i) => entry(`f${i}`));
    expect(offered(landing(many, { tool: "Bash", subject: "make" }))).toBeUndefined();
  });
  it("P3: rules that pin each need are told where each has one, and answer it when the person writes them", () => {
    const host = (name: string, port?: number): Need => ({
      kind: "network",
      host: name,
      ...(port === undefined ? {} : { port }),
    });
    const out: Need = { kind: "outside", access: "write", path: "/srv/data" };
    const mail: Need = { kind: "mcp", server: "notes-app", tool: "send_mail" };
    expect(pinnedRules({ needs: [host("h.example", 443), host("::1", 80), out, mail] })).toEqual([
      "Network(h.example:443)",
      "Network([::1]:80)",
      "Outside(/srv/data)",
      "mcp__notes-app__send_mail",
    ]);
    for (const one of [
      host("*"),
      host("*", 443),
      host("ex\u0430mple.com", 443),
      host("h"),
      { ...out, path: "/a*" },
      { ...out, path: "/proc/7/environ" },
      { ...out, path: "/dev" },
    ])
      expect(pinnedRules({ needs: [host("h.example", 443), one] })).toEqual([]);
    const effect = needing([host("h.example", 443), host("::1", 80), out, mail]);
    const rules = pinnedRules(effect).map((text): Rule => ({ action: "allow", text, source: "person" }));
    expect(decide(effect, "auto", rules, true).action).toBe("allow");
    expect(decide(effect, "auto", rules.slice(1), true).action).toBe("ask");
  });
  it("nothing where a rule demands the question", () => {
    expect(offered(command("make"), [ask("Edit(src)")])).toBeUndefined();
  });
  it("P3: a server's tool pinned by its hash is offered with it; a changed hash, or none, voids the rule", () => {
    const pin = "ab".repeat(32);
    const call = (more: object) =>
      needing([{ kind: "mcp", server: "git", tool: "push", ...more }], { tool: "mcp__git__push" });
    expect(offered(call({ pin }))).toBe(`mcp__git__push@${pin}`);
    expect(offered(call({}))).toBeUndefined();
    expect(offered(call({ pin, server: "g__t" }))).toBeUndefined();
    expect(offered(call({ pin, tool: "p sh" }))).toBeUndefined();
    for (const source of ["session", "person"] as const) {
      const of = (effect: Effect) => decide(effect, "auto", [allow(`mcp__git__push@${pin}`, source)], true).action;
      expect(of(call({ pin }))).toBe("allow");
      expect(of(call({ pin: "cd".repeat(32) }))).toBe("ask");
      expect(of(call({ pin: pin.slice(0, 62) }))).toBe("ask");
      expect(of(call({}))).toBe("ask");
      expect(of(call({ pin, tool: "pull" }))).toBe("ask");
      expect(of(call({ pin, server: "hub" }))).toBe("ask");
    }
    expect(decide(call({ pin }), "auto", [allow("mcp__git__push", "session")], true).action).toBe("ask");
    expect(decide(call({ pin }), "auto", [allow(`mcp__git__push@${pin}`, "project")], true).action).toBe("ask");
    const denied = (rule: string, more: object) =>
      decide(call(more), "auto", [allow("mcp__git__push", "cli"), deny(rule)], true).action;
    expect(denied(`mcp__git__push@${pin}`, { pin })).toBe("deny");
    expect(denied(`mcp__git__push@${pin}`, {})).toBe("deny");
    expect(denied(`mcp__git__push@${pin}`, { pin: "cd".repeat(32) })).toBe("allow");
    for (const rule of ["mcp__*", "mcp__git__*", "mcp__*__push"]) expect(denied(rule, { pin })).toBe("deny");
    for (const rule of ["mcp__hub", "mcp__*__pull"]) expect(denied(rule, { pin })).toBe("allow");
  });
  it("P3: a page's host is offered with scheme and port, and nothing else of high risk", () => {
    const get = (more: object) =>
      needing([{ kind: "network", host: "docs.test", port: 443, get: "https", ...more }], {
        tool: "WebFetch",
        subject: "u",
      });
    expect(offered(get({}))).toBe("WebFetch(https://docs.test)");
    expect(offered(get({ port: 8443 }))).toBe("WebFetch(https://docs.test:8443)");
    expect(offered(get({ get: "http", port: 80 }))).toBe("WebFetch(http://docs.test)");
    expect(offered(get({ host: "::1", port: 81 }))).toBe("WebFetch(https://[::1]:81)");
    expect(offered(get({ host: "::1" }))).toBe("WebFetch(https://[::1])");
    for (const odd of [
      { port: undefined },
      { host: "docs.examp\u04cfe.test" },
      { host: "a@b.test" },
      { host: "*" },
      { get: undefined },
    ])
      expect(offered(get(odd))).toBeUndefined();
    const two = needing([...get({}).needs, ...get({}).needs], { tool: "WebFetch", subject: "u" });
    expect(offered(two)).toBeUndefined();
    expect(offered(needing([{ kind: "outside", access: "read", path: "/x" }]))).toBeUndefined();
    expect(offered({ ...get({}), changes: landing([marked("a", "delete")]).changes })).toBeUndefined();
  });
  it("an offered rule always answers the same question next time", () => {
    const word = fc.constantFrom(
      "make",
      "a b",
      "'x y'",
      '"z"',
      "\\ ",
      ">",
      "f",
      "&&",
      ";",
      "|",
      "(",
      ")",
      "$x",
      "*",
      "#",
      "\n",
      "=1",
      ":*",
      "`",
      "<<<",
      "if",
      "then",
      "fi",
    );
    fc.assert(
      fc.property(fc.array(word, { maxLength: 8 }), (words) => {
        const effect = command(words.join(" "));
        const rule = offered(effect);
        fc.pre(rule !== undefined);
        expect(decide(effect, "ask", [allow(rule ?? "", "session")], true).action).toBe("allow");
      }),
      deepRuns(1000, 100_000),
    );
  });
});

const diff = (path: string, more: Partial<FileDiff> = {}): FileDiff => ({
  root: 0,
  path,
  op: "modify",
  hunks: [],
  added: 1,
  removed: 1,
  ...more,
});
function facts(effect: Effect, more: Partial<QuestionFacts> = {}): QuestionFacts {
  const gate = effect.changes === undefined ? "needs" : "changes";
  return { id: "q", callId: "c", gate, effect, decision: decide(effect, "ask", [], true), diffs: [], ...more };
}

describe("P5: the question", () => {
  const effect = landing(
    [entry("src/a.ts", { added: 2, removed: 1 }), marked("old.txt", "delete"), marked("CLAUDE.md", "control")],
    { tool: "Bash", subject: "make clean" },
    {
      git: [{ text: "staged 4 files", high: false }],
      regenerable: [{ root: 0, path: "node_modules", files: 8613, bytes: 1 }],
    },
  );
  const question = buildQuestion(
    facts(effect, {
      diffs: [
        diff("src/a.ts", { hunks: [{ oldStart: 1, newStart: 1, lines: [" a", "-b\r", "+\tc\u202e"] }] }),
        diff("empty", { after: { size: 0, mode: 0 } }),
        diff("old.txt", { op: "delete", hidden: "binary", before: { size: 5, mode: 0, hash: "ab" } }),
      ],
      command: { text: "make \u001b[2Kclean\n&& x", cwd: "/home/me/p", output: "\u001b[31mdone\u001b[0m\n", exit: 2 },
      place: { n: 2, of: 3 },
    }),
  );
  it("shows deletions first, then emptied files, whatever the order", () => {
    expect(question.diffs.map((d) => d.path)).toEqual(["old.txt", "empty", "src/a.ts"]);
  });
  it("P9: regenerable output is preset only where the step had the network", () => {
    expect(question.regenerable).toEqual({ text: "with node_modules: 8,613 files, regenerable", preset: false });
    expect(buildQuestion(facts(effect, { networkAllowed: true })).regenerable?.preset).toBe(true);
    expect(buildQuestion(facts(command("x"))).regenerable).toBeUndefined();
  });
  it("UX-P-1: as text: exact command, folder, reason, risk, output, every change, undo or not", () => {
    expect(questionText(question)).toBe(
      [
        "permission needed (2 of 3): Bash has run in a copy; nothing of it is in your folder yet",
        "  $ make \\u{1b}[2Kclean",
        "    && x",
        "in: /home/me/p",
        "why: deletes 1 file: old.txt; changes what steers programs (protected), 1 file: CLAUDE.md; changes 1 file: src/a.ts; staged 4 files",
        "risk: high",
        "output (exit 2):",
        "  done",
        "changes 3 files:",
        "  delete old.txt  (delete)",
        "  modify CLAUDE.md  (control)",
        "  modify src/a.ts +2 -1",
        "  git: staged 4 files",
        "--- delete old.txt +1 -1",
        "not shown: binary, 5 bytes, sha256 ab",
        "--- modify empty +1 -1",
        "--- modify src/a.ts +1 -1",
        "@@ -1 +1 @@",
        " a",
        "-b\\u{d}",
        "+\tc\\u{202e}",
        "[ ] with node_modules: 8,613 files, regenerable",
        "can be undone",
      ].join("\n"),
    );
  });
  it("P3: git's high lines and what can't be undone are said", () => {
    const text = questionText(
      buildQuestion(
        facts({
          ...effect,
          changes: summary([], { git: [{ text: "deletes branch x", high: true }], undoable: false }),
        }),
      ),
    );
    expect(text).toContain("git: deletes branch x  (high risk)");
    expect(text).toContain("CAN'T BE UNDONE");
  });
  it("UX-P-1: what remembering saves is shown literally, before it is saved", () => {
    const text = questionText(buildQuestion(facts(command("make x"))));
    expect(text).toContain('"for this session" would save: Bash(make x)');
    expect(text).toContain('"always" would save, in your own rules for this project: Bash(make x)');
    expect(questionText(question)).not.toContain("would save");
  });
  it("a question before the run says so, and where nothing contains commands", () => {
    const text = questionText(
      buildQuestion(facts(needing([{ kind: "uncontained", words: "make" }], { contained: false }))),
    );
    expect(text).toContain("permission needed: Bash asks before it runs\n  make\n");
    expect(text).toContain("risk: high · nothing contains commands on this machine");
  });
  it("output is cut at its head, with a count", () => {
    const output = Array.from({ length: 100 }, (_, i) => `line ${i}`).join("\n");
    const text = questionText(buildQuestion(facts(command("x"), { command: { text: "x", cwd: "/", output } })));
    expect(text).toContain("  … 60 lines above\n  line 60\n");
    expect(text).toContain("  line 99\n");
  });
  it("SEC-G7: nothing invisible or moving reaches the text, whatever command, path, diff and output hold", () => {
    const foreign = fc.string({ unit: "binary", maxLength: 40 });
    fc.assert(
      fc.property(foreign, foreign, foreign, foreign, (text, path, line, output) => {
        const asked = buildQuestion(
          facts(landing([marked(path, "delete"), entry(path)], { tool: "Bash", subject: text }), {
            command: { text, cwd: path, output },
            diffs: [diff(path, { hunks: [{ oldStart: 1, newStart: 1, lines: [`+${line}`] }] })],
          }),
        );
        expect(questionText(asked)).not.toMatch(
          /[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/,
        );
      }),
      deepRuns(500, 50_000),
    );
  });
});

describe("P9: Land", () => {
  it("only the person's own rule lands regenerable output by itself, and no deny or ask may be in its way", () => {
    expect(landAllowed([allow("Land(node_modules)")])("node_modules")).toBe(true);
    expect(landAllowed([allow("Land(node_modules)")])("packages/a/node_modules")).toBe(true);
    expect(landAllowed([allow("Land(dist)")])("node_modules")).toBe(false);
    expect(landAllowed([allow("Land(node_modules)", "project")])("node_modules")).toBe(false);
    expect(landAllowed([allow("Land(node_modules)", "session")])("node_modules")).toBe(false);
    for (const against of [
      deny("Edit(node_modules)", "project"),
      ask("Land(**)"),
      deny("Edit"),
      deny("Edit(.env)"),
      deny("???"),
    ])
      expect(landAllowed([allow("Land(node_modules)"), against])("node_modules")).toBe(false);
    expect(landAllowed([])("dist")).toBe(false);
  });
  it("P6: a Read deny hides paths", () => {
    const hidden = readDenied([deny("Read(secrets/)", "project"), allow("Edit(secrets/)")]);
    expect([hidden("secrets/a"), hidden("SECRETS"), hidden("src/a"), hidden("/srv/secrets/a")]).toEqual([
      true,
      true,
      false,
      true,
    ]);
    expect(readDenied([])("a")).toBe(false);
  });
});
