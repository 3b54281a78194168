import { describe, expect, it } from "vitest";
import { limitLines, limitsCommand, readLimit } from "../../../../src/ui/commands/limits.ts";
import type { CommandContext } from "../../../../src/ui/commands/command.ts";
import { type Line, paint } from "../../../../src/ui/render/spans.ts";
import { plainTheme } from "../../../../src/ui/theme.ts";
import { openAt, place } from "../../../support/session.ts";

describe("/limits", () => {
  it.each<[string, ReturnType<typeof readLimit>]>([
    ["turns 200", { scope: "message", name: "turns", value: 200 }],
    ["session usd 2.5", { scope: "session", name: "usd", value: 2.5 }],
    ["message time 30m", { scope: "message", name: "timeMs", value: 1_800_000 }],
    ["session  tokens none", { scope: "session", name: "tokens", value: undefined }],
    ["turns 2.5", undefined],
    ["turns -1", undefined],
    ["turns 0", undefined],
    ["time soon", undefined],
    ["cups 3", undefined],
    ["turns", undefined],
  ])("S3: reads %j", (typed, expected) => expect(readLimit(typed)).toEqual(expected));

  it("S3: shows what is used of what", () => {
    const message = { turns: 4, tokens: 900, usd: undefined, timeMs: 61_000 };
    const session = { turns: 9, tokens: 1800, usd: 0.5, timeMs: 600_000 };
    const budgets = { message: { turns: 100, tokens: 1000 }, session: { usd: 5 } };
    expect(paint(limitLines({ budgets, used: { message, session } }, 100), plainTheme).join("\n"))
      .toMatchInlineSnapshot(`
      "        this message  limit        session      limit
      ──────  ────────────  ───────────  ───────────  ────────
      turns   4 turns       100 turns    9 turns      none
      tokens  900 tokens    1000 tokens  1800 tokens  none
      usd     unknown       none         0.50 USD     5.00 USD
      time    61 s          none         10 min       none"
    `);
  });

  it("S3: sets a limit of the session it stands in, and says what it did not understand", async () => {
    const session = await openAt(place("limits"), { script: { turns: [] } });
    const said: string[] = [];
    const say = (rows: (width: number) => Line[]) => void said.push(...paint(rows(200), plainTheme));
    const context = { session, say } as unknown as CommandContext;
    await limitsCommand.run("session usd 5", context);
    await limitsCommand.run("turns none", context);
    await limitsCommand.run("cups 5", context);
    expect(session.limits().budgets).toEqual({ message: {}, session: { usd: 5 } });
    expect(said.map((row) => row.slice(0, 60))).toEqual([
      "The limit is 5.00 USD for the session. It counts from the ne",
      "No limit in turns for one message. It counts from the next t",
      expect.stringMatching(/^Not understood: cups 5\. \/limits turns 200/) as string,
    ]);
    await limitsCommand.run("", context);
    expect(said.at(-1)).toContain("/limits turns 200");
    await session.close();
  });
});
