import { describe, expect, it } from "vitest";
import { rateLimits } from "../../../src/model/rate-limits.ts";

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
