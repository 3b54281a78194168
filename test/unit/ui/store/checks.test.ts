import { describe, expect, it } from "vitest";
import type { LogBody, LogEvent } from "../../../../src/events/event.ts";
import { paint } from "../../../../src/ui/render/spans.ts";
import { factLines } from "../../../../src/ui/render/transcript.ts";
import { reduceView } from "../../../../src/ui/store/view-state.ts";
import { NO_VIEW, type View } from "../../../../src/ui/store/view.ts";
import { plainTheme } from "../../../../src/ui/theme.ts";

const fact = (body: LogBody): LogEvent => ({ v: 1, seq: 0, at: "2026-01-01T00:00:00.000Z", mac: "", ...body });
const rows = (body: LogBody) => paint(factLines(fact(body), 100, "/f") ?? [], plainTheme);
const check = { type: "check.ran", command: "npm test", name: "tests", output: "" } as const;

describe("completion checks on screen", () => {
  it("S9: one that runs is seen with its output, and gone when it ran", () => {
    const start = { type: "check.started", checkId: "op_1", name: "tests", command: "npm test" } as const;
    const seen: View[] = [];
    let view = NO_VIEW;
    for (const event of [
      start,
      { type: "tool.output", callId: "op_1", text: "ok 1\n" } as const,
      fact({ ...check, exit: 0 }),
    ])
      seen.push((view = reduceView(view, event, 1000).view));
    expect(seen[0]).toMatchObject({
      phase: "checking",
      checking: "tests",
      running: [{ input: { command: "npm test" } }],
    });
    expect(seen[1]?.running[0]?.lines.join("\n")).toContain("ok 1");
    expect(view).toMatchObject({ checking: undefined, running: [] });
  });

  it("S9: leave a row: what it was, how it ended, what it said of the first failure, what of its changes is dropped", () => {
    expect(rows({ ...check, exit: 0 })).toEqual(["✓ check tests: npm test"]);
    expect(rows({ ...check, exit: 3, output: "a\nb\n\nc\nd\n", changed: ["x.txt", "y.txt"] })).toEqual([
      "✗ check tests: npm test (exit code 3)",
      "  b",
      "  c",
      "  d",
      "  it changed x.txt, y.txt; that is dropped",
    ]);
    expect(rows({ ...check, name: "npm test", exit: null, ended: "timed out after 2 s" })).toEqual([
      "✗ check npm test (timed out after 2 s)",
    ]);
    const there = { ...check, name: "must exist", command: "must exist: a.md", exit: 1, output: "not there: a.md" };
    expect(rows(there)).toEqual(["✗ check must exist: a.md", "  not there: a.md"]);
    expect(rows({ ...there, name: "log" })[0]).toBe("✗ check log: must exist: a.md");
  });

  it("S3: a limit that was set leaves a row", () => {
    expect(rows({ type: "limit.changed", scope: "session", limit: "usd", value: 5 })).toEqual([
      "── limit for the session: 5.00 USD",
    ]);
    expect(rows({ type: "limit.changed", scope: "message", limit: "turns", value: null })).toEqual([
      "── limit for one message: no limit in turns",
    ]);
  });
});
