import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { spansIn, startCollector } from "../support/otlp.ts";
import { RECORDINGS } from "../support/recorded.ts";
import { runAgent } from "../support/run-agent.ts";
import { place } from "../support/session.ts";

describe("E6: agent trace --otlp", () => {
  it("E6: sends the spans of a session to a collector, with the headers of the environment, and nothing of the key", async () => {
    const at = place("otlp");
    const collector = await startCollector({ status: 200, body: "{}" });
    const env = { OTEL_EXPORTER_OTLP_HEADERS: "x-tenant=a%20b", ANTHROPIC_API_KEY: "CANARY-KEY" };
    const sent = await runAgent(at, ["trace", join(RECORDINGS, "undo"), "--otlp", collector.url], env);
    expect([sent.code, sent.out, sent.err]).toEqual([0, "", expect.stringMatching(/^agent: \d+ spans sent to /)]);
    const [request] = collector.requests;
    expect([collector.requests.length, request?.path]).toEqual([1, "POST /v1/traces"]);
    expect(request?.headers).toMatchObject({ "content-type": "application/json", "x-tenant": "a b" });
    expect(spansIn(request?.body).map((s) => s.name)).toContain("execute_tool Write");
    expect(JSON.stringify(collector.requests)).not.toContain("CANARY-KEY");
  });
  it("E6: a collector that refuses them, or a part, is told with exit code 1; what is no address with 2", async () => {
    const at = place("otlp");
    const full = await startCollector({ status: 503, body: "too busy" });
    const refused = await runAgent(at, ["trace", join(RECORDINGS, "undo"), "--otlp", `${full.url}/v1/traces`]);
    expect([refused.code, refused.err]).toEqual([1, expect.stringContaining("did not take the spans: 503 too busy")]);
    const half = await startCollector({
      status: 200,
      body: '{"partialSuccess":{"rejectedSpans":"2","errorMessage":"old"}}',
    });
    const part = await runAgent(at, ["trace", join(RECORDINGS, "undo"), "--otlp", half.url]);
    expect([part.code, part.err]).toEqual([1, expect.stringContaining("2 of them were refused")]);
    const wrong = await runAgent(at, ["trace", join(RECORDINGS, "undo"), "--otlp", "spans.json"]);
    expect([wrong.code, wrong.err]).toEqual([2, expect.stringContaining("- for stdout")]);
  });
});
