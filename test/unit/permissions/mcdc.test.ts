import { describe, expect, it } from "vitest";
import type { Decision, Effect, Mode, Need, Rule } from "../../../src/events/effect.ts";
import { decide } from "../../../src/permissions/decide.ts";
import type { Verdict } from "../../../src/permissions/lattice.ts";
import { allow, ask, deny, entry, landing, marked, needing } from "./effects.ts";

type Action = Decision["action"];

const pin = "ab".repeat(32);
const need = (one: Need, more: Partial<Effect> = {}): Effect => needing([one], more);
const files = (n: number) => Array.from({ length: n }, (_, i) => entry(`f${i}`));
const made = { tool: "Bash", subject: "make" } as const;

interface Case {
  effect: Effect;
  mode?: Mode;
  rules?: readonly Rule[];
  hooks?: readonly Verdict[];
}
const net = need({ kind: "network", host: "h.test", port: 1 });
const change = need({ kind: "change", paths: ["a"] }, { tool: "Write", subject: "a" });
const before = need({ kind: "before", words: "make" });
const outside = (access: "read" | "write") => need({ kind: "outside", access, path: "/x" });
const page = need({ kind: "network", host: "h.test", port: 443, get: "https" });
const tool = need({ kind: "mcp", server: "s", tool: "t", pin });
const one = landing([entry("a")], made);
const folder = (more: object) => landing([entry("d", { op: "delete", type: "folder", ...more })]);

/** Two cases that differ in one condition alone, with what each must give: so every condition is shown to decide. */
const PAIRS: readonly (readonly [condition: string, a: Case, action: Action, b: Case, other: Action])[] = [
  ["decide: a rule's verdict", { effect: net, rules: [deny("Network(h.test)")] }, "deny", { effect: net }, "ask"],
  [
    "decide: a hook's verdict",
    { effect: net, hooks: [{ action: "deny", reason: "" }] },
    "deny",
    { effect: net },
    "ask",
  ],
  [
    "decide: a hook allows or asks",
    { effect: needing([]), hooks: [{ action: "ask", reason: "" }] },
    "ask",
    { effect: needing([]), hooks: [{ action: "allow", reason: "" }] },
    "allow",
  ],
  [
    "decide: before the run or after it",
    { effect: change },
    "allow",
    { effect: { ...change, changes: one.changes } },
    "ask",
  ],
  [
    "ask rules of words: before the run or after it",
    { effect: needing([]), mode: "auto", rules: [ask("Bash(make)")] },
    "ask",
    { effect: one, mode: "auto", rules: [ask("Bash(make)")] },
    "allow",
  ],
  [
    "ask rules of a tool: before the run or after it",
    { effect: needing([], { tool: "TodoWrite" }), rules: [ask("TodoWrite")] },
    "ask",
    { effect: landing([], { tool: "TodoWrite" }), rules: [ask("TodoWrite")] },
    "allow",
  ],
  [
    "after the run: an ask of words or of paths",
    { effect: one, mode: "auto", rules: [ask("Bash")] },
    "allow",
    { effect: one, mode: "auto", rules: [ask("Edit")] },
    "ask",
  ],
  [
    "ask rules: concerned or not",
    { effect: one, mode: "auto", rules: [ask("Edit(a)")] },
    "ask",
    { effect: one, mode: "auto", rules: [ask("Edit(b)")] },
    "allow",
  ],
  [
    "deny rules: surely or perhaps",
    { effect: landing([entry("d", { op: "create", type: "folder", files: 2 })]), rules: [deny("Edit(d)")] },
    "deny",
    {
      effect: landing([entry("d", { op: "create", type: "folder", files: 2 })]),
      mode: "auto",
      rules: [deny("Edit(x)")],
    },
    "ask",
  ],
  [
    "an unread deny",
    { effect: needing([]), rules: [deny("Bsh")] },
    "ask",
    { effect: needing([]), rules: [allow("Bsh")] },
    "allow",
  ],
  ["plan: the mode", { effect: net, mode: "plan" }, "deny", { effect: net, mode: "ask" }, "ask"],
  ["plan: a change", { effect: change, mode: "plan" }, "deny", { effect: needing([]), mode: "plan" }, "allow"],
  ["plan: high", { effect: net, mode: "plan" }, "deny", { effect: before, mode: "plan" }, "ask"],
  [
    "plan: read or write",
    { effect: outside("read"), mode: "plan" },
    "ask",
    { effect: outside("write"), mode: "plan" },
    "deny",
  ],
  ["plan: outside or not", { effect: outside("read"), mode: "plan" }, "ask", { effect: net, mode: "plan" }, "deny"],
  ["before: the need", { effect: before }, "ask", { effect: needing([]) }, "allow"],
  ["before: the mode", { effect: before }, "ask", { effect: before, mode: "auto" }, "allow"],
  [
    "before: these words",
    { effect: before, rules: [allow("Bash(make)")] },
    "allow",
    { effect: before, rules: [allow("Bash(made)")] },
    "ask",
  ],
  [
    "nothing changed: entries",
    { effect: landing([], {}, { files: 0 }) },
    "allow",
    { effect: landing([entry("a")], {}, { files: 0 }) },
    "ask",
  ],
  [
    "nothing changed: git",
    { effect: landing([]) },
    "allow",
    { effect: landing([], {}, { git: [{ text: "g", high: false }] }) },
    "ask",
  ],
  ["nothing changed: files", { effect: landing([]) }, "allow", { effect: landing([], {}, { files: 1 }) }, "ask"],
  ["changes: plan", { effect: one, mode: "plan" }, "deny", { effect: one, mode: "ask" }, "ask"],
  ["changes: auto", { effect: one, mode: "auto" }, "allow", { effect: one, mode: "ask" }, "ask"],
  [
    "git: high or not",
    { effect: landing([], {}, { git: [{ text: "g", high: true }] }), mode: "auto" },
    "ask",
    { effect: landing([], {}, { git: [{ text: "g", high: false }] }), mode: "auto" },
    "allow",
  ],
  [
    "medium: a command's allow, by tool",
    { effect: one, rules: [allow("Bash(make)")] },
    "allow",
    { effect: { ...one, tool: "Write" }, rules: [allow("Bash(make)")] },
    "ask",
  ],
  [
    "medium: every entry is covered",
    { effect: landing([entry("a"), entry("b")]), rules: [allow("Edit({a,b})")] },
    "allow",
    { effect: landing([entry("a"), entry("b")]), rules: [allow("Edit(a)")] },
    "ask",
  ],
  [
    "medium: paths don't cover git",
    { effect: landing([entry("a")]), rules: [allow("Edit")] },
    "allow",
    { effect: landing([entry("a")], {}, { git: [{ text: "g", high: false }] }), rules: [allow("Edit")] },
    "ask",
  ],
  [
    "a lift beside what stays",
    { effect: landing([marked("a", "delete")]), rules: [allow("Delete(a)")] },
    "allow",
    { effect: landing([marked("a", "delete"), entry("b")]), rules: [allow("Delete(a)")] },
    "ask",
  ],
  [
    "a lift of deletions: what was not saved",
    { effect: landing([marked("a", "delete", "uncommitted")]), rules: [allow("Delete(a)")] },
    "allow",
    { effect: landing([marked("a", "uncommitted")]), rules: [allow("Delete(a)")] },
    "ask",
  ],
  [
    "a new folder: with something below",
    { effect: landing([entry("d", { op: "create", type: "folder" }), entry("d/a")]), rules: [allow("Edit(d/a)")] },
    "allow",
    { effect: landing([entry("d", { op: "create", type: "folder" }), entry("e/a")]), rules: [allow("Edit({d,e}/a)")] },
    "ask",
  ],
  [
    "a new folder: made or changed",
    { effect: landing([entry("d", { op: "create", type: "folder" }), entry("d/a")]), rules: [allow("Edit(d/a)")] },
    "allow",
    { effect: landing([entry("d", { op: "chmod", type: "folder" }), entry("d/a")]), rules: [allow("Edit(d/a)")] },
    "ask",
  ],
  [
    "a new folder: in the same root",
    { effect: landing([entry("d", { op: "create", type: "folder" }), entry("d/a")]), rules: [allow("Edit(d/a)")] },
    "allow",
    {
      effect: landing([entry("d", { op: "create", type: "folder" }), entry("d/a", { root: 1 })]),
      rules: [allow("Edit(d/a)")],
    },
    "ask",
  ],
  [
    "a new folder: what is in it is listed or only counted",
    { effect: landing([entry("d", { op: "create", type: "folder" }), entry("d/a")]), rules: [allow("Edit(d/a)")] },
    "allow",
    {
      effect: landing([entry("d", { op: "create", type: "folder", files: 3 }), entry("d/a")]),
      rules: [allow("Edit(d/a)")],
    },
    "ask",
  ],
  [
    "a new folder: a file or a folder below it",
    { effect: landing([entry("d", { op: "create", type: "folder" }), entry("d/e")]), rules: [allow("Edit(d/e)")] },
    "allow",
    {
      effect: landing([entry("d", { op: "create", type: "folder" }), entry("d/e", { op: "create", type: "folder" })]),
      rules: [allow("Edit(d/e)")],
    },
    "ask",
  ],
  [
    "lifting: a project's allow",
    { effect: net, rules: [allow("Network(h.test:1)", "user")] },
    "allow",
    { effect: net, rules: [allow("Network(h.test:1)", "project")] },
    "ask",
  ],
  [
    "lifting: a session's allow",
    { effect: net, rules: [allow("Network(h.test:1)", "person")] },
    "allow",
    { effect: net, rules: [allow("Network(h.test:1)", "session")] },
    "ask",
  ],
  [
    "lifting in a session: a page or the network",
    { effect: page, rules: [allow("WebFetch(https://h.test)", "session")] },
    "allow",
    { effect: page, rules: [allow("Network(h.test:443)", "session")] },
    "ask",
  ],
  [
    "lifting in a session: pinned",
    { effect: tool, rules: [allow(`mcp__s__t@${pin}`, "session")] },
    "allow",
    { effect: tool, rules: [allow("mcp__s__t", "session")] },
    "ask",
  ],
  [
    "a page's rule needs a page",
    { effect: page, rules: [allow("WebFetch(https://h.test)")] },
    "allow",
    { effect: need({ kind: "network", host: "h.test", port: 443 }), rules: [allow("WebFetch(https://h.test)")] },
    "ask",
  ],
  ["no copy: contained", { effect: needing([], { contained: false }) }, "ask", { effect: needing([]) }, "allow"],
  [
    "no copy: a command",
    { effect: needing([], { contained: false }) },
    "ask",
    { effect: needing([], { contained: false, tool: "Read" }) },
    "allow",
  ],
  [
    "no copy: told already",
    { effect: need({ kind: "uncontained", words: "x" }, { contained: false }), rules: [allow("Unsandboxed(x)")] },
    "allow",
    { effect: need({ kind: "port", port: 1 }, { contained: false }), rules: [allow("Unsandboxed(x)")] },
    "ask",
  ],
  [
    "many: 10 or 11",
    { effect: landing(files(10)), mode: "auto" },
    "allow",
    { effect: landing(files(11)), mode: "auto" },
    "ask",
  ],
  [
    "many in a turn: 10 or 11",
    { effect: landing([entry("a")], { earlier: { files: 9, paths: [] } }), mode: "auto" },
    "allow",
    { effect: landing([entry("a")], { earlier: { files: 10, paths: [] } }), mode: "auto" },
    "ask",
  ],
  [
    "many in a turn: this step's own",
    {
      effect: landing([], { ...made, earlier: { files: 10, paths: [] } }, { git: [{ text: "g", high: false }] }),
      mode: "auto",
    },
    "allow",
    { effect: landing([], { ...made, earlier: { files: 10, paths: [] } }, { files: 1 }), mode: "auto" },
    "ask",
  ],
  [
    "high: a folder's deletion, with files",
    { effect: folder({ files: 1 }), mode: "auto" },
    "ask",
    { effect: folder({ files: 0 }), mode: "auto" },
    "allow",
  ],
  [
    "high: a deletion, of a folder or a file",
    { effect: folder({}), mode: "auto" },
    "allow",
    { effect: landing([entry("d", { op: "delete" })]), mode: "auto" },
    "ask",
  ],
  [
    "high: a special file, made or gone",
    { effect: landing([entry("s", { op: "create", type: "special" })]), mode: "auto" },
    "ask",
    { effect: landing([entry("s", { op: "delete", type: "special", marks: ["own"] })]), mode: "auto" },
    "allow",
  ],
  [
    "high: the type",
    { effect: landing([entry("s", { op: "type" })]), mode: "auto" },
    "ask",
    { effect: landing([entry("s", { op: "link" })]), mode: "auto" },
    "allow",
  ],
  [
    "high: own",
    { effect: landing([marked("a", "delete")]), mode: "auto" },
    "ask",
    { effect: landing([marked("a", "delete", "own")]), mode: "auto" },
    "allow",
  ],
  [
    "high: committed",
    { effect: landing([marked("a", "empty")]), mode: "auto" },
    "ask",
    { effect: landing([marked("a", "empty", "committed")]), mode: "auto" },
    "allow",
  ],
  [
    "high: regenerable",
    { effect: landing([marked("a", "executable")]), mode: "auto" },
    "ask",
    { effect: landing([marked("a", "executable", "regenerable")]), mode: "auto" },
    "allow",
  ],
];

describe("P2: every condition decides alone (MC/DC)", () => {
  const of = ({ effect, mode = "ask", rules = [], hooks = [] }: Case) =>
    decide(effect, mode, rules, true, hooks).action;
  it.each(PAIRS)("%s", (_, a, action, b, other) => {
    expect([of(a), of(b)]).toEqual([action, other]);
    expect(action).not.toBe(other);
  });
  it("what asks by itself is told alone", () => {
    const both = landing([marked("a", "delete")], made, { git: [{ text: "moves main back", high: true }] });
    expect(decide(both, "ask", [], true).reason).toBe("deletes 1 file: a; moves main back");
  });
});
