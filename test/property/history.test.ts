import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { toMessages } from "../../src/events/messages.ts";
import { apiBreaches } from "../support/api-rules.ts";
import { deepRuns } from "../support/deep.ts";
import { anyTalk, playTalk } from "../support/talk-script.ts";

/** In small ones the loop clears and sums up by itself, among all that happens. */
const anyWindow = fc.constantFrom(200_000, 200_000, 8000, 4000);

describe("whatever happens in a session", () => {
  it(
    "L4, C1: no request is one that the API refuses, each extends the last between two context facts, none is bricked",
    { timeout: 30 * 60_000 },
    async () => {
      let [requests, summaries] = [0, 0];
      await fc.assert(
        fc.asyncProperty(anyTalk, anyWindow, async (acts, window) => {
          const { service, log } = await playTalk(acts, window);
          requests += service.requests;
          summaries += service.summaries;
          expect(service.wrong).toEqual([]);
          expect(apiBreaches(toMessages(log.state), { request: false, wrapped: true })).toEqual([]);
          // Whatever was refused on the way, the last message got its answer.
          const last = log.events.at(-1);
          expect(last).toMatchObject({ type: "query.finished", reason: "done" });
        }),
        deepRuns(150, 10_000),
      );
      expect(requests).toBeGreaterThan(150);
      expect(summaries).toBeGreaterThan(10);
    },
  );
});
