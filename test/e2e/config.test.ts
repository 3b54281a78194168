import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { runAgent } from "../support/run-agent.ts";
import { place } from "../support/session.ts";

it("U6: agent config sets, shows with file and line, and takes out again; comments stay, and what can't be is not written", async () => {
  const at = place("config");
  const file = join(at.config, "settings.json");
  writeFileSync(file, '{\n  // mine\n  "mode": "plan",\n}\n');
  const config = (...args: string[]) => runAgent(at, ["config", ...args]);
  expect(await config("set", "mode", "auto")).toMatchObject({ code: 0 });
  const wrong = await config("set", "mode", "wild");
  expect([wrong.code, wrong.out]).toEqual([2, ""]);
  expect(readFileSync(file, "utf8")).toBe('{\n  // mine\n  "mode": "auto",\n}\n');
  expect((await config("get", "mode")).out).toBe(`mode = "auto"  (yours, ${file}:3)\n`);
  expect(await config("unset", "mode")).toMatchObject({ code: 0 });
  expect((await config()).out).toBe("Nothing is set. agent config set KEY VALUE sets something.\n");
});
