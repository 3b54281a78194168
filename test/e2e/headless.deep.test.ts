import { describe, expect, it } from "vitest";
import { pipeline } from "../support/pipeline.ts";
import { runAgent, scriptFile } from "../support/run-agent.ts";
import { place } from "../support/session.ts";

describe("U2: in a pipeline", { timeout: 120_000 }, () => {
  it("stdin closed is none: -p works, a stream of messages is empty", async () => {
    const at = place("headless");
    const model = scriptFile(at, { turns: [{ text: "here" }] });
    const run = await pipeline(
      at,
      `agent -p go --model '${model}' <&-; agent --input-format stream-json --model '${model}' <&-`,
    );
    expect([run.code, run.out, run.err]).toEqual([0, "here\n", ""]);
  });

  it.each([1 << 20, 10 << 20])("an answer of %d bytes reaches a slow reader whole", async (size) => {
    const at = place("headless");
    const model = scriptFile(at, { turns: [{ text: "é".repeat(size / 2) }] });
    const slow = `(sleep 1; while IFS= read -r -N 65536 part || [ -n "$part" ]; do printf %s "$part"; sleep 0.01; done)`;
    const run = await pipeline(at, `agent -p go --model '${model}' | ${slow} | wc -c`);
    expect([run.code, run.out.trim()]).toEqual([0, String(size + 1)]);
  });

  it("--session-id names the new session, once", async () => {
    const at = place("headless");
    const model = scriptFile(at, { turns: [{ text: "x" }], loop: true });
    const args = ["-p", "go", "--model", model, "--output-format", "json", "--session-id"];
    const first = await runAgent(at, [...args, "nightly-2026-12"]);
    expect(JSON.parse(first.out)).toMatchObject({ session_id: "nightly-2026-12", reason: "done" });
    const again = await runAgent(at, [...args, "nightly-2026-12"]);
    expect([again.code, again.out]).toEqual([2, ""]);
    expect(again.err).toContain("--resume nightly-2026-12 goes on with it");
    const wrong = await runAgent(at, [...args, "../../etc"]);
    expect([wrong.code, wrong.err]).toEqual([
      2,
      expect.stringContaining("--session-id ../../etc: it has to be 8 to 64 letters"),
    ]);
  });
});
