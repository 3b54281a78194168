import { describe, expect, it } from "vitest";
import type { CostReport } from "../../../../src/session/cost.ts";
import { costLines, turnLines } from "../../../../src/ui/commands/cost.ts";
import { effortCommand, modelCommand, modelsLike } from "../../../../src/ui/commands/model.ts";
import type { CommandContext } from "../../../../src/ui/commands/command.ts";
import { lowWords } from "../../../../src/ui/render/rate-limit.ts";
import { lineWidth, textOfLine } from "../../../../src/ui/render/spans.ts";
import { statusLine } from "../../../../src/ui/render/status.ts";
import { reduceView } from "../../../../src/ui/store/view-state.ts";
import { NO_VIEW } from "../../../../src/ui/store/view.ts";
import { denyAll } from "../../../../src/permissions/asker.ts";
import { playScript } from "../../../support/fake-script.ts";
import { fakeSession } from "../../../support/fake-session.ts";

const usage = { input: 100, output: 50, cacheRead: 900, cacheWrite: 0 };
const NONE: CostReport = {
  models: [],
  usd: 0,
  turns: [],
  tools: [],
  agents: [],
  apiMs: 0,
  pricesAsOf: "2026-11-30",
  limits: [],
};
const FULL: CostReport = {
  ...NONE,
  models: [
    { model: "claude-sonnet-5-5", usage, replies: 2, usd: 0.00088 },
    { model: "local", usage, replies: 1 },
  ],
  turns: [
    { message: 1, turn: 1, at: "", model: "claude-sonnet-5-5", outcome: "void", usage, usd: 0.0004 },
    { message: 1, turn: 1, at: "", model: "claude-sonnet-5-5", outcome: "kept", usage, usd: 0.0004 },
    { message: 2, turn: 3, at: "", model: "local", outcome: "cut", usage },
  ],
  tools: [{ tool: "Read", calls: 3, tokens: 1234 }],
  hitRate: 0.9,
  limits: [{ name: "input tokens", left: 0.12, remaining: 1200, limit: 10_000 }],
};
delete FULL.usd;
const textOf = (lines: readonly Parameters<typeof textOfLine>[0][]) => lines.map(textOfLine).join("\n");

describe("M2: /cost", () => {
  it("UX-T-3: no name or number is cut in a table of a narrow window; it becomes key: value rows", () => {
    const told = {
      ...FULL,
      models: FULL.models.map((model) => ({ ...model, usage: { ...usage, cacheRead: 456_789 } })),
    };
    for (const width of [99, 79, 59, 39]) {
      const all = costLines(told, width).map(textOfLine).join("\n");
      for (const word of ["claude-sonnet-5-5", "456,789", "replies"]) expect(all).toContain(word);
    }
    expect(textOfLine(costLines(told, 59)[0] ?? [])).toBe("model: claude-sonnet-5-5");
  });
  it("says what was used by model and tool, what is unknown or estimated, what the cache gave, and the limits", () => {
    const words = textOf(costLines(FULL, 100));
    for (const part of [
      /claude-sonnet-5-5 +2 +100 +50 +900 +0 +\$0\.0009/,
      /local .*cost unknown/,
      "in all cost unknown",
      "From the cache: 90 % of all that was sent; of the newest request 90 %.",
      "1 attempt broke off and was asked for anew",
      /Read +3 +1,234/,
      "an estimate",
      "No price is known for local",
      "input tokens: 12 % left (1,200 of 10,000)",
    ])
      expect(words).toMatch(part);
    expect(textOf(costLines(NONE, 80))).toBe("Nothing was sent to a model yet.");
    const known = { ...FULL, models: FULL.models.slice(0, 1), usd: 0.00088 };
    expect(textOf(costLines(known, 80))).toContain("By list prices of 2026-11-30");
  });
  it("C5: sub-agents have a row each, and the sum is there", () => {
    const agents = [{ sessionId: "s_1-a2-a1", model: "small", usage, replies: 4, usd: 0.5 }];
    const words = textOf(costLines({ ...FULL, models: FULL.models.slice(0, 1), agents, usd: 0.50088 }, 100));
    expect(words).toMatch(/agent a2-a1, small +4 +100 +50 +900 +0 +\$0\.50/);
    expect(words).toContain("in all $0.50");
  });
  it("lists each request, and which of them were for nothing", () => {
    const words = textOf(turnLines(FULL, 100));
    expect(words).toMatch(/1\.1 \(asked anew\).*\n1\.1 .*90 %.*\n2\.3 \(cut off\).*cost unknown/);
  });
  it("fits any width", () => {
    for (const width of [20, 40, 60, 120])
      for (const row of [...costLines(FULL, width), ...turnLines(FULL, width)])
        expect(lineWidth(row)).toBeLessThanOrEqual(width);
  });
});

describe("M2: the service's limits in the status line", () => {
  const at = Date.parse("2026-11-30T12:00:00Z");
  const status = (words: string | undefined) =>
    textOf([
      statusLine({ mode: "ask", model: "m", effort: "high", cwd: "/w", home: "/h", contained: true, limit: words }, 80),
    ]);
  it("are shown under a fifth, until they are full again", () => {
    expect(lowWords([{ name: "5h", left: 0.2 }], at)).toBeUndefined();
    expect(lowWords([{ name: "5h", left: 0.19, resetAt: at + 1000 }], at)).toBe("5h: 19 % left");
    expect(
      lowWords(
        [
          { name: "5h", left: 0.19, resetAt: at - 1000 },
          { name: "7d", left: 0.1 },
        ],
        at,
      ),
    ).toBe("7d: 10 % left");
    expect(status("5h: 19 % left")).toBe("ask mode · m/high · /w · 5h: 19 % left");
    expect(status(undefined)).toBe("ask mode · m/high · /w");
  });
  it("come with a live event, and effort with its fact", () => {
    const limits = [{ name: "requests", left: 0.01 }];
    expect(reduceView(NO_VIEW, { type: "limits.told", limits }, at).view.limits).toEqual(limits);
    const fact = {
      v: 1 as const,
      seq: 1,
      at: "",
      mac: "",
      type: "effort.changed" as const,
      effort: "low" as const,
      by: "person" as const,
    };
    expect(reduceView(NO_VIEW, fact, at).view.effort).toBe("low");
  });
});

describe("M2: /model and /effort", () => {
  function stage(chosen?: string) {
    const said: string[] = [];
    const offered: string[][] = [];
    const session = fakeSession({ asker: denyAll("test"), script: playScript });
    const context = {
      session,
      say: (rows: (width: number) => Parameters<typeof textOfLine>[0][]) => void said.push(textOf(rows(100))),
      choose: async ({ choices }: { choices: readonly { id: string }[] }) => {
        offered.push(choices.map((c) => c.id));
        return chosen;
      },
    } as unknown as CommandContext;
    return { said, offered, session, context };
  }
  it("completes a part of a known name, asks which of several, and takes any other name as it is", async () => {
    expect(modelsLike("haiku 4")).toEqual(["claude-haiku-4-5"]);
    expect([modelsLike("opus 5"), modelsLike("Opus 5.5")]).toEqual([["claude-opus-5"], ["claude-opus-5-5"]]);
    expect(modelsLike("sonnet")[0]).toBe("claude-sonnet-5-5");
    const one = stage();
    await modelCommand.run("haiku 4", one.context);
    expect(one.session.state().model).toBe("claude-haiku-4-5");
    expect(one.said).toEqual(["claude-haiku-4-5 answers from now on."]);
    const several = stage("claude-opus-5");
    await modelCommand.run("opus", several.context);
    expect(several.offered[0]?.slice(0, 2)).toEqual(["claude-opus-5-5", "claude-opus-5"]);
    expect(several.session.state().model).toBe("claude-opus-5");
    for (const name of ["qwen3:8b", "openai:gpt-x", "anthropic:sonnet", "claude-opus-5"]) {
      const other = stage();
      await modelCommand.run(name, other.context);
      expect(other.offered).toEqual([]);
      expect(other.session.state().model).toBe(name);
    }
    const left = stage();
    await modelCommand.run("", left.context);
    expect(left.offered[0]).toContain("claude-sonnet-5-5");
    expect(left.session.log.map((e) => e.type)).not.toContain("model.changed");
  });
  it("effort by its word, default back to the settings', anything else is told", async () => {
    const { said, session, context } = stage();
    for (const args of ["", "high", "loud", "default"]) await effortCommand.run(args, context);
    expect(session.log.flatMap((e) => (e.type === "effort.changed" ? [e.effort] : []))).toEqual(["high", undefined]);
    expect(said.join("\n")).toMatch(/as the model likes[^]*No effort loud\. There are low, medium, high and default\./);
  });
});
