import { describe, expect, it } from "vitest";
import { factLines } from "../../../../src/ui/render/transcript.ts";
import { events } from "../../../support/event-log.ts";

describe("a request that was mended", () => {
  it("L4: is told in a row of its own, in the words of the fact, without what a terminal would obey", () => {
    const why =
      "The service refused the request for a picture (no\x1b[31m red). It is left out from here on; asking again.";
    const [event] = events([{ type: "context.mended", why, parts: [] }]);
    if (event === undefined) throw new Error("there is no event");
    const rows = (factLines(event, 60) ?? []).map((row) => row.map((span) => span.text).join(""));
    expect(rows.join(" ").replaceAll(/\s+/g, " ")).toContain("The service refused the request for a picture (no");
    expect(rows.join("")).not.toContain("\x1b");
    expect(factLines(event, 200)?.[0]?.[0]?.style).toBe("warning");
  });
});
