import type { EndReason } from "../../src/events/event.ts";
import type { Answer, Fault } from "./api-server.ts";
import { eventsOf, sse, type ApiTurn, type SseEvent } from "./api-sse.ts";

/** One thing that can go wrong with an answer, at whatever place of a session. */
export interface FaultCase {
  /** As docs/streams.md names it. */
  id: string;
  /** The answers instead of this turn's, in order; the turn's own follows where the program asks again. */
  answers(turn: ApiTurn, n: number): readonly Answer[];
  /** How the message ends with it; default: in its answer. */
  ends?: EndReason;
  /** It stays for as long as it is asked again. */
  stays?: boolean;
  /** Silences are put up with for a fraction of a second. */
  hasty?: boolean;
  /** The answer is the turn's own all the same: nothing is asked again. */
  harmless?: boolean;
  /** It says that the request is too long: with turns behind it the conversation is summed up, without any it ends. */
  length?: boolean;
}

const MODEL = "claude-sonnet-5-5";
const events = (turn: ApiTurn, n: number): SseEvent[] => eventsOf(turn, MODEL, n);
const status = (code: number, more: Partial<Extract<Fault, { kind: "status" }>> = {}): Answer => ({
  fault: { kind: "status", status: code, ...more },
});

/** A fault of the service that passes: once, and for good. */
function passing(id: string, answer: (turn: ApiTurn, n: number) => Answer, more: Partial<FaultCase> = {}): FaultCase[] {
  return [
    { id: `${id}, once`, answers: (turn, n) => [answer(turn, n)], ...more },
    { id: `${id}, for good`, answers: (turn, n) => [answer(turn, n)], stays: true, ends: "api-error", ...more },
  ];
}

/** A fault that no repeat can mend. */
const lasting = (id: string, answer: (turn: ApiTurn, n: number) => Answer, length = false): FaultCase => ({
  id,
  answers: (turn, n) => [answer(turn, n)],
  ends: "api-error",
  length,
});

/** Something in the stream that changes nothing of the answer. */
const harmless = (id: string, change: (all: SseEvent[], turn: ApiTurn) => SseEvent[], more: Partial<Answer> = {}) => ({
  id,
  answers: (turn: ApiTurn, n: number) => [{ events: change(events(turn, n), turn), ...more }],
  harmless: true,
});

const at = (all: readonly SseEvent[], name: string): number => all.findIndex((e) => e.event === name);
const without = (name: string) => (all: SseEvent[]) => all.filter((e) => e.event !== name);
const after = (all: SseEvent[], name: string, ...more: SseEvent[]): SseEvent[] =>
  all.toSpliced(at(all, name) + 1, 0, ...more);

const PAGE = "<!doctype html><html><head><title>Sign in</title></head><body>please</body></html>";
const STREAM_ERRORS = ["overloaded_error", "api_error", "rate_limit_error", "timeout_error", "brand_new_error"];
const LASTING_ERRORS = ["invalid_request_error", "authentication_error", "permission_error", "not_found_error"];

const statuses: FaultCase[] = [
  ...[408, 409, 429, 500, 502, 503, 504, 529].flatMap((code) => [
    ...passing(`${code}`, () => status(code)),
    ...passing(`${code} without a body`, () => status(code, { body: "" })),
  ]),
  ...passing("503 with a web page", () => status(503, { body: PAGE, headers: { "content-type": "text/html" } })),
  ...passing("429 with retry-after: 2", () => status(429, { headers: { "retry-after": "2" } })),
  lasting("429 with retry-after: 86400", () => status(429, { headers: { "retry-after": "86400" } })),
  lasting("529 with x-should-retry: false", () => status(529, { headers: { "x-should-retry": "false" } })),
  ...[400, 401, 402, 403, 404, 413, 418, 422].flatMap((code) => [
    lasting(`${code}`, () => status(code), code === 413),
    lasting(`${code} without a body`, () => status(code, { body: "" }), code === 413),
  ]),
  lasting(
    "400 that the prompt is too long",
    () => status(400, { message: "prompt is too long: 210000 tokens > 200000 maximum" }),
    true,
  ),
  ...[301, 302, 307, 308].map((code) =>
    lasting(`redirect ${code}`, () => status(code, { body: "", headers: { location: "http://127.0.0.1:9/v1" } })),
  ),
  lasting("200 with a web page", () => status(200, { body: PAGE, headers: { "content-type": "text/html" } })),
  lasting("200 with JSON in one piece", () => status(200, { body: '{"type":"message","content":[]}' })),
  lasting("200 with an error as JSON", () => status(200, { body: '{"error":{"message":"no such route"}}' })),
  lasting("headers of a megabyte", (turn) => ({ turn, headers: { "x-huge": "x".repeat(1 << 20) } })),
];

const connections: FaultCase[] = [
  ...passing("connection closed before an answer", () => ({ fault: { kind: "reset" } })),
  ...passing("connection closed in the head of the stream", (turn) => ({ turn, fault: { kind: "cut", bytes: 40 } })),
  ...passing("connection reset within the first block", (turn, n) => {
    const bytes = events(turn, n)
      .slice(0, 3)
      .map((e) => JSON.stringify(e.data).length + e.event.length + 16);
    const sum = bytes.reduce((a, b) => a + b, 0);
    return { turn, fault: { kind: "cut", bytes: sum, hard: true } };
  }),
  ...passing("empty stream", (turn) => ({ turn, fault: { kind: "end", after: 0 } })),
  ...passing("stream ends within a block", (turn) => ({ turn, fault: { kind: "end", after: 4 } })),
  ...passing("rubbish instead of a stream", () =>
    status(200, { body: "\u0001\u0002 no stream", headers: { "content-type": "text/event-stream" } }),
  ),
  ...passing("gzip that is none", (turn) => ({ turn, headers: { "content-encoding": "gzip" } })),
  ...passing("an event that is no JSON", (turn, n) => ({
    events: events(turn, n).toSpliced(3, 0, { event: "content_block_delta", data: undefined }),
  })),
  ...passing("an event that is null", (turn, n) => ({
    events: events(turn, n).toSpliced(3, 0, { event: "content_block_delta", data: null }),
  })),
  ...passing("no answer at all", (turn) => ({ turn, firstByteMs: 60_000 }), { hasty: true }),
  ...passing("open and silent", (turn) => ({ turn, fault: { kind: "stall", after: 4 } }), { hasty: true }),
  ...passing("open, pings alone", (turn) => ({ turn, fault: { kind: "stall", after: 4, ping: 100 } }), { hasty: true }),
  ...STREAM_ERRORS.flatMap((type) =>
    passing(`error event ${type}`, (turn) => ({ turn, fault: { kind: "error-event", type, after: 4 } })),
  ),
  ...LASTING_ERRORS.map((type) =>
    lasting(`error event ${type}`, (turn) => ({ turn, fault: { kind: "error-event", type, after: 4 } })),
  ),
  ...passing("two replies in one stream", (turn, n) => ({
    events: [...events(turn, n).slice(0, 4), ...events(turn, n)],
  })),
  ...passing("an input whose call never began", (turn, n) => ({
    events: after(
      events(turn, n),
      "message_start",
      sse("content_block_delta", { index: 7, delta: { type: "input_json_delta", partial_json: "{}" } }),
    ),
  })),
];

const BRAND_NEW = { type: "brand_new_tool_result", body: "a", n: 1 };
const shapes: FaultCase[] = [
  harmless("no message_stop", without("message_stop")),
  harmless("no message_delta", without("message_delta")),
  harmless("no content_block_stop", without("content_block_stop")),
  harmless("no ping, no usage", (all) =>
    all.flatMap((e) => (e.event === "ping" ? [] : [e.event === "message_delta" ? withoutUsage(e) : e])),
  ),
  harmless("events of unknown kinds", (all) => all.flatMap((e) => [sse("brand_new", { x: 1 }), e])),
  harmless("unknown deltas", (all) =>
    after(all, "content_block_start", sse("content_block_delta", { index: 0, delta: { type: "new_delta", x: 1 } })),
  ),
  harmless("an unknown block with deltas of its own", (all) =>
    all.toSpliced(
      -2,
      0,
      sse("content_block_start", { index: 9, content_block: BRAND_NEW }),
      sse("content_block_delta", { index: 9, delta: { type: "brand_new_delta", body: "b" } }),
      sse("content_block_stop", { index: 9 }),
    ),
  ),
  harmless("deltas of a block that never began", (all) =>
    after(all, "message_start", sse("content_block_delta", { index: 8, delta: { type: "new_delta", x: "y" } })),
  ),
  harmless("a beginning told twice", (all) => after(all, "content_block_start", ...all.slice(2, 3))),
  harmless("one index for every block", (all) => all.map(onIndexNought)),
  harmless("message_delta ahead of the blocks", (all) => {
    const end = all.at(at(all, "message_delta"));
    return end === undefined ? all : after(without("message_delta")(all), "message_start", end);
  }),
  harmless("a block behind its own words", (all) => {
    const [from, to] = [at(all, "content_block_start"), at(all, "content_block_stop")];
    const start = all.slice(from, from + 1);
    return [...all.slice(0, from), ...all.slice(from + 1, to), ...start, ...all.slice(to)];
  }),
  harmless("words behind message_stop", (all) => [
    ...all,
    sse("content_block_delta", { index: 0, delta: { type: "text_delta", text: "more" } }),
  ]),
  harmless("content-type text/plain", (all) => all, { headers: { "content-type": "text/plain" } }),
  harmless("bytes one by one", (all) => all, { chunk: 1 }),
  harmless("a slow first byte", (all) => all, { firstByteMs: 300 }),
  harmless("open behind message_stop", (all) => all, { fault: { kind: "stall", after: 999 } }),
];

const LONG = "All of this is said at length. ".repeat(150);
const CALL = { name: "Read", input: { file_path: "a.txt" } };
const ends: FaultCase[] = [
  { id: "max_tokens in text", answers: () => [{ turn: { text: "The beginning, ", stopReason: "max_tokens" } }] },
  { id: "max_tokens in a thought", answers: () => [{ turn: { thinking: "Let me see", stopReason: "max_tokens" } }] },
  {
    id: "max_tokens in a thought, twice",
    answers: () => [1, 2].map(() => ({ turn: { thinking: "Let me see", stopReason: "max_tokens" } })),
    ends: "api-error",
  },
  {
    id: "max_tokens in text, for good",
    answers: () => [{ turn: { text: "More and more. ", stopReason: "max_tokens" } }],
    stays: true,
    ends: "token-limit",
  },
  {
    id: "max_tokens in a call",
    answers: () => [
      { turn: { calls: [{ name: "Write", broken: '{"file_path":"b.txt","content":"ha' }], stopReason: "max_tokens" } },
    ],
  },
  {
    id: "max_tokens ahead of a call's input",
    answers: () => [{ turn: { calls: [{ name: "Read", broken: "" }], stopReason: "max_tokens" } }],
  },
  { id: "a call's input that is cut", answers: () => [{ turn: { calls: [{ name: "Read", broken: '{"file_pa' }] } }] },
  { id: "pause_turn", answers: () => [{ turn: { text: "One moment.", stopReason: "pause_turn" } }] },
  { id: "pause_turn without a word", answers: () => [{ turn: { stopReason: "pause_turn" } }] },
  { id: "refusal", answers: () => [{ turn: { text: "I would", stopReason: "refusal" } }], ends: "refused" },
  { id: "refusal with calls", answers: () => [{ turn: { calls: [CALL], stopReason: "refusal" } }], ends: "refused" },
  {
    id: "model_context_window_exceeded",
    answers: () => [{ turn: { text: "And", stopReason: "model_context_window_exceeded" } }],
    ends: "context-limit",
    length: true,
  },
  {
    id: "an unknown stop reason",
    answers: () => [{ turn: { text: "And", stopReason: "tea_break" } }],
    ends: "api-error",
  },
  { id: "an empty reply", answers: () => [{ turn: {} }] },
  { id: "a blank reply", answers: () => [{ turn: { text: " \n\t" } }] },
  { id: "an empty reply, twice", answers: () => [{ turn: {} }, { turn: {} }], ends: "api-error" },
  { id: "a blank reply, twice", answers: () => [{ turn: { text: "\n" } }, { turn: { text: " " } }], ends: "api-error" },
  {
    id: "two calls with one id",
    answers: () => [
      {
        turn: {
          calls: [
            { ...CALL, id: "toolu_same" },
            { ...CALL, id: "toolu_same" },
          ],
        },
      },
    ],
  },
  {
    id: "cut behind a whole call",
    answers: (_, n) => {
      const turn = { thinking: "Hm.", text: "I look.", calls: [CALL, { name: "Glob", input: { pattern: "*" } }] };
      const all = events(turn, n);
      return [{ turn, fault: { kind: "end", after: all.findLastIndex((e) => e.event === "content_block_start") } }];
    },
  },
  {
    id: "cut in a long text",
    answers: (_, n) => {
      const turn = { thinking: "Hm.", text: LONG, piece: 500 };
      return [{ turn, fault: { kind: "end", after: events(turn, n).length - 3 } }];
    },
  },
  {
    id: "cut in a long text, for good",
    answers: (_, n) => {
      const turn = { text: LONG, piece: 500 };
      return [{ turn, fault: { kind: "end", after: events(turn, n).length - 3 } }];
    },
    stays: true,
    ends: "api-error",
  },
];

function withoutUsage({ event, data }: SseEvent): SseEvent {
  return { event, data: { ...Object(data), usage: undefined } };
}

function onIndexNought({ event, data }: SseEvent): SseEvent {
  return { event, data: "index" in Object(data) ? { ...Object(data), index: 0 } : data };
}

export const FAULTS: readonly FaultCase[] = [...statuses, ...connections, ...shapes, ...ends];
