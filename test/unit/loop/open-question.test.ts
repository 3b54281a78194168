import { describe, expect, it } from "vitest";
import { text } from "../../../src/events/block.ts";
import { toMessages } from "../../../src/events/messages.ts";
import { query } from "../../../src/loop/query.ts";
import { apiBreaches } from "../../support/api-rules.ts";
import { TalkService } from "../../support/talk-service.ts";
import { opened, talkDeps } from "../../support/talk.ts";

describe("a question of the model's", () => {
  it("L4: stopped while it waits, it has a result all the same", async () => {
    const [log, service, abort] = [await opened(), new TalkService(), new AbortController()];
    service.will([
      {
        kind: "reply",
        blocks: [{ type: "tool_use", id: "q", name: "AskUser", input: { what: "which?" } }],
        stopReason: "tool_use",
      },
    ]);
    for await (const event of query([text("go")], talkDeps(log, service.model()), abort.signal))
      if (event.type === "call.started") abort.abort();
    expect(log.events.at(-1)).toMatchObject({ type: "query.finished", reason: "interrupted" });
    expect(log.state.calls.get("q")?.result).toMatchObject({ status: "interrupted" });
    expect(apiBreaches(toMessages(log.state))).toEqual([]);
  });
});
