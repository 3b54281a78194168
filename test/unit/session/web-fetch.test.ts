import { createServer, type IncomingMessage } from "node:http";
import { describe, expect, it, onTestFinished } from "vitest";
import { textOf } from "../../../src/events/block.ts";
import { isFact } from "../../../src/events/event.ts";
import type { Answer } from "../../../src/permissions/asker.ts";
import { scriptedModel } from "../../../src/model/scripted.ts";
import { listen } from "../../support/net.ts";
import { answers, collect, openAt, place } from "../../support/session.ts";

const get = (url: string) => ({ calls: [{ name: "WebFetch", input: { url } }] });

/** A session whose web is a proxy of the person's that answers every page with its address. */
async function open(urls: readonly string[], mode: "plan" | "ask" | "auto", ...said: (Answer | "yes" | "no")[]) {
  const seen: string[] = [];
  const server = createServer((request: IncomingMessage, response) => {
    seen.push(request.url ?? "");
    response.setHeader("content-type", "text/plain").end(`page ${request.url ?? ""}`);
  });
  const proxy = await listen(server);
  onTestFinished(() => proxy.close());
  const asker = answers(...said);
  const session = await openAt(place(), {
    model: scriptedModel({ turns: [...urls.map(get), { text: "end" }] }),
    asker,
    more: {
      mode,
      machine: {
        env: { PATH: "/usr/bin:/bin", HTTP_PROXY: `http://127.0.0.1:${proxy.port}` },
        home: "/nowhere",
        uid: process.getuid?.() ?? 0,
        gid: process.getgid?.() ?? 0,
        platform: process.platform,
        arch: process.arch,
      },
    },
  });
  const { events } = await collect(session.submit("go"));
  const results = events.filter(isFact).flatMap((e) => (e.type === "call.finished" ? [textOf(e.content)] : []));
  await session.close();
  return { seen, asker, results, events };
}

describe("WebFetch in a session", () => {
  it.each(["ask", "auto"] as const)("P3: in %s mode each page asks, and a no sends nothing", async (mode) => {
    const { seen, asker, results } = await open(["http://h.example/a?secret=1"], mode, {
      kind: "no",
      note: "not there",
    });
    expect(seen).toEqual([]);
    expect(asker.asked.map((q) => [q.effect.subject, q.decision.risk])).toEqual([
      ["http://h.example/a?secret=1", "high"],
    ]);
    expect(results[0]).toContain("not there");
  });
  it("P1: in plan mode it is denied unasked", async () => {
    const { seen, asker } = await open(["http://h.example/a"], "plan", "yes");
    expect([seen, asker.asked.length]).toEqual([[], 0]);
  });
  it("P3: a host allowed for the session from the question is asked about once; another, or another port, anew", async () => {
    const rule = "WebFetch(http://h.example)";
    const { seen, asker, results } = await open(
      ["http://h.example/a", "http://h.example/b", "http://h.example:81/c", "http://other.example/d"],
      "ask",
      { kind: "yes", remember: { scope: "session", rule } },
      "yes",
      { kind: "no", note: "no more" },
    );
    expect(asker.asked.map((q) => q.effect.subject)).toEqual([
      "http://h.example/a",
      "http://h.example:81/c",
      "http://other.example/d",
    ]);
    expect(seen).toEqual(["http://h.example/a", "http://h.example/b", "http://h.example:81/c"]);
    expect(results.slice(0, 2)).toEqual(["page http://h.example/a", "page http://h.example/b"]);
  });
  it("E3: what was reached is a side effect in the log, which no undo takes back", async () => {
    const { events } = await open(["http://h.example/a"], "ask", "yes");
    expect(JSON.stringify(events.filter((e) => isFact(e) && e.type === "call.finished"))).toContain('"kind":"network"');
  });
});
