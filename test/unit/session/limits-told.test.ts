import { describe, expect, it } from "vitest";
import { text } from "../../../src/events/block.ts";
import { openModel } from "../../../src/model/open.ts";
import { systemClock } from "../../../src/util/system.ts";
import { startChatServer } from "../../support/chat-server.ts";
import { collect, openAt, place } from "../../support/session.ts";

describe("M2: the service's limits", () => {
  it("reach the screen live and the cost report while the session is open, and never the log", async () => {
    const headers = { "x-ratelimit-limit-requests": "100", "x-ratelimit-remaining-requests": "7" };
    const server = await startChatServer(() => ({ turn: { text: "well" }, headers }));
    const deps = { clock: systemClock, access: { openai: { baseUrl: server.url } }, random: () => 0 };
    const at = place("limits");
    const session = await openAt(at, { model: openModel("openai:m", deps) });
    expect(session.cost().limits).toEqual([]);
    const { events } = await collect(session.submit([text("go")], new AbortController().signal));
    const told = [{ name: "requests", left: 0.07, limit: 100, remaining: 7 }];
    expect(events.filter((e) => e.type === "limits.told")).toEqual([{ type: "limits.told", limits: told }]);
    expect(session.cost().limits).toEqual(told);
    await session.close();
    const again = await openAt(at, { more: { resume: session.id } });
    expect(again.cost()).toMatchObject({ limits: [], models: [{ model: "openai:m", replies: 1 }] });
    await again.close();
  });
});
