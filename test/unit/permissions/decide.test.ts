import { describe, expect, it } from "vitest";
import {
  type ChangeEntry,
  type Decision,
  type Effect,
  type Mark,
  type Mode,
  type Need,
  type Rule,
} from "../../../src/events/effect.ts";
import { MODES } from "../../../src/events/mode.ts";
import { decide, PLAN_REFUSAL } from "../../../src/permissions/decide.ts";
import { allow, ask, command, deny, entry, landing, marked, needing } from "./effects.ts";

type Row = readonly [plan: Decision["action"], ask: Decision["action"], auto: Decision["action"]];
function row(effect: Effect, rules: readonly Rule[] = []): Row {
  const of = (mode: Mode) => decide(effect, mode, rules, false).action;
  return [of("plan"), of("ask"), of("auto")];
}
const SOURCES = ["managed", "user", "person", "project", "cli", "session"] as const;
const LIFTING = new Set(["managed", "user", "person", "cli"]);

/** Every kind of need: what each mode says, and the allow that lifts it. */
const NEEDS: readonly {
  name: string;
  need?: Need;
  row: Row;
  lift?: string;
  wrong?: readonly string[];
  planLifted?: Decision["action"];
}[] = [
  { name: "nothing", row: ["allow", "allow", "allow"] },
  { name: "a change inside", need: { kind: "change", paths: ["src/a.ts"] }, row: ["deny", "allow", "allow"] },
  {
    name: "a read outside",
    need: { kind: "outside", access: "read", path: "/etc/hosts" },
    row: ["ask", "ask", "ask"],
    lift: "Outside(/etc/hosts)",
    wrong: ["Outside(/etc/host)", "Outside(/etc/hosts/x)", "Edit(**)"],
    planLifted: "allow",
  },
  {
    name: "a write outside",
    need: { kind: "outside", access: "write", path: "/srv/x/y" },
    row: ["deny", "ask", "ask"],
    lift: "Outside(/srv/x)",
    wrong: ["Outside(/srv/x-evil)", "Edit(**)"],
  },
  {
    name: "the network",
    need: { kind: "network", host: "docs.example.test", port: 443 },
    row: ["deny", "ask", "ask"],
    lift: "Network(docs.example.test:443)",
    wrong: [
      "Network(docs.example.test:80)",
      "Network(example.test:443)",
      "Network(docs.example.test.evil.invalid:443)",
      "Network(*:443)",
    ],
  },
  {
    name: "running outside the copy",
    need: { kind: "unsandboxed", words: "git push" },
    row: ["deny", "ask", "ask"],
    lift: "Unsandboxed(git push)",
    wrong: ["Unsandboxed(git pull)", "Bash(git push)", "Bash"],
  },
  {
    name: "no containment",
    need: { kind: "uncontained", words: "make test" },
    row: ["deny", "ask", "ask"],
    lift: "Unsandboxed(make test)",
    wrong: ["Bash(make test)", "Bash(make:*)", "Bash"],
  },
  {
    name: "a question before each command",
    need: { kind: "before", words: "make" },
    row: ["ask", "ask", "allow"],
  },
  {
    name: "a server's tool",
    need: { kind: "mcp", server: "git", tool: "push" },
    row: ["deny", "ask", "ask"],
    lift: "mcp__git__push",
    wrong: ["mcp__git__pull", "mcp__gi__push"],
  },
];

describe("P2: gate 1, every need in every mode under every rule", () => {
  for (const { name, need, row: expected, lift, wrong = [], planLifted = "deny" } of NEEDS) {
    const effect = needing(need === undefined ? [] : [need]);
    it(`P1: ${name}: plan ${expected[0]}, ask ${expected[1]}, auto ${expected[2]}`, () => {
      expect(row(effect)).toEqual(expected);
    });
    for (const source of SOURCES) {
      it(`P3: ${name} is ${LIFTING.has(source) ? "" : "not "}lifted by ${lift ?? "nothing"} of ${source}`, () => {
        const lifted = lift !== undefined && LIFTING.has(source);
        expect(row(effect, [allow(lift ?? "Edit(**)", source)])).toEqual(
          lifted ? [planLifted, "allow", "allow"] : expected,
        );
      });
      it(`P6: ${name}: a deny of ${source} denies, an ask of ${source} asks`, () => {
        const rule = lift ?? "Bash";
        expect(row(effect, [deny(rule, source)])).toEqual(["deny", "deny", "deny"]);
        const asked = expected.map((a) => (a === "deny" ? "deny" : "ask"));
        expect(row(effect, [ask(rule, source)])).toEqual(asked);
        expect(row(effect, [allow(rule, "cli"), deny(rule, source)])).toEqual(["deny", "deny", "deny"]);
      });
    }
    it.each(wrong)(`P3: ${name} is not lifted by %s`, (text) => {
      expect(row(effect, [allow(text, "cli")])).toEqual(expected);
    });
  }
  it("P3: a lift is told each time, with its rule", () => {
    const d = decide(
      needing([{ kind: "network", host: "h.test", port: 443 }]),
      "ask",
      [allow("Network(h.test:443)", "user")],
      false,
    );
    expect(d).toEqual({
      action: "allow",
      risk: "high",
      reason: "uses the network: h.test:443: allowed by Network(h.test:443) (your settings)",
      rule: allow("Network(h.test:443)", "user"),
    });
  });
  it("P3: hosts are exact: network-018 to network-025, and *:* is all there is", () => {
    const net = (host: string, port?: number) =>
      needing([{ kind: "network", host, ...(port === undefined ? {} : { port }) }]);
    const rule = [allow("Network(docs.example.test:80)", "cli")];
    expect(row(net("docs.example.test", 80), rule)[1]).toBe("allow");
    expect(row(net("DOCS.example.test.", 80), rule)[1]).toBe("allow");
    for (const host of [
      "docs.example.test.evil.invalid",
      "docs.example.test@evil.invalid",
      "evil.invalid\0.docs.example.test",
      "2130706433",
      "[::ffff:127.0.0.1]",
      "docs.examp\u04cfe.test",
      "*",
    ])
      expect(row(net(host, 80), rule)).toEqual(["deny", "ask", "ask"]);
    expect(row(net("docs.example.test"), rule)[1]).toBe("ask");
    expect(row(net("docs.example.test", 81), [allow("Network(docs.example.test:*)", "cli")])[1]).toBe("allow");
    expect(row(net("*"), [allow("Network(*:80)", "cli")])[1]).toBe("ask");
    expect(row(net("*"), [allow("Network(*:*)", "cli")])[1]).toBe("allow");
    expect(row(net("h.test", 1), [allow("Network(*:*)", "cli")])[1]).toBe("allow");
    expect(row(net("h.test", 1), [allow("Network(*:*)", "cli"), deny("Network(h.test)")])[1]).toBe("deny");
    for (const other of ["Network(x.test)", "Network(h.test:2)", "Network(*:2)"])
      expect(row(net("h.test", 1), [allow("Network(*:*)", "cli"), deny(other)])[1]).toBe("allow");
    for (const same of ["Network(H.test:1)", "Network(*:1)", "Network(*)"])
      expect(row(net("h.test", 1), [allow("Network(*:*)", "cli"), deny(same)])[1]).toBe("deny");
    expect(row(net("*"), [allow("Network(*:*)", "cli"), deny("Network(h.test:80)")])[1]).toBe("deny");
    const below = allow("Network(*.example.test:443)", "cli");
    for (const host of ["docs.example.test", "a.b.Example.TEST."])
      expect(row(net(host, 443), [below])[1]).toBe("allow");
    for (const host of [
      "example.test",
      "badexample.test",
      "docs.example.test.evil.invalid",
      "evil.invalid#.example.test",
      "evil.invalid/x.example.test",
      "evil@docs.example.test",
      "docs.examp\u04cfe.example.test",
      "*",
    ])
      expect(row(net(host, 443), [below])[1]).toBe("ask");
    expect(row(net("docs.example.test", 80), [below])[1]).toBe("ask");
    const all = allow("Network(*:*)", "cli");
    expect(row(net("docs.example.test", 443), [all, deny("Network(*.example.test)")])[1]).toBe("deny");
    expect(row(net("example.test", 443), [all, deny("Network(*.example.test)")])[1]).toBe("allow");
    expect(decide(net("docs.examp\u04cfe.test", 80), "ask", [], true).reason).toContain(
      "holds letters that look like others",
    );
  });
  it("P10: a command that nothing contains asks even where its tool told no need", () => {
    expect(row(needing([], { contained: false }))).toEqual(["deny", "ask", "ask"]);
    expect(row(needing([], { contained: false, tool: "Read", subject: "a" }))).toEqual(["allow", "allow", "allow"]);
  });
  it("P9: an allow of these words answers the question before a command", () => {
    const before = needing([{ kind: "before", words: "make test" }], { subject: "make test" });
    expect(row(before, [allow("Bash(make test)", "session")])).toEqual(["allow", "allow", "allow"]);
    expect(row(before, [allow("Bash(make)", "session")])).toEqual(["ask", "ask", "allow"]);
  });
  it("P2: several needs: the strictest wins, and each reason is told", () => {
    const both = needing([
      { kind: "network", host: "h.test", port: 1 },
      { kind: "outside", access: "read", path: "/x" },
    ]);
    expect(decide(both, "auto", [allow("Network(h.test:1)", "cli")], false).reason).toBe(
      "reads outside the folder: /x",
    );
    expect(decide(both, "auto", [], false).reason).toBe("uses the network: h.test:1; reads outside the folder: /x");
  });
});

/** Every mark: high or medium, and whether `Delete(glob)` lifts it. */
const MARKED: readonly { marks: readonly Mark[]; more?: Partial<ChangeEntry>; high: boolean; byDelete?: boolean }[] = [
  { marks: [], high: false },
  { marks: ["delete"], high: true, byDelete: true },
  { marks: ["delete", "own"], high: false },
  { marks: [], more: { op: "delete" }, high: true, byDelete: true },
  { marks: ["empty"], high: true, byDelete: true },
  { marks: ["empty", "own"], high: false },
  { marks: ["uncommitted"], high: true },
  { marks: ["uncommitted", "own"], high: true },
  { marks: ["delete", "uncommitted"], high: true, byDelete: true },
  { marks: ["executable"], high: true },
  { marks: ["executable", "regenerable"], high: false },
  { marks: ["setid"], high: true },
  { marks: ["closed"], high: true },
  { marks: ["open-to-all"], high: true },
  { marks: ["setid", "own"], high: true },
  { marks: ["special"], high: true },
  { marks: [], more: { type: "special", op: "create" }, high: true },
  { marks: ["link-out"], high: true },
  { marks: ["type-change"], high: true },
  { marks: [], more: { op: "type" }, high: true },
  { marks: ["control"], high: true },
  { marks: ["control", "own"], high: true },
  { marks: ["delete", "control"], high: true },
  { marks: ["hardlink"], high: false },
  { marks: [], more: { op: "create", type: "folder" }, high: false },
  { marks: [], more: { op: "delete", type: "folder" }, high: false },
  { marks: [], more: { op: "delete", type: "folder", files: 3 }, high: true, byDelete: true },
  { marks: [], more: { op: "rename", from: "src/old.ts" }, high: false },
  { marks: [], more: { op: "chmod" }, high: false },
  { marks: [], more: { op: "link", type: "link", target: "b" }, high: false },
];

describe("P2: gate 2, every mark in every mode under every rule", () => {
  for (const { marks, more = {}, high, byDelete = false } of MARKED) {
    const name = [...marks, more.op, more.type].filter(Boolean).join("+") || "an ordinary change";
    const op = marks.includes("delete") ? { op: "delete" as const } : {};
    const changed = entry("src/a.ts", { marks: [...marks], ...op, ...more });
    for (const tool of ["Write", "Edit", "Delete", "Bash"]) {
      const effect = landing([changed], { tool, subject: tool === "Bash" ? "make" : "src/a.ts" });
      const plain: Row = high ? ["deny", "ask", "ask"] : ["deny", "ask", "allow"];
      it(`P3: ${name} by ${tool} is ${high ? "high" : "medium"}`, () => {
        expect(row(effect)).toEqual(plain);
        expect(decide(effect, "auto", [], true).risk).toBe(high ? "high" : "medium");
      });
      for (const source of SOURCES) {
        const counts = source !== "project";
        it(`P6: ${name} by ${tool}: rules of ${source}`, () => {
          const eased: Row = high || !counts ? plain : ["deny", "allow", "allow"];
          expect(row(effect, [allow("Edit(src/**)", source)])).toEqual(eased);
          expect(row(effect, [allow("Bash(make)", source)])).toEqual(tool === "Bash" ? eased : plain);
          const lifted: Row = byDelete && LIFTING.has(source) ? ["deny", "allow", "allow"] : plain;
          expect(row(effect, [allow("Delete(src/**)", source)])).toEqual(lifted);
          expect(row(effect, [allow("Delete(lib/**)", source)])).toEqual(plain);
          for (const lift of ["Edit(src/**)", "Delete(src/**)"])
            expect(row(effect, [allow(lift, "cli"), deny("Edit(src)", source)])).toEqual(["deny", "deny", "deny"]);
          expect(row(effect, [allow("Edit", "cli"), ask("Edit(/src/)", source)])).toEqual(["deny", "ask", "ask"]);
        });
      }
    }
  }
});

describe("decide", () => {
  it("P1: plan mode says what to do instead", () => {
    expect(decide(landing([entry("a")]), "plan", [], true).reason).toBe(PLAN_REFUSAL);
    expect(decide(needing([{ kind: "change", paths: ["a"] }]), "plan", [], true).reason).toContain(PLAN_REFUSAL);
    const outside = decide(
      needing([
        { kind: "change", paths: ["/tmp/p"] },
        { kind: "outside", access: "write", path: "/tmp/p" },
      ]),
      "plan",
      [],
      true,
    );
    expect(outside.reason).toBe(`${PLAN_REFUSAL} (it changes /tmp/p, writes outside the folder: /tmp/p)`);
  });
  it("P9: no effect, or regenerable output alone, asks in no mode", () => {
    const regenerable = [{ root: 0, path: "node_modules", files: 8613, bytes: 1 }];
    for (const effect of [landing([]), landing([], { tool: "Bash" }, { regenerable })]) {
      expect(row(effect)).toEqual(["allow", "allow", "allow"]);
      expect(decide(effect, "ask", [], false).risk).toBe("low");
    }
  });
  it("a summary that counts files but lists none is not taken for nothing", () => {
    expect(row(landing([], {}, { files: 1 }))).toEqual(["deny", "ask", "allow"]);
  });
  it.each([
    [10, ["deny", "ask", "allow"]],
    [11, ["deny", "ask", "ask"]],
  ] as const)("P4: %i files in one step: %j", (n, expected) => {
    const effect = landing(
      Array.from({ length: n }, (_, i) => entry(`f${i}`)),
      { tool: "Bash", subject: "make" },
    );
    expect(row(effect)).toEqual(expected);
    for (const rule of ["Bash(make)", "Edit", "Edit(**)", "Delete(**)"])
      expect(row(effect, [allow(rule, "cli")])[1]).toBe(n > 10 ? "ask" : rule.startsWith("D") ? "ask" : "allow");
    for (const mode of n > 10 ? (["ask", "auto"] as const) : [])
      expect(decide(effect, mode, [], true).reason).toBe("changes 11 files in one step: f0, f1, f2, f3, f4 and 6 more");
  });
  it("P3: git by its meaning: a commit is medium, a moved ref high", () => {
    const commit = { text: "commit 3f2a on main: fix", high: false };
    const reset = { text: "moves main from 3f2a back to 11aa", high: true };
    const effect = (git: { text: string; high: boolean }[]) => landing([], { tool: "Bash", subject: "git x" }, { git });
    expect(row(effect([commit]))).toEqual(["deny", "ask", "allow"]);
    expect(row(effect([commit]), [allow("Bash(git x)", "session")])).toEqual(["deny", "allow", "allow"]);
    expect(row(effect([commit]), [allow("Edit(**)", "cli")])).toEqual(["deny", "ask", "allow"]);
    expect(row(effect([commit, reset]), [allow("Bash(git x)", "cli")])).toEqual(["deny", "ask", "ask"]);
    expect(decide(effect([commit, reset]), "auto", [], true).reason).toBe(reset.text);
  });
  it("P6: Edit(glob) is matched against every path, whatever tool made the change", () => {
    const effect = landing([entry("src/a.ts"), entry("docs/b.md")], { tool: "Bash", subject: "sed -i x" });
    expect(row(effect, [allow("Edit(src/**)")])[1]).toBe("ask");
    expect(row(effect, [allow("Edit(src/**)"), allow("Edit(docs/b.md)")])[1]).toBe("allow");
    expect(row(effect, [deny("Edit(docs/**)")])).toEqual(["deny", "deny", "deny"]);
    expect(row(effect, [ask("Edit(docs/**)")])[2]).toBe("ask");
  });
  it("P5, P6: an ask on what a tool would change is put once, where the change can be seen; a deny counts at once", () => {
    const change = needing([{ kind: "change", paths: ["src/a.ts"] }], { tool: "Write", subject: "src/a.ts" });
    const seen = landing([entry("src/a.ts")], { tool: "Write", subject: "src/a.ts" });
    for (const rule of ["Edit(src/**)", "Delete(src/**)"]) expect(row(change, [ask(rule)])[2]).toBe("allow");
    expect(row(seen, [ask("Edit(src/**)")])[2]).toBe("ask");
    expect(row(change, [deny("Edit(src/**)")])).toEqual(["deny", "deny", "deny"]);
    expect(row(needing([], { tool: "Write", paths: ["src/a.ts"] }), [ask("Edit(src/**)")])[2]).toBe("ask");
  });
  it("P6: both names of a renamed file count", () => {
    const effect = landing([entry("src/new.ts", { op: "rename", from: "lib/old.ts" })]);
    expect(row(effect, [allow("Edit(src/**)")])[1]).toBe("ask");
    expect(row(effect, [allow("Edit(src/**)"), allow("Edit({src,lib}/**)")])[1]).toBe("allow");
    expect(row(effect, [deny("Edit(lib/**)")])[2]).toBe("deny");
  });
  it("P6: the folder that a covered file needs comes along, an empty one doesn't", () => {
    const folder = entry("src/new", { op: "create", type: "folder" });
    expect(row(landing([folder, entry("src/new/a.ts", { op: "create" })]), [allow("Edit(src/new/a.ts)")])[1]).toBe(
      "allow",
    );
    expect(row(landing([folder, entry("src/b.ts")]), [allow("Edit(src/b.ts)")])[1]).toBe("ask");
  });
  it("P6: a whole new folder is covered by a rule for all below it, and asks where a deny may be hit inside", () => {
    const tree = landing([entry("src/new", { op: "create", type: "folder", files: 3 })]);
    expect(row(tree, [allow("Edit(src/**)")])[1]).toBe("allow");
    expect(row(tree, [allow("Edit(src/*)")])[1]).toBe("ask");
    expect(row(tree, [deny("Edit(.env)")])).toEqual(["deny", "ask", "ask"]);
    expect(row(tree, [deny("Edit(lib/**)")])[2]).toBe("allow");
  });
  it("P6: a Bash deny and ask count before the run; the ask was answered when its changes land", () => {
    const before = needing([], { subject: "make clean" });
    expect(row(before, [ask("Bash(make:*)")])).toEqual(["ask", "ask", "ask"]);
    expect(row(before, [deny("Bash(make:*)")])).toEqual(["deny", "deny", "deny"]);
    expect(row(command("make clean"), [ask("Bash(make:*)")])).toEqual(["deny", "ask", "allow"]);
    expect(row(command("make clean"), [deny("Bash(make:*)")])).toEqual(["deny", "deny", "deny"]);
  });
  it("P6: Read(glob) counts for reads of what a path really is", () => {
    const read = (tool: string, paths: string[]) => needing([], { tool, subject: "x", paths });
    for (const tool of ["Read", "Grep", "Glob"]) {
      expect(row(read(tool, ["secrets/key"]), [deny("Read(secrets/)", "project")])).toEqual(["deny", "deny", "deny"]);
      expect(row(read(tool, ["Secrets/KEY"]), [ask("Read(secrets/**)")])).toEqual(["ask", "ask", "ask"]);
      expect(row(read(tool, ["src/a"]), [deny("Read(secrets/)")])).toEqual(["allow", "allow", "allow"]);
    }
    expect(row(needing([], { tool: "Read", subject: "secrets/key" }), [deny("Read(secrets/)")])[1]).toBe("deny");
  });
  it("P6: an Edit deny stops Write before it runs", () => {
    const write = needing([{ kind: "change", paths: ["docs/a.md"] }], { tool: "Write", subject: "docs/a.md" });
    expect(row(write, [deny("Edit(docs/)")])).toEqual(["deny", "deny", "deny"]);
    expect(row(needing([], { tool: "Write", subject: "x", paths: ["docs/a.md"] }), [deny("Write(docs/)")])[2]).toBe(
      "deny",
    );
  });
  it("P6: a deny concerns its own kind of need alone", () => {
    const mcp = (server: string, tool: string) => needing([{ kind: "mcp", server, tool }], { tool: "x" });
    expect(row(mcp("git", "log"), [deny("mcp__git")])[2]).toBe("deny");
    expect(row(mcp("git", "log"), [deny("mcp__git__push")])[2]).toBe("ask");
    expect(row(mcp("hub", "push"), [deny("mcp__git__push")])[2]).toBe("ask");
    expect(row(mcp("hub", "push"), [deny("mcp__git")])[2]).toBe("ask");
    for (const rule of ["Bash", "Unsandboxed", "Network", "Outside", "Read", "Delete", "mcp__git", "Land(**)"])
      expect(row(landing([entry("a.ts")]), [deny(rule)])[2]).toBe("allow");
    const two = needing([
      { kind: "unsandboxed", words: "git pull" },
      { kind: "unsandboxed", words: "git push" },
    ]);
    expect(row(two, [deny("Unsandboxed(git push)")])[2]).toBe("deny");
  });
  it("P6: a tool's own name denies and asks", () => {
    expect(row(needing([], { tool: "WebFetch", subject: "u" }), [deny("WebFetch", "project")])).toEqual([
      "deny",
      "deny",
      "deny",
    ]);
    expect(row(needing([], { tool: "Task", subject: "u" }), [ask("Task")])).toEqual(["ask", "ask", "ask"]);
  });
  it("a deny that can't be understood asks, an allow that can't be understood allows nothing", () => {
    expect(row(command("make"), [deny("Bsh(x)")])).toEqual(["deny", "ask", "ask"]);
    expect(row(needing([]), [deny("Bsh(x)")])).toEqual(["ask", "ask", "ask"]);
    expect(row(command("make"), [allow("Bash(make")])[1]).toBe("ask");
  });
  it("modes-hooks-006, modes-hooks-007: a yes to one command covers no chain and no further words", () => {
    const rules = [allow("Bash(true > ok.txt)", "session"), allow("Bash(touch ok.txt)", "session")];
    expect(row(command("true > ok.txt"), rules)[1]).toBe("allow");
    expect(row(command("true > ok.txt && touch MARK"), rules)[1]).toBe("ask");
    expect(row(command("true > other.txt"), rules)[1]).toBe("ask");
    expect(row(command("touch ok.txt MARK"), rules)[1]).toBe("ask");
  });
  it("reasons are one plain sentence with counts and names, nothing invisible in them", () => {
    const effect = landing([
      marked("a", "delete"),
      marked("b\u202e", "delete"),
      entry("d", { op: "delete", type: "folder", files: 12 }),
      entry("c"),
    ]);
    expect(decide(effect, "ask", [], true).reason).toBe(
      "deletes 14 files: a, b\\u{202e}, d/ (12 files); changes 1 file: c",
    );
    expect(decide(effect, "auto", [allow("Delete(a)")], true).reason).toBe(
      "deletes 13 files: b\\u{202e}, d/ (12 files)",
    );
    expect(decide(landing([marked("a", "delete")]), "auto", [allow("Delete(a)")], true).reason).toBe(
      "deletes or empties 1 file: a: allowed by Delete(a) (your own rules for this project)",
    );
  });
  it("E6: where several rules lift together all are named, and they alone decide the same again", () => {
    const lifts = [allow("Delete(a)"), allow("Delete(b)", "cli")];
    const effect = landing([marked("a", "delete"), marked("b", "delete")]);
    const decision = decide(effect, "auto", [allow("Edit(**)"), ...lifts], false);
    expect(decision).toMatchObject({ action: "allow", risk: "high", rule: lifts[0], rules: lifts });
    expect(decide(effect, "auto", decision.rules ?? [], false).action).toBe("allow");
    expect(decide(landing([marked("a", "delete")]), "auto", lifts, false)).not.toHaveProperty("rules");
  });
  it("every mode is in the table", () => {
    expect(MODES).toEqual(["plan", "ask", "auto"]);
  });
});
