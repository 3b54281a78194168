import { describe, expect, it } from "vitest";
import { openModel } from "../../../src/model/open.ts";
import { rateLimits } from "../../../src/model/rate-limits.ts";
import { startApi } from "../../support/api-server.ts";
import { startChatServer } from "../../support/chat-server.ts";
import { ask, endOf, eventsFrom, quickClock, retriesIn } from "../../support/model.ts";

const NOW = Date.parse("2026-11-30T12:00:00Z");
const limits = (headers: Record<string, string>) => rateLimits(new Headers(headers), NOW);

describe("M2: what headers say of the limits", () => {
  it("the Messages API's own, the tightest first", () => {
    expect(
      limits({
        "anthropic-ratelimit-requests-limit": "50",
        "anthropic-ratelimit-requests-remaining": "49",
        "anthropic-ratelimit-requests-reset": "2026-11-30T12:01:00Z",
        "anthropic-ratelimit-input-tokens-limit": "1000",
        "anthropic-ratelimit-input-tokens-remaining": "100",
        "request-id": "req_1",
      }),
    ).toEqual([
      { name: "input tokens", left: 0.1, limit: 1000, remaining: 100 },
      { name: "requests", left: 0.98, limit: 50, remaining: 49, resetAt: NOW + 60_000 },
    ]);
  });
  it("a plan's windows, by the share that is used up", () => {
    const reset = String(NOW / 1000 + 3600);
    expect(
      limits({
        "anthropic-ratelimit-unified-status": "allowed",
        "anthropic-ratelimit-unified-5h-utilization": "0.75",
        "anthropic-ratelimit-unified-5h-reset": reset,
        "anthropic-ratelimit-unified-7d-utilization": "1.2",
      }),
    ).toEqual([
      { name: "7d", left: 0 },
      { name: "5h", left: 0.25, resetAt: NOW + 3_600_000 },
    ]);
  });
  it("those of other services, whose reset is a while", () => {
    const of = (reset: string) =>
      limits({
        "x-ratelimit-limit-requests": "10",
        "x-ratelimit-remaining-requests": "5",
        "x-ratelimit-reset-requests": reset,
      })[0]?.resetAt;
    expect([of("6m0s"), of("120ms"), of("1.5s"), of("30"), of("1h2m"), of("soon")]).toEqual([
      NOW + 360_000,
      NOW + 120,
      NOW + 1500,
      NOW + 30_000,
      NOW + 3_720_000,
      undefined,
    ]);
  });
  it("what can't be read says nothing", () => {
    expect(
      limits({
        "anthropic-ratelimit-requests-limit": "many",
        "anthropic-ratelimit-requests-remaining": "5",
        "anthropic-ratelimit-tokens-limit": "0",
        "anthropic-ratelimit-tokens-remaining": "0",
        "x-ratelimit-remaining-tokens": "-4",
      }),
    ).toEqual([]);
  });
});

describe("M2: limits on their way", () => {
  const limitsOf = (events: Awaited<ReturnType<typeof eventsFrom>>) => events.filter((e) => e.type === "limits");
  it("are told with a refusal too, and the retry names what is used up", async () => {
    const headers = {
      "retry-after": "3",
      "anthropic-ratelimit-requests-limit": "50",
      "anthropic-ratelimit-requests-remaining": "20",
      "anthropic-ratelimit-output-tokens-limit": "1000",
      "anthropic-ratelimit-output-tokens-remaining": "0",
    };
    const api = await startApi([{ fault: { kind: "status", status: 429, headers } }, { turn: { text: "well" } }]);
    const deps = { access: { baseUrl: api.url }, clock: quickClock(), random: () => 0 };
    const events = await eventsFrom(openModel("claude-sonnet-5-5", deps), ask());
    endOf(events, "reply");
    expect(limitsOf(events)[0]?.limits.map(({ name, left }) => [name, left])).toEqual([
      ["output tokens", 0],
      ["requests", 0.4],
    ]);
    expect(retriesIn(events)[0]?.reason).toMatch(/Rate limit of .*\(used up: output tokens\)$/);
  });
  it("come with a good answer, ahead of its words", async () => {
    const headers = { "x-ratelimit-limit-tokens": "1000", "x-ratelimit-remaining-tokens": "150" };
    const server = await startChatServer(() => ({ turn: { text: "well" }, headers }));
    const deps = { access: { openai: { baseUrl: server.url } }, clock: quickClock(), random: () => 0 };
    const events = await eventsFrom(openModel("openai:m", deps), ask());
    expect(events[0]).toEqual({
      type: "limits",
      limits: [{ name: "tokens", left: 0.15, limit: 1000, remaining: 150 }],
    });
    expect(limitsOf(events)).toHaveLength(1);
  });
});
