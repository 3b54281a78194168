import { describe, expect, it } from "vitest";
import { runAgent, scriptFile } from "../support/run-agent.ts";
import { needs } from "../support/runnable.ts";
import { place } from "../support/session.ts";

describe("folders of the program's own", () => {
  it("E4: where none can be made, below /proc too, the program says so and ends", { timeout: 60_000 }, async (ctx) => {
    needs(ctx, process.platform === "linux" ? undefined : "no /proc");
    const at = place("own");
    const model = scriptFile(at, { turns: [{ text: "x" }] });
    for (const dir of ["/proc/nowhere", "/proc/self/nowhere/deeper"]) {
      const run = await runAgent(at, ["-p", "go", "--model", model], { XDG_STATE_HOME: dir, HOME: dir });
      expect(run.code).toBe(2);
      expect(run.err).toMatch(/^agent: Can't use \/proc\/\S+ for the program's own files: .*\n$/);
    }
  });
});
