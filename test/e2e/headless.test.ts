import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { runAgent, scriptFile } from "../support/run-agent.ts";
import { pipeline } from "../support/pipeline.ts";
import { missingTool, needs } from "../support/runnable.ts";
import { place } from "../support/session.ts";
import { repo } from "../support/workspace-step.ts";

const SCHEMA = { type: "object", properties: { n: { type: "integer" } }, required: ["n"], additionalProperties: false };

describe("U2: in a pipeline", { timeout: 60_000 }, () => {
  it("git diff | agent --json-schema | node: pure JSON, checked, asked for again", async (ctx) => {
    needs(ctx, missingTool("git"));
    const at = place("headless");
    repo(at.folder);
    writeFileSync(join(at.folder, "new.txt"), "new\n");
    writeFileSync(join(at.config, "schema.json"), JSON.stringify(SCHEMA));
    const model = scriptFile(at, { turns: [{ text: "one file" }, { text: '{"n":1}' }] });
    const run = await pipeline(
      at,
      `git add -N . && git diff | agent -p "count" --model '${model}' --output-format json --json-schema "$UNDERSTUDY_CONFIG/schema.json" | "$NODE" -e 'console.log(JSON.parse(require("fs").readFileSync(0)).structured_output.n)'`,
    );
    expect([run.code, run.out, run.err]).toEqual([0, "1\n", ""]);
    const [log = ""] = readdirSync(join(at.state, "understudy/sessions")).filter((name) => name.endsWith(".jsonl"));
    const said = readFileSync(join(at.state, "understudy/sessions", log), "utf8");
    expect(said).toContain("+new");
    expect(said).toContain('additionalProperties\\":false');
  });

  it("a text answer of a schema is the value alone; one that never fits is 1, and stdout empty", async () => {
    const at = place("headless");
    const args = ["-p", "go", "--json-schema", JSON.stringify(SCHEMA)];
    const fits = scriptFile(at, { turns: [{ text: '```\n{ "n": 4 }\n```' }] });
    const good = await runAgent(at, [...args, "--model", fits]);
    expect([good.code, good.out]).toEqual([0, '{"n":4}\n']);
    const never = scriptFile(at, { turns: [{ text: "no" }], loop: true }, "never.json");
    const bad = await runAgent(at, [...args, "--model", never]);
    expect([bad.code, bad.out]).toEqual([1, ""]);
    expect(bad.err).toContain("no answer that fits the schema after 4 tries");
  });

  it("yes | agent | head: the reader that leaves ends it with 141, quietly", async () => {
    const at = place("headless");
    const model = scriptFile(at, { turns: [{ text: "x ".repeat(20_000) }], loop: true });
    const line = `yes '{"type":"message","content":"go"}' 2>/dev/null | agent --input-format stream-json --output-format stream-json --model '${model}' | head -n 3 | wc -l; echo "\${PIPESTATUS[*]}"`;
    const run = await pipeline(at, line);
    expect(run.out).toMatch(/^3\n/);
    expect(run.out.trim().split(/\s+/).slice(-3)).toEqual(["141", "0", "0"]);
    expect(run.err).toBe("");
  });
});
