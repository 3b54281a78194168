import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { describe, expect, it } from "vitest";
import type { Rule } from "../../../../src/events/effect.ts";
import type { RuleRow } from "../../../../src/session/policy-rows.ts";
import { personSettingsFile, projectSettingsFile, userSettingsFile } from "../../../../src/session/rules-files.ts";
import { addRule, changeRule } from "../../../../src/session/rules-write.ts";
import { stampOf } from "../../../../src/session/policy-news.ts";
import { loadSettings, settingsFiles } from "../../../../src/session/settings.ts";
import type { CommandContext } from "../../../../src/ui/commands/command.ts";
import { ruleLines, whyLines } from "../../../../src/ui/commands/permissions-rows.ts";
import { readWords } from "../../../../src/ui/commands/permissions-words.ts";
import { permissionsCommand } from "../../../../src/ui/commands/permissions.ts";
import type { PanelText } from "../../../../src/ui/prompt/panel.ts";
import { type Line, lineWidth, paint } from "../../../../src/ui/render/spans.ts";
import { stringWidth } from "../../../../src/ui/term/width.ts";
import { plainTheme } from "../../../../src/ui/theme.ts";
import { randomId, systemClock } from "../../../../src/util/system.ts";
import { fakeScreen } from "../../../support/fake-screen.ts";
import { collect, openAt, place } from "../../../support/session.ts";

interface Files {
  user?: object;
  project?: object;
}
/** A session with real files of rules; what is chosen in turn, and all that was said and shown. */
async function bench(
  files: Files,
  flags: { allow?: string[] } = {},
  script: Parameters<typeof openAt>[1]["script"] = { turns: [] },
) {
  const at = place("permissions");
  const where = { configDir: at.config, folder: at.folder, home: at.home };
  const paths = {
    user: userSettingsFile(at.config),
    person: personSettingsFile(at.config, at.folder),
    project: projectSettingsFile(at.folder),
  };
  for (const name of ["user", "project"] as const) {
    mkdirSync(dirname(paths[name]), { recursive: true });
    if (files[name] !== undefined) writeFileSync(paths[name], JSON.stringify(files[name], undefined, 1));
  }
  const read = () => loadSettings({ ...where, flags });
  const deps = { ...where, clock: systemClock, makeId: randomId };
  const { rules, places } = read();
  const session = await openAt(at, {
    rules,
    ...(script === undefined ? {} : { script }),
    more: {
      ruleFiles: {
        read,
        stamp: () => stampOf(settingsFiles({ configDir: at.config, folder: at.folder, home: at.home })),
        add: async (rule) => void (await addRule(rule, deps)),
        change: (rule, to) => changeRule(rule, to, deps),
      },
    },
  });
  const said: string[] = [];
  const shown: PanelText[] = [];
  const drafts: string[] = [];
  const choices: (string | undefined)[] = [];
  const context = {
    session,
    say: (rows: (width: number) => Line[]) => void said.push(...paint(rows(200), plainTheme)),
    choose: (panel: PanelText) => (shown.push(panel), Promise.resolve(choices.shift())),
    draft: (text: string) => void drafts.push(text),
  } as unknown as CommandContext;
  const run = async (args: string, ...answers: (string | undefined)[]) => {
    choices.splice(0, Infinity, ...answers);
    said.length = 0;
    await permissionsCommand.run(args, context);
    return said.join("\n");
  };
  const texts = () =>
    session
      .permissions()
      .rows()
      .rows.map((r) => `${r.rule.source} ${r.rule.action} ${r.rule.text}`);
  return { session, run, said, shown, drafts, texts, paths, places };
}
const labels = (panel: PanelText | undefined) => panel?.choices.map((c) => `${c.label} · ${c.more ?? ""}`) ?? [];

describe("/permissions", () => {
  it("P6: lists every rule with action, text, source, place and use; the project's says where it is edited", async () => {
    const b = await bench(
      { user: { permissions: { allow: ["Bash(npm test)"] } }, project: { permissions: { deny: ["Read(a)"] } } },
      { allow: ["Network(x.example:443)"] },
    );
    await b.run("", "1", "back", undefined);
    expect(b.shown[0]?.title).toBe("3 rules");
    expect(labels(b.shown[0])[0]).toBe(
      `allow Bash(npm test) · your settings · ${b.paths.user}:4 · never decided here yet`,
    );
    expect(labels(b.shown[0])[2]).toContain("Network(x.example:443) · typed");
    expect(b.shown[1]?.choices.map((c) => c.id)).toEqual(["back"]);
    const detail = paint(b.shown[1]?.body(200) ?? [], plainTheme).join("\n");
    expect(detail).toContain(`Not from here: the project's: edit ${b.paths.project}`);
    expect(b.shown).toHaveLength(3);
    await b.session.close();
  });
  it("P6: rules of the session, of this project and of every project are added, counted and saved", async () => {
    const b = await bench({ user: { model: "x" } });
    expect(await b.run("deny session Bash(rm:*)")).toContain("counts for this session");
    expect(await b.run("allow Bash(npm test)")).toContain(`Saved to ${b.paths.person}:5`);
    expect(await b.run("ask user Bash(git push:*)")).toContain(`Saved to ${b.paths.user}:`);
    expect(await b.run("allow Bash(npm test)")).toContain("counts already");
    expect(await b.run("allow Bahs(x)")).toContain("did you mean Bash?");
    expect(await b.run("allow session Bahs(x)")).toContain("did you mean Bash?");
    expect(await b.run("edit session Bash(rm:*) => Bahs(x)")).toContain("did you mean Bash?");
    expect(await b.run("allow session Delete(tmp/**)")).toContain("spares no question about high risk");
    expect(b.texts()).toEqual([
      "person allow Bash(npm test)",
      "user ask Bash(git push:*)",
      "session deny Bash(rm:*)",
      "session allow Delete(tmp/**)",
    ]);
    expect(b.session.state().rules.map((r) => r.text)).toEqual(["Bash(rm:*)", "Delete(tmp/**)"]);
    expect(readFileSync(b.paths.user, "utf8")).toContain("Bash(git push:*)");
    await b.session.close();
  });
  it("P6: one is changed and taken away, by its text or from the list; foreign ones are not", async () => {
    const user = { permissions: { allow: ["Bash(a)", "Bash(x => y)"], deny: ["Bash(a)"] } };
    const b = await bench({ user, project: { permissions: { deny: ["Read(a)"] } } });
    expect(await b.run("edit Bash(x => y) => Bash(z)")).toContain("changed");
    expect(await b.run("remove Read(a)")).toContain("the project's: edit");
    expect(await b.run("remove Bash(nothing)")).toContain("no such rule");
    expect(await b.run("remove Bash(a)", "1")).toContain("taken away");
    expect(b.texts()).toEqual(["user allow Bash(a)", "user allow Bash(z)", "project deny Read(a)"]);
    await b.run("", "0", "edit");
    expect(b.drafts).toEqual(["/permissions edit user allow Bash(a) => Bash(a)"]);
    expect(await b.run("edit user allow Bash(a) => Bash(b)")).toContain("changed");
    await b.run("", "0", "remove", undefined);
    expect(b.texts()).toEqual(["user allow Bash(z)", "project deny Read(a)"]);
    expect(JSON.parse(readFileSync(b.paths.user, "utf8"))).toEqual({ permissions: { allow: ["Bash(z)"], deny: [] } });
    await b.session.close();
  });
  it("P6: what another process wrote meanwhile is told, doesn't count, and counts on the person's word", async () => {
    const b = await bench({ user: { permissions: { allow: ["Bash(a)"] } } });
    writeFileSync(b.paths.user, JSON.stringify({ permissions: { deny: ["Bash(b)"] } }));
    await b.run("", undefined);
    expect(labels(b.shown[0]).slice(0, 3)).toEqual([
      expect.stringContaining("counts, but no longer in its file") as string,
      expect.stringContaining("new in its file, doesn't count yet") as string,
      expect.stringContaining("take over") as string,
    ]);
    expect(await b.run("reload")).toContain("1 new, 1 gone");
    expect(b.texts()).toEqual(["user deny Bash(b)"]);
    writeFileSync(b.paths.user, "{");
    expect(await b.run("reload")).toContain(`${b.paths.user}:1:`);
    await b.run("", undefined);
    expect(paint(b.shown[1]?.body(200) ?? [], plainTheme).join()).toContain(`${b.paths.user}:1:`);
    expect(b.texts()).toEqual(["user deny Bash(b)"]);
    await b.session.close();
  });
  it("P6: it is told once, with the next step, that files say other rules by now; one's own changes are none", async () => {
    const turn = { calls: [{ name: "Glob", input: { pattern: "*" } }] };
    const b = await bench({ user: {} }, {}, { turns: [turn, { text: "one" }, turn, { text: "done" }] });
    await b.run("deny user Bash(a)");
    const own = (await collect(b.session.submit("go"))).events;
    expect(own.filter((e) => e.type === "limit.warned")).toEqual([]);
    writeFileSync(b.paths.project, JSON.stringify({ permissions: { deny: ["Read(x)"] } }));
    const { events } = await collect(b.session.submit("go"));
    const told = events.filter((e) => e.type === "limit.warned");
    expect(told).toEqual([
      expect.objectContaining({
        limit: "rules",
        text: expect.stringMatching(/^A rule of .*\/permissions\.$/) as string,
      }),
    ]);
    writeFileSync(b.paths.project, "{");
    const later = (await collect(b.session.submit("go"))).events.filter((e) => e.type === "limit.warned");
    expect(later).toEqual([
      expect.objectContaining({ text: expect.stringContaining(`${b.paths.project}:1:`) as string }),
    ]);
    await b.session.close();
  });
  it("P7: a rule that is added while a session is open decides the next call; why says so, and the list counts it", async () => {
    const call = { name: "Bash", input: { command: "cat a" } };
    const b = await bench({}, {}, { turns: [{ calls: [call] }, { text: "stopped" }] });
    await b.run("deny Bash(cat:*)");
    await collect(b.session.submit("go"));
    const [row] = b.session.permissions().rows().rows;
    expect(row).toMatchObject({ uses: 1, lastUse: expect.any(String) as string });
    const why = await b.run("why");
    expect(why).toMatch(
      /#1 Bash cat a[^]*denied by a rule[^]*decided by deny Bash\(cat:\*\) \(your own for this project/,
    );
    expect(await b.run("decisions")).toBe(why);
    expect(await b.run("why 7")).toContain("No call 7");
    await b.session.close();
  });
  it.each([
    ["allow Bash(a b)", { act: "add", rule: { action: "allow", text: "Bash(a b)", source: "person" } }],
    ["deny  user Read(x)", { act: "add", rule: { action: "deny", text: "Read(x)", source: "user" } }],
    ["remove session deny Bash(a)", { act: "remove", ways: [{ source: "session", action: "deny", text: "Bash(a)" }] }],
    ["edit A => B", { act: "edit", ways: [{ text: "A", to: "B" }] }],
    ["why", { act: "why" }],
    ["allow", undefined],
    ["remove", undefined],
    ["edit A =>", undefined],
    ["nonsense", undefined],
  ])("reads %j", (typed, expected) => expect(readWords(typed)).toEqual(expected));

  it.each([24, 40, 200])(
    "UX: keys alone lead through the list to a rule and take it away, %i columns wide",
    async (cols) => {
      const rule: Rule = { action: "deny", text: "Bash(rm:*)", source: "user" };
      const row = {
        rule,
        at: "/home/me/.config/understudy/settings.json:12",
        state: "counts",
        edit: true,
        uses: 0,
      } as const;
      let rows: readonly RuleRow[] = [row, { ...row, rule: { ...rule, text: "Read(x)" } }];
      const taken: Rule[] = [];
      const screen = fakeScreen({
        cols,
        permissions: {
          rows: () => ({ rows }),
          recent: () => [],
          why: () => undefined,
          add: () => Promise.resolve(""),
          change: (of) => ((rows = rows.filter((r) => r.rule !== of)), taken.push(of), Promise.resolve("Gone.")),
          reload: () => Promise.resolve(""),
        },
      });
      const shows = (text: string) => screen.settle(() => screen.region().some((line) => line.includes(text)));
      await screen.type("/permissions");
      await screen.type("\r");
      await shows("2 rules");
      expect(screen.region().every((line) => stringWidth(line) <= cols)).toBe(true);
      await screen.type("\u001b[B");
      await screen.type("\r");
      await shows("take it away");
      expect(screen.region().join("")).toContain("Read(x)");
      for (const key of ["\u001b[B", "\u001b[B", "\r"]) await screen.type(key);
      await shows("1 rule");
      expect(taken.map((r) => r.text)).toEqual(["Read(x)"]);
      await screen.type("\u001b", 1000);
      await screen.settle(() => !screen.region().some((line) => line.includes("add a rule")));
    },
  );
  it("UX: fits 20 to 200 columns; nothing of a rule or call reaches the terminal raw", () => {
    const rule: Rule = { action: "deny", text: `Bash(${"x".repeat(90)} \u001b[2J\u202e)`, source: "project" };
    const row = {
      rule,
      at: "/a/b.json:3",
      state: "disk",
      edit: "no",
      uses: 2,
      lastUse: "2026-01-02T03:04:05Z",
    } as const;
    const gate = {
      gate: "needs",
      at: "",
      mode: "ask",
      effect: ["\u001b]0;x\u0007"],
      risk: "low",
      verdict: "ask",
      outcome: "deny",
      by: "person",
      reason: "\u001b[31m",
      rules: [{ ...rule, decided: true }],
      note: "\u001b[1m",
      instead: ["\u001b[2K"],
    } as const;
    const hooks = [{ event: "\u001b[1m", name: "\u001b[2m", exit: 1, said: "\u001b[3m" }];
    const why = {
      n: 1,
      callId: "\u001b[3m",
      tool: "\u001b[4m",
      subject: "a\n\u001b[5m",
      status: "ok",
      hooks,
      gates: [gate],
    };
    for (const width of [20, 40, 80, 200]) {
      const lines = [...ruleLines(row, width), ...whyLines(why, width)];
      for (const line of lines) expect(lineWidth(line)).toBeLessThanOrEqual(width);
      expect(paint(lines, plainTheme).join("\n")).not.toMatch(/[\u001b\u0007\u202e]/);
    }
  });
});
