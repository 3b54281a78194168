import fc from "fast-check";
import { type ContentBlock, type ReplyBlock, text } from "../../src/events/block.ts";
import { isFact, type LogBody, type SessionEvent } from "../../src/events/event.ts";
import { nextStep } from "../../src/events/settle.ts";
import { goOn, query } from "../../src/loop/query.ts";
import { signatureOf } from "./api-sse.ts";
import { imageBlock, png } from "./media.ts";
import { MemoryLog, opened, RESULTS, talkDeps } from "./talk.ts";
import { type Doing, TalkService } from "./talk-service.ts";

/** Something that happens in a session. `stop`, `kill`, `steer`: at this event of it, from 1; 0 never. */
export type Act =
  | {
      kind: "say";
      content: readonly ContentBlock[];
      doings: readonly Doing[];
      stop: number;
      kill: number;
      steer: number;
    }
  | { kind: "go-on"; doings: readonly Doing[]; stop: number; kill: number; steer: number }
  | { kind: "rewind"; to: number }
  | { kind: "fact"; body: LogBody }
  | { kind: "compact"; share: number }
  | { kind: "clear"; share: number };

const words = fc.constantFrom("Well.", " ", "\n\n", "", "trailing \n ", "\u{1F600}".slice(0, 1), "half \ud83d here");
const thought = (n: string) => ({ type: "thinking" as const, thinking: n, signature: signatureOf(n) });
const call = fc
  .record({
    name: fc.constantFrom("Look", "Look", "Put", "AskUser", "No such tool", ""),
    what: fc.constantFrom("throws", "failed picture", ...Object.keys(RESULTS)),
    id: fc.constantFrom("t1", "t2", "", "no good", "toolu_9"),
    odd: fc.constantFrom("", "", "", "broken", "input"),
  })
  .map(({ name, what, id, odd }): ReplyBlock => ({
    type: "tool_use",
    id,
    name,
    input: odd === "input" ? { "w\ud83d": 1 } : odd === "broken" ? {} : { what },
    ...(odd === "broken" ? { broken: '{"wh' } : {}),
  }));
const search: ReplyBlock[] = [
  { type: "server_tool_use", id: "srvtoolu", name: "web_search", input: { query: "q" } },
  { type: "web_search_tool_result", tool_use_id: "srvtoolu", content: [] },
].map((raw) => ({ type: "other", raw }));
const blocks: fc.Arbitrary<ReplyBlock[]> = fc
  .array(
    fc.oneof(
      { weight: 4, arbitrary: words.map((w): ReplyBlock[] => [text(w)]) },
      { weight: 5, arbitrary: call.map((c) => [c]) },
      { weight: 2, arbitrary: fc.constantFrom("a", "b", "").map((w): ReplyBlock[] => [thought(w)]) },
      { weight: 1, arbitrary: fc.constant<ReplyBlock[]>([{ type: "redacted_thinking", data: "D" }]) },
      { weight: 1, arbitrary: fc.constant(search) },
    ),
    { maxLength: 5 },
  )
  .map((list) => list.flat());
const stopReason = fc.constantFrom(
  "end_turn",
  "tool_use",
  "max_tokens",
  "pause_turn",
  "refusal",
  "stop_sequence",
  "odd",
);
const doing: fc.Arbitrary<Doing> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ kind: fc.constant("reply" as const), blocks, stopReason }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant("broken" as const),
      blocks,
      fault: fc.constantFrom("network" as const, "server" as const, "auth" as const),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant("refuse" as const),
      at: fc.double({ min: 0, max: 0.999, noNaN: true }),
      words: fc.constantFrom("path" as const, "path" as const, "media" as const, "thinking" as const),
    }),
  },
);
const doings = fc.array(doing, { maxLength: 5 });
const prompts: fc.Arbitrary<ContentBlock[]> = fc.array(
  fc.oneof(
    words.map((w) => text(w)),
    fc.constant(text("please")),
    fc.constantFrom(imageBlock(), imageBlock(png(2100, 2)), imageBlock(png(9000, 9)), imageBlock(Buffer.of(7))),
  ),
  { maxLength: 3 },
);
const events = {
  doings,
  stop: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 40 })),
  steer: fc.constantFrom(0, 3, 9),
};
const kill = fc.oneof(
  { weight: 3, arbitrary: fc.constant(0) },
  { weight: 2, arbitrary: fc.integer({ min: 1, max: 40 }) },
);
const share = fc.double({ min: 0, max: 0.999, noNaN: true });
const act: fc.Arbitrary<Act> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ kind: fc.constant("say" as const), content: prompts, kill, ...events }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("go-on" as const), kill, ...events }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("rewind" as const), to: fc.nat(3) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("compact" as const), share }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("clear" as const), share }) },
  {
    weight: 1,
    arbitrary: fc.constantFrom<Act>(
      { kind: "fact", body: { type: "context.reset" } },
      { kind: "fact", body: { type: "note.added", text: "it is late \ud83d" } },
    ),
  },
);
export const anyTalk = fc.array(act, { minLength: 1, maxLength: 8 });

/** How a session went. */
export interface Talk {
  service: TalkService;
  log: MemoryLog;
}

/** Plays a session on the real loop, in a window of so many tokens; after it the person speaks once more, and has to get an answer. */
export async function playTalk(acts: readonly Act[], window?: number): Promise<Talk> {
  const talk: Talk = { service: new TalkService(window), log: await opened() };
  for (const one of acts) await perform(talk, one);
  const end = { content: [text("the end")], doings: [], stop: 0, kill: 0, steer: 0 };
  await perform(talk, { kind: "say", ...end });
  return talk;
}

async function perform(talk: Talk, one: Act): Promise<void> {
  const { log } = talk;
  switch (one.kind) {
    case "say":
      if (nextStep(log.state) !== "nothing") await run(talk, { ...one, doings: [], stop: 0, kill: 0 }, "close");
      return run(talk, one, "say");
    case "go-on":
      return nextStep(log.state) === "nothing" ? undefined : run(talk, one, "go-on");
    case "rewind": {
      const found = log.state.items.filter((i) => i.kind === "prompt" && i.when === "start")[one.to];
      if (found === undefined) return;
      await log.append({ type: "context.rewound", to: found.seq, keptFrom: 0 });
      return talk.service.changed();
    }
    case "compact": {
      const item = log.state.items[Math.floor(one.share * log.state.items.length)];
      const keptFrom = item?.seq ?? 1;
      await log.append({ type: "context.compacted", summary: "s \ud83d", keptFrom, before: 9, after: 1 });
      return talk.service.changed();
    }
    case "clear": {
      const ids = [...log.state.calls.keys()];
      const callIds = ids.slice(0, Math.floor(one.share * ids.length));
      await log.append({ type: "context.cleared", callIds, before: 9, after: 1 });
      return talk.service.changed();
    }
    case "fact":
      await log.append(one.body);
      if (one.body.type.startsWith("context.")) talk.service.changed();
  }
}

async function run(
  talk: Talk,
  act_: Extract<Act, { kind: "say" | "go-on" }>,
  how: "say" | "go-on" | "close",
): Promise<void> {
  const { log, service } = talk;
  service.will(act_.doings);
  const abort = new AbortController();
  if (how === "close") abort.abort();
  const inbox: string[] = [];
  const answer = act_.steer === 0 ? undefined : "so";
  const deps = talkDeps(log, service.model(), { inbox, answer });
  const events: AsyncGenerator<SessionEvent, unknown> =
    how === "say" && act_.kind === "say" ? query(act_.content, deps, abort.signal) : goOn(deps, abort.signal);
  let n = 0;
  for await (const event of events) {
    if (isFact(event) && event.type.startsWith("context.")) service.changed();
    n++;
    if (n === act_.stop) abort.abort();
    if (n === act_.steer) inbox.push("hurry");
    // A killed program leaves what its log holds.
    if (n === act_.kill) break;
  }
  talk.log = new MemoryLog(log.events);
}
