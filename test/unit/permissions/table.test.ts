import { describe, expect, it } from "vitest";
import { RuleSource, type Decision, type Effect, type Need, type Rule } from "../../../src/events/effect.ts";
import { MODES } from "../../../src/events/mode.ts";
import { decide } from "../../../src/permissions/decide.ts";
import type { Verdict } from "../../../src/permissions/lattice.ts";
import { entry, landing, marked, needing } from "./effects.ts";

type Action = Decision["action"];
type Row = readonly [plan: Action, ask: Action, auto: Action];
const OPEN: Row = ["allow", "allow", "allow"];
const MEDIUM: Row = ["deny", "ask", "allow"];
const HIGH: Row = ["deny", "ask", "ask"];
const LIFTED: Row = ["deny", "allow", "allow"];

/** One kind of effect: what each mode says, the rule that names it, and what an allow of that rule makes of it by whose it is. */
interface Kind {
  name: string;
  effect: Effect;
  row: Row;
  rule: string;
  /** By an allow of the machine, the user, the person's own rules, the command line. */
  lifted?: Row;
  /** By an allow of this session. */
  session?: Row;
  /** An ask of this rule was answered before the run, or is put where the change is seen. */
  answered?: true;
}

const pin = "ab".repeat(32);
const need = (one: Need, more: Partial<Effect> = {}): Effect => needing([one], more);
const files = (n: number) => Array.from({ length: n }, (_, i) => entry(`f${i}`));
const made = { tool: "Bash", subject: "make" } as const;

const KINDS: readonly Kind[] = [
  { name: "a command, no need", effect: needing([]), row: OPEN, rule: "Bash(make)" },
  {
    name: "a read inside",
    effect: needing([], { tool: "Read", subject: "a", paths: ["a"] }),
    row: OPEN,
    rule: "Read(a)",
  },
  { name: "a tool by its name", effect: needing([], { tool: "TodoWrite", subject: "" }), row: OPEN, rule: "TodoWrite" },
  {
    name: "a change to come",
    effect: need({ kind: "change", paths: ["a"] }, { tool: "Write", subject: "a" }),
    row: LIFTED,
    rule: "Edit(a)",
    answered: true,
  },
  {
    name: "a command in before mode",
    effect: need({ kind: "before", words: "make" }),
    row: ["ask", "ask", "allow"],
    rule: "Bash(make)",
    lifted: OPEN,
    session: OPEN,
  },
  {
    name: "a read outside",
    effect: need({ kind: "outside", access: "read", path: "/srv/x" }, { tool: "Read", subject: "/srv/x" }),
    row: ["ask", "ask", "ask"],
    rule: "Outside(/srv/x)",
    lifted: OPEN,
  },
  {
    name: "a write outside",
    effect: need({ kind: "outside", access: "write", path: "/srv/x" }, { tool: "Write", subject: "/srv/x" }),
    row: HIGH,
    rule: "Outside(/srv/x)",
    lifted: LIFTED,
  },
  {
    name: "the network",
    effect: need({ kind: "network", host: "h.test", port: 1 }),
    row: HIGH,
    rule: "Network(h.test:1)",
    lifted: LIFTED,
  },
  {
    name: "a page",
    effect: need({ kind: "network", host: "h.test", port: 443, get: "https" }, { tool: "WebFetch", subject: "u" }),
    row: HIGH,
    rule: "WebFetch(https://h.test)",
    lifted: LIFTED,
    session: LIFTED,
  },
  {
    name: "out of the copy",
    effect: need({ kind: "unsandboxed", words: "make" }),
    row: HIGH,
    rule: "Unsandboxed(make)",
    lifted: LIFTED,
  },
  {
    name: "no copy",
    effect: need({ kind: "uncontained", words: "make" }),
    row: HIGH,
    rule: "Unsandboxed(make)",
    lifted: LIFTED,
  },
  { name: "a port", effect: need({ kind: "port", port: 80 }), row: HIGH, rule: "Bash(make)" },
  {
    name: "a server's tool",
    effect: need({ kind: "mcp", server: "s", tool: "t" }, { tool: "mcp__s__t", subject: "" }),
    row: HIGH,
    rule: "mcp__s__t",
    lifted: LIFTED,
  },
  {
    name: "a pinned server's tool",
    effect: need({ kind: "mcp", server: "s", tool: "t", pin }, { tool: "mcp__s__t", subject: "" }),
    row: HIGH,
    rule: `mcp__s__t@${pin}`,
    lifted: LIFTED,
    session: LIFTED,
  },
  { name: "nothing changed", effect: landing([], made), row: OPEN, rule: "Edit(a)" },
  {
    name: "a changed file",
    effect: landing([entry("a")]),
    row: MEDIUM,
    rule: "Edit(a)",
    lifted: LIFTED,
    session: LIFTED,
  },
  {
    name: "a command's change",
    effect: landing([entry("a")], made),
    row: MEDIUM,
    rule: "Bash(make)",
    lifted: LIFTED,
    session: LIFTED,
    answered: true,
  },
  { name: "a deletion", effect: landing([marked("a", "delete")], made), row: HIGH, rule: "Delete(a)", lifted: LIFTED },
  { name: "a control file", effect: landing([marked("a", "control")], made), row: HIGH, rule: "Edit(a)" },
  { name: "11 files", effect: landing(files(11), made), row: HIGH, rule: "Edit" },
  {
    name: "the 11th file of a turn",
    effect: landing([entry("a")], { tool: "Write", earlier: { files: 10, paths: ["b"] } }),
    row: HIGH,
    rule: "Edit",
  },
  {
    name: "a commit",
    effect: landing([], made, { git: [{ text: "commit", high: false }] }),
    row: MEDIUM,
    rule: "Bash(make)",
    lifted: LIFTED,
    session: LIFTED,
    answered: true,
  },
  {
    name: "a moved ref",
    effect: landing([], made, { git: [{ text: "reset", high: true }] }),
    row: HIGH,
    rule: "Bash(make)",
    answered: true,
  },
];

const ACTIONS = ["allow", "ask", "deny"] as const;
const worse = (a: Action, b: Action): Action => ACTIONS[Math.max(ACTIONS.indexOf(a), ACTIONS.indexOf(b))] ?? "deny";
const HOOKS: readonly (Action | undefined)[] = [undefined, ...ACTIONS];

/** What must come of it, out of the table alone. */
function expected(kind: Kind, at: number, rule: Rule | undefined, hook: Action | undefined): Action {
  let row = kind.row;
  if (rule?.action === "allow" && rule.source === "session") row = kind.session ?? row;
  else if (rule?.action === "allow" && rule.source !== "project") row = kind.lifted ?? row;
  let action = row[at] ?? "deny";
  const counts = rule !== undefined && rule.action !== "allow" && !(rule.action === "ask" && kind.answered === true);
  if (counts && !isBlank(kind)) action = worse(action, rule.action);
  return hook === undefined ? action : worse(action, hook);
}

/** A rule of paths has nothing to say where no path is. */
function isBlank({ effect }: Kind): boolean {
  return effect.changes?.entries.length === 0 && effect.changes.git.length === 0;
}

describe("P2: every kind of effect, in every mode, under a rule of every action and source, with every hook, trusted or not", () => {
  it.each(KINDS)("$name", (kind) => {
    const rules: (Rule | undefined)[] = [undefined];
    for (const action of ACTIONS)
      for (const source of RuleSource.options) rules.push({ action, text: kind.rule, source });
    for (const [at, mode] of MODES.entries())
      for (const rule of rules)
        for (const hook of HOOKS)
          for (const trust of [true, false]) {
            const hooks: Verdict[] = hook === undefined ? [] : [{ action: hook, reason: "r", hook: "h" }];
            const decision = decide(kind.effect, mode, rule === undefined ? [] : [rule], trust, hooks);
            const told = `${mode}, ${rule === undefined ? "no rule" : `${rule.action} of ${rule.source}`}, hook ${hook ?? "none"}`;
            expect(`${told}: ${decision.action}`).toBe(`${told}: ${expected(kind, at, rule, hook)}`);
            expect(decision.reason).not.toBe("");
          }
  });
});
