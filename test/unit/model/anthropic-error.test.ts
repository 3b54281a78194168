import { APIConnectionError, APIError, APIUserAbortError } from "@anthropic-ai/sdk";
import { describe, expect, it } from "vitest";
import { faultOf, type Asked } from "../../../src/model/anthropic-error.ts";
import { CutError, StalledError } from "../../../src/model/stream-error.ts";

const asked: Asked = { model: "claude-x", apiKey: "CANARY-KEY", now: 0 };
const status = (code: number, message = "it said so", headers: Record<string, string> = {}) =>
  APIError.generate(code, { type: "error", error: { type: "x", message } }, undefined, new Headers(headers));
const inStream = (type: string) =>
  new APIError(
    undefined,
    { type: "error", error: { type, message: "it said so" } },
    undefined,
    new Headers(),
    undefined,
  );
const system = (code: string, message: string) => Object.assign(new Error(message), { code });
const unreachable = (cause: Error) =>
  new APIConnectionError({ message: "Connection error.", cause: new TypeError("fetch failed", { cause }) });

describe("S10: faults in one readable line", () => {
  it.each([
    [400, "bad-request", /refused the request: it said so/],
    [401, "auth", /refused the key: it said so\. Set ANTHROPIC_API_KEY/],
    [402, "auth", /Check what the key may do/],
    [403, "auth", /doesn't allow this/],
    [404, "not-found", /doesn't know the model claude-x: .*--model/],
    [413, "too-long", /\/clear/],
    [422, "bad-request", /refused/],
    [418, "server", /418/],
  ] as const)("%i is told at once", (code, kind, words) => {
    const fault = faultOf(status(code), asked);
    expect(fault).toMatchObject({ kind, retryable: false });
    expect(fault.message).toMatch(words);
  });

  it.each([
    [408, "server"],
    [409, "server"],
    [429, "rate-limit"],
    [500, "server"],
    [502, "server"],
    [503, "server"],
    [529, "overloaded"],
  ] as const)("%i is tried again", (code, kind) => {
    expect(faultOf(status(code), asked)).toMatchObject({ kind, retryable: true });
    expect(faultOf(status(code, "no", { "retry-after": "7" }), asked).retryAfterMs).toBe(7000);
  });

  it("bodies that are none, or web pages, are no noise", () => {
    const page = "<!doctype html><html><head><title>Sign\n in</title></head><body>x</body></html>";
    const of = (code: number, body: string) =>
      faultOf(APIError.generate(code, undefined, body, new Headers()), asked).message;
    expect(of(503, page)).toContain('(503): it answered with a web page, "Sign in"');
    expect(of(500, "<html></html>")).toContain("(500): it answered with a web page");
    expect(of(500, "status code (no body)")).toContain("it gave no reason");
    expect(of(500, "plain words")).toBe("the Messages API has a fault (500): plain words");
  });

  it("a redirect, and headers without end, are told at once", () => {
    expect(faultOf(status(307), asked)).toMatchObject({ retryable: false, kind: "not-found" });
    expect(faultOf(status(302), asked).message).toContain("Check ANTHROPIC_BASE_URL");
    const huge = faultOf(unreachable(system("UND_ERR_HEADERS_OVERFLOW", "Headers Overflow Error")), asked);
    expect(huge).toMatchObject({ retryable: false });
    expect(huge.message).toContain("headers that are too large");
  });

  it("what can't be unpacked or read is tried again", () => {
    const zip = faultOf(
      new TypeError("terminated", { cause: system("Z_DATA_ERROR", "incorrect header check") }),
      asked,
    );
    expect(zip).toMatchObject({ retryable: true, message: "The reply could not be unpacked: incorrect header check." });
    expect(faultOf(new SyntaxError("Unexpected token"), asked)).toMatchObject({ retryable: true, kind: "network" });
  });

  it("what the server says about repeating counts", () => {
    expect(faultOf(status(529, "no", { "x-should-retry": "false" }), asked).retryable).toBe(false);
    expect(faultOf(status(400, "no", { "x-should-retry": "true" }), asked).retryable).toBe(true);
  });

  it.each([
    ["invalid_request_error", "bad-request", false],
    ["authentication_error", "auth", false],
    ["billing_error", "auth", false],
    ["permission_error", "auth", false],
    ["not_found_error", "not-found", false],
    ["request_too_large", "too-long", false],
    ["rate_limit_error", "rate-limit", true],
    ["overloaded_error", "overloaded", true],
    ["api_error", "server", true],
    ["timeout_error", "server", true],
    ["brand_new_error", "server", true],
  ] as const)("%s inside a stream", (type, kind, retryable) => {
    expect(faultOf(inStream(type), asked)).toMatchObject({ kind, retryable });
  });

  it("a conversation that is too long is told from other bad requests", () => {
    const fault = faultOf(status(400, "prompt is too long: 210000 tokens > 200000 maximum"), asked);
    expect(fault).toMatchObject({ kind: "too-long", retryable: false });
    expect(fault.message).toContain("/clear");
  });

  it("networks: refused and lost are tried again, addresses and certificates that are wrong are not", () => {
    const local = { ...asked, baseUrl: "http://user:secret@localhost:9/v1" };
    const refused = faultOf(
      unreachable(new AggregateError([system("ECONNREFUSED", "connect ECONNREFUSED ::1:9")], "")),
      local,
    );
    expect(refused).toMatchObject({ kind: "network", retryable: true });
    expect(refused.message).toContain("localhost:9: connect ECONNREFUSED ::1:9. Check");
    expect(refused.message).not.toContain("secret");
    expect(faultOf(unreachable(system("ENOTFOUND", "getaddrinfo ENOTFOUND x")), asked).retryable).toBe(true);
    const untrusted = faultOf(
      unreachable(system("SELF_SIGNED_CERT_IN_CHAIN", "self-signed certificate in chain")),
      local,
    );
    expect(untrusted.retryable).toBe(false);
    expect(untrusted.message).toContain("NODE_EXTRA_CA_CERTS");
    const url = faultOf(Object.assign(new TypeError("Invalid URL"), { code: "ERR_INVALID_URL" }), {
      ...asked,
      baseUrl: "nonsense",
    });
    expect(url.retryable).toBe(false);
    expect(url.message).toContain('"nonsense"');
    expect(faultOf(new TypeError("terminated", { cause: new Error("other side closed") }), asked)).toEqual({
      kind: "network",
      message: "The reply broke off: other side closed.",
      retryable: true,
    });
  });

  it("own words pass, and an abort is no fault", () => {
    expect(faultOf(new StalledError("No word."), asked)).toMatchObject({ kind: "stalled", retryable: true });
    expect(faultOf(new CutError("Cut."), asked)).toMatchObject({ kind: "network", retryable: true });
    expect(faultOf(new APIUserAbortError(), asked)).toMatchObject({ kind: "aborted", retryable: false });
    expect(faultOf("a string", asked).message).toBe("The reply broke off: a string.");
  });

  it("E1: the key is in no message, and a message is one line", () => {
    const { message } = faultOf(status(401, "bad key CANARY-KEY\nsecond line"), asked);
    expect(message).not.toContain("CANARY");
    expect(message).toContain("bad key [the key]");
    const page = APIError.generate(502, undefined, "<html>\n<body>Bearer CANARY-KEY</body>", new Headers());
    expect(faultOf(page, asked).message).toMatch(/^[^\n]*$/);
    expect(
      faultOf(new Error("CANARY-KEY"), { ...asked, apiKey: "other", authToken: "CANARY-KEY" }).message,
    ).not.toContain("CANARY");
  });
});
