import { describe, expect, it } from "vitest";
import type { Decision, Effect, Need, Rule } from "../../../src/events/effect.ts";
import { decide } from "../../../src/permissions/decide.ts";
import { deleteRules, offer, pinnedRules } from "../../../src/permissions/offer.ts";
import { command, entry, landing, marked, needing } from "./effects.ts";

const ASKED: Decision = { action: "ask", risk: "medium", reason: "r" };
const rule: Rule = { action: "ask", text: "Bash(make)", source: "user" };
const gone = (path: string, root = 0) => ({ ...marked(path, "delete"), op: "delete" as const, root });

describe("P5: what an answer may be remembered as", () => {
  it("only an ask of the policy's own: no allow, no deny, none that a rule or a hook demands", () => {
    const effect = command("make");
    expect(offer(effect, ASKED)).toEqual({ session: "Bash(make)", always: "Bash(make)" });
    expect(offer(effect, { ...ASKED, action: "allow" })).toBeUndefined();
    expect(offer(effect, { ...ASKED, action: "deny" })).toBeUndefined();
    expect(offer(effect, { ...ASKED, rule })).toBeUndefined();
    expect(offer(effect, { ...ASKED, hook: "" })).toBeUndefined();
    expect(offer(effect, { ...ASKED, risk: "high" })).toBeUndefined();
  });
  it("a rule of 500 characters is read at a glance, one more is not", () => {
    const of = (length: number) => offer(command(`echo ${"x".repeat(length - "Bash(echo )".length)}`), ASKED)?.always;
    expect(of(500)).toHaveLength(500);
    expect(of(501)).toBeUndefined();
  });
  it("a command of several lines is remembered as it is, a file's name with one is not", () => {
    expect(offer(command("make a\nmake b"), ASKED)?.always).toBe("Bash(make a\nmake b)");
    expect(offer(landing([entry("a\nb")]), ASKED)).toBeUndefined();
    expect(offer(command("echo \ufffd"), ASKED)).toBeUndefined();
  });
  it("of files one ordinary one of the folder's own, not a folder, a link, nor one that raises the risk", () => {
    expect(offer(landing([entry("d", { type: "folder", op: "create" })]), ASKED)).toBeUndefined();
    expect(offer(landing([entry("d", { type: "folder" })]), ASKED)).toBeUndefined();
    expect(offer(landing([entry("l", { type: "link", op: "link" })]), ASKED)).toBeUndefined();
    expect(offer(landing([entry("a", { root: 1 })]), ASKED)).toBeUndefined();
    expect(offer(landing([marked("a", "control")]), ASKED)).toBeUndefined();
    expect(offer(landing([entry("a", { op: "delete", marks: ["own"] })]), ASKED)).toBeUndefined();
    expect(offer(landing([entry("a")], { tool: "Read", subject: "a" }), ASKED)).toBeUndefined();
    expect(offer(needing([], { tool: "Write", subject: "a" }), ASKED)).toBeUndefined();
  });
  it("P3: one need of high risk alone, before it runs: a page's host, a server's tool with its hash", () => {
    const page: Need = { kind: "network", host: "h.test", port: 443, get: "https" };
    const of = (effect: Effect) => offer(effect, { ...ASKED, risk: "high" })?.always;
    expect(of(needing([page], { tool: "WebFetch" }))).toBe("WebFetch(https://h.test)");
    expect(of(needing([{ ...page, port: 8443 }], { tool: "WebFetch" }))).toBe("WebFetch(https://h.test:8443)");
    expect(of(needing([{ ...page, port: 80, get: "http" }], { tool: "WebFetch" }))).toBe("WebFetch(http://h.test)");
    expect(of(needing([page, page], { tool: "WebFetch" }))).toBeUndefined();
    expect(of({ ...landing([entry("a")], { tool: "WebFetch" }), needs: [page] })).toBeUndefined();
    expect(of(needing([], { tool: "WebFetch" }))).toBeUndefined();
    expect(of(needing([{ kind: "network", host: "h.test", port: 443 }]))).toBeUndefined();
  });
});

describe("P3: rules that are told where nobody can be asked", () => {
  it("up to five deletions, all in the folder, none that looks otherwise than it is", () => {
    const many = (n: number) => landing(Array.from({ length: n }, (_, i) => gone(`f${i}`)));
    expect(deleteRules(many(5), "auto")).toEqual(["f0", "f1", "f2", "f3", "f4"].map((f) => `Delete(/${f})`));
    expect(deleteRules(many(6), "auto")).toEqual([]);
    expect(deleteRules(landing([gone("a"), gone("b", 1)]), "auto")).toEqual([]);
    expect(deleteRules(landing([gone("a"), gone("b\u200b")]), "auto")).toEqual([]);
    expect(deleteRules(landing([]), "auto")).toEqual([]);
    expect(deleteRules(needing([]), "auto")).toEqual([]);
    // A file of the session's own is no high risk, and one that is emptied is no deletion.
    expect(deleteRules(landing([{ ...gone("a"), marks: ["own"] }]), "auto")).toEqual([]);
    expect(deleteRules(landing([marked("a", "empty")]), "auto")).toEqual([]);
  });
  it("a need each, or none of them: paths that are a pattern or the system's own have no rule", () => {
    const out = (path: string): Need => ({ kind: "outside", access: "read", path });
    expect(pinnedRules({ needs: [out("/srv/a b")] })).toEqual(["Outside(/srv/a b)"]);
    for (const path of [
      "/proc",
      "/proc/1/environ",
      "/sys/x",
      "/dev/null",
      "/a(b",
      "/a)b",
      "/a?",
      "/a[b",
      "/a{b",
      "/a\\b",
    ])
      expect(pinnedRules({ needs: [out("/srv"), out(path)] })).toEqual([]);
    expect(pinnedRules({ needs: [out("/process"), out("/srv/proc/x")] })).toEqual([
      "Outside(/process)",
      "Outside(/srv/proc/x)",
    ]);
    expect(pinnedRules({ needs: [out("/srv/a\u200b")] })).toEqual([]);
    expect(pinnedRules({ needs: [{ kind: "before", words: "make" }] })).toEqual([]);
    expect(pinnedRules({ needs: [] })).toEqual([]);
    const needs: Need[] = [out("/srv/a"), { kind: "mcp", server: "s", tool: "t" }];
    const rules = pinnedRules({ needs }).map((text): Rule => ({ action: "allow", text, source: "cli" }));
    expect(decide(needing(needs), "auto", rules, true).action).toBe("allow");
  });
});
