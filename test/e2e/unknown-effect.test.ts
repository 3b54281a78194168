import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { listSessions } from "../../src/events/sessions.ts";
import { runAgent, scriptFile, startAgent } from "../support/run-agent.ts";
import { place } from "../support/session.ts";

describe("a command outside of the copy that was under way when the program was killed", () => {
  it(
    "E3, E6: is told as unknown to person and model, is not run again, and the log proves it",
    { timeout: 120_000 },
    async () => {
      const at = place("unknown");
      const done = join(at.home, "done.txt");
      const command = `echo done >> ${done}; sleep 20`;
      const turns = [
        { calls: [{ name: "Bash", input: { command, unsandboxed: true } }] },
        { text: "I looked: it had happened." },
      ];
      const args = ["--model", scriptFile(at, { turns }), "--mode", "auto", "--allow", `Unsandboxed(${command})`];
      const first = startAgent(at, ["-p", "go", ...args]);
      const deadline = Date.now() + 60_000;
      while (!existsSync(done) && Date.now() < deadline) await sleep(50);
      first.child.kill("SIGKILL");
      expect((await first.done).signal).toBe("SIGKILL");
      const id = listSessions(join(at.state, "understudy", "sessions"))[0]?.id ?? "";

      const open = await runAgent(at, ["trace", id, "--stable"]);
      expect(open.out.replaceAll(/\s+/g, " ")).toContain(
        "no result yet; if resumed, it would be told as unknown and not run again",
      );
      const second = await runAgent(at, ["-p", "--resume", id]);
      expect([second.code, second.out]).toEqual([0, "I looked: it had happened.\n"]);
      expect(second.err).toMatch(/^agent: unknown: Bash .*had begun outside the copy.*was not run again$/m);
      expect(readFileSync(done, "utf8")).toBe("done\n");
      const proof = await runAgent(at, ["trace", id, "--verify"]);
      expect([proof.code, proof.out]).toEqual([
        0,
        expect.stringContaining("1 of unknown effect, none of them repeated"),
      ]);
      expect(proof.out).toMatch(
        /^holds {2}outside: 1 call, 0 asked and answered yes, 1 lifted by rule: Unsandboxed\(/m,
      );
    },
  );
});
