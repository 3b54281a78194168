import { describe, expect, it } from "vitest";
import { patienceFor } from "../../../src/model/patience.ts";
import { ask } from "../../support/model.ts";

const words = (tokens: number) =>
  ask({ messages: [{ role: "user", content: [{ type: "text", text: "x".repeat(Math.round(tokens * 3.5)) }] }] });

describe("S10: how long silence is put up with", () => {
  it("a service that says nothing is noticed within a minute, whatever the talk's usual length", () => {
    for (const url of [undefined, "https://gateway.example.com", "https://203.0.113.4/v1"]) {
      const { firstMs, stallMs } = patienceFor(words(95_000), url, 1);
      expect(firstMs).toBeLessThanOrEqual(60_000);
      expect(stallMs).toBeLessThan(60_000);
    }
    expect(patienceFor(words(1_000_000), undefined, 1).firstMs).toBeGreaterThan(120_000);
  });

  it("a server in the house may read a long prompt slowly", () => {
    const near = ["http://localhost:8080", "http://127.0.0.1:1", "http://192.168.1.4", "http://10.1.2.3", "http://box"];
    const more = [...near, "http://box.local", "http://[::1]:9", "http://172.20.0.1", "http://[fd00::1]"];
    expect(more.filter((url) => patienceFor(words(20_000), url, 1).firstMs < 240_000)).toEqual([]);
    expect(patienceFor(words(10_000_000), near[0], 1).firstMs).toBe(20 * 60_000);
    expect(patienceFor(ask(), "no url", 1).firstMs).toBeLessThan(60_000);
  });

  it("a later attempt waits longer, up to a bound; pictures are not read word by word", () => {
    const times = [1, 2, 3, 4, 5, 9].map((n) => patienceFor(ask(), undefined, n).firstMs / 50_000);
    expect(times.map(Math.round)).toEqual([1, 2, 3, 4, 4, 4]);
    const source = { type: "base64" as const, media_type: "image/png", data: "A".repeat(1 << 20) };
    const picture = ask({ messages: [{ role: "user", content: [{ type: "image", source }] }] });
    expect(patienceFor(picture, "http://localhost", 1).firstMs).toBeLessThan(60_000);
  });
});
