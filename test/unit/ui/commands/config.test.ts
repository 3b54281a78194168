import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { CommandContext } from "../../../../src/ui/commands/command.ts";
import { configCommand } from "../../../../src/ui/commands/config.ts";
import { openAt, place } from "../../../support/session.ts";

it("U6: /config shows what is set with its file, sets and takes out as agent config does, and refuses what can't be", async () => {
  const at = place("config");
  const file = join(at.config, "settings.json");
  writeFileSync(file, '{\n  // mine\n  "mode": "plan"\n}\n');
  const session = await openAt(at, {});
  const config = async (args: string): Promise<string> => {
    const said: string[] = [];
    const say: CommandContext["say"] = (rows) =>
      void said.push(...rows(500).map((row) => row.map(({ text }) => text).join("")));
    await configCommand
      .run(args, { session, say } as unknown as CommandContext)
      .catch((e: Error) => said.push(e.message));
    return said.join("\n");
  };
  expect(await config("")).toBe(`mode = "plan"  (yours, ${file}:3)`);
  expect(await config("set limits.tokens 5000")).toMatch(/^limits\.tokens is set in .*settings\.json\. New sessions/);
  expect(await config("limits.tokens")).toMatch(/^limits\.tokens = 5000 {2}\(yours, /);
  expect(await config("set mode wild")).toMatch(/^mode: .* \(nothing was written\)$/);
  expect(await config("set nope 1")).toMatch(/^there is no key nope; there are /);
  expect(await config("set moed plan")).toBe("there is no key moed; did you mean mode?");
  expect(await config("unset limits")).toMatch(/^limits is no longer set/);
  expect(await config("set effort high --here")).toMatch(/projects/);
  expect(await config("effort")).toMatch(/yours, for this folder/);
  expect(await config("set mode")).toMatch(/^\/config lists what is set/);
  expect(await config("theme")).toBe("theme is not set.");
  expect(readFileSync(file, "utf8")).toBe('{\n  // mine\n  "mode": "plan"\n}\n');
  await session.close();
});
