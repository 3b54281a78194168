import { describe, expect, it } from "vitest";
import type { ReplyBlock } from "../../../src/events/block.ts";
import type { Message } from "../../../src/model/model.ts";
import { parseRecording, recordedModel, repliesOf } from "../../../src/model/recorded.ts";
import { scriptedModel } from "../../../src/model/scripted.ts";
import { systemClock } from "../../../src/util/system.ts";
import { ask, endOf, eventsFrom, textIn } from "../../support/model.ts";

const clock = systemClock;
const user = (text: string): Message => ({ role: "user", content: [{ type: "text", text }] });
const assistant = (...content: ReplyBlock[]): Message => ({ role: "assistant", content });
const said = (text: string): ReplyBlock => ({ type: "text", text });
const call = (id: string): ReplyBlock => ({ type: "tool_use", id, name: "Read", input: {} });
const result = (id: string): Message => ({
  role: "user",
  content: [{ type: "tool_result", tool_use_id: id, content: [{ type: "text", text: "r" }] }],
});
const usage = { input: 1, output: 2, cacheRead: 3, cacheWrite: 4 };
const reply = (blocks: ReplyBlock[], stopReason = "end_turn") => ({
  type: "reply.completed" as const,
  blocks,
  usage,
  stopReason,
});

describe("M4: replies from a file", () => {
  const turns = [
    { text: "one", calls: [{ name: "Read" }, { name: "Read" }] },
    { text: "two", stopReason: "pause_turn" },
    { text: "three", stopReason: "pause_turn" },
    { text: "four" },
  ];
  const model = scriptedModel({ turns }, { clock });
  const next = async (...messages: Message[]) => textIn(await eventsFrom(model, ask({ messages })));
  const first: Message[] = [user("go"), assistant(said("one"), call("a"), call("b"))];
  const after: Message[] = [...first, { role: "user", content: [...result("a").content, ...result("b").content] }];

  it("the conversation says which comes next, replies that stand in one message included", async () => {
    expect(await next(user("go"))).toBe("one");
    expect(await next(...after)).toBe("two");
    expect(await next(...after, assistant(said("two")))).toBe("three");
    expect(await next(...after, assistant(said("two"), said("three")))).toBe("four");
  });

  it("a reply that was cut off counts once, however little of it is left", async () => {
    expect(await next(user("go"), assistant(said("on")), user("again"))).toBe("two");
  });

  it("at its end it says so, or starts over", async () => {
    const all = [...after, assistant(said("two"), said("three"), said("four")), user("more")];
    const end = endOf(await eventsFrom(model, ask({ messages: all })), "failed");
    expect(end).toMatchObject({ kind: "script", message: "The script has no turn 5: it has 4." });
    const looped = scriptedModel({ turns, loop: true }, { clock });
    expect(textIn(await eventsFrom(looped, ask({ messages: all })))).toBe("one");
  });

  it("plays thinking, broken inputs and faults", async () => {
    const odd = scriptedModel(
      {
        turns: [
          {
            thinking: "hm",
            text: "a",
            calls: [{ name: "W", broken: '{"a' }],
            fail: { message: "gone", retryable: true },
          },
        ],
      },
      { clock },
    );
    const { partial, ...end } = endOf(await eventsFrom(odd), "failed");
    expect(end).toMatchObject({ message: "gone", retryable: true });
    expect(partial).toEqual([
      { type: "thinking", thinking: "hm", signature: "scripted" },
      said("a"),
      { type: "tool_use", id: "toolu_script_1_1", name: "W", input: {}, broken: '{"a' },
    ]);
  });
});

describe("M4: replies of a recorded session", () => {
  const events = [
    { v: 1, seq: 1, at: "x", type: "session.opened" },
    { v: 1, seq: 2, ...reply([said("one"), call("a")], "tool_use"), turn: 1, messageId: "msg_1" },
    { type: "result", text: "x" },
    reply([said("two"), { type: "other", raw: { type: "new" } }]),
  ];
  const model = recordedModel(repliesOf(events), { clock });

  it("come in their order, with usage and stop reason as they were", async () => {
    const one = endOf(await eventsFrom(model), "reply");
    expect(one).toMatchObject({ usage, stopReason: "tool_use", messageId: "msg_1", blocks: [said("one"), call("a")] });
    const messages = [user("go"), assistant(said("one"), call("a")), result("a")];
    const two = endOf(await eventsFrom(model, ask({ messages })), "reply");
    expect(two.blocks).toEqual([said("two"), { type: "other", raw: { type: "new" } }]);
    const over = [...messages, assistant(said("two"), said("x")), user("more")];
    expect(endOf(await eventsFrom(model, ask({ messages: over })), "failed").message).toBe(
      "The recording has no reply 3: it has 2.",
    );
  });

  it("are read from lines or an array; what is no event is an error that names its place", () => {
    const lines = events.map((e) => JSON.stringify(e)).join("\n");
    expect(parseRecording(`${lines}\n\n`)).toEqual(events);
    expect(parseRecording(JSON.stringify(events))).toEqual(events);
    expect(() => parseRecording(`${lines}\n{oops`)).toThrow("line 5 is no JSON");
    expect(() => repliesOf([{ type: "reply.completed", blocks: 3 }])).toThrow();
    expect(() => repliesOf(["text"])).toThrow();
  });
});
