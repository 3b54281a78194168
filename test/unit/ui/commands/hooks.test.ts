import { describe, expect, it } from "vitest";
import type { HookReport, HookRow } from "../../../../src/session/live-hooks.ts";
import { hookLines } from "../../../../src/ui/commands/hooks.ts";

const row: HookRow = {
  event: "PreToolUse",
  matcher: "Bash",
  name: "check",
  command: "check.sh\u001b[2K",
  source: "user",
  file: "/c/settings.json",
  timeoutMs: 60_000,
  inCopy: false,
  held: false,
  last: { at: "2026-11-30T10:11:12.000Z", exit: 2, durationMs: 12 },
};
const report = (more: Partial<HookReport>): string =>
  hookLines({ rows: [row], hash: "ab".repeat(32), notices: [], ...more })
    .map(({ text }) => text)
    .join("\n");

describe("/hooks", () => {
  it("H3: shows event, matcher, command with every sign, source and last run", () => {
    expect(report({})).toContain(
      "PreToolUse [Bash] check.sh\\u{1b}[2K  (user, /c/settings.json, 60 s; last at 10:11:12: exit 2, 12 ms)",
    );
  });
  it("H3, H5: shows what the files say by now, what waits for trust, and what can't be read", () => {
    const held = { ...row, event: "Stop", command: "evil", held: true } as const;
    const words = report({
      rows: [row, held],
      changed: { added: [{ ...row, command: "new.sh" }], removed: [row] },
      problem: "x:1: broken",
      notices: ["n"],
    });
    expect(words).toContain("held back until you trust this folder");
    expect(words).toMatch(/^- PreToolUse \[Bash\] check/m);
    expect(words).toMatch(/^\+ PreToolUse \[Bash\] new\.sh/m);
    expect(words).toContain("/hooks approve");
    expect(words).toContain("x:1: broken");
    expect(report({ rows: [] })).toContain("There are no hooks");
  });
});
