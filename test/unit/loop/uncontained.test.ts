import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { text } from "../../../src/events/block.ts";
import type { Mode } from "../../../src/events/effect.ts";
import { answers, collect, openAt, place } from "../../support/session.ts";

async function run(mode: Mode, answer: "yes" | "no") {
  const at = place();
  const asker = answers(answer);
  const script = { turns: [{ calls: [{ name: "Bash", input: { command: "touch made" } }] }, { text: "ok" }] };
  const machine = {
    env: { PATH: "/usr/bin:/bin" },
    home: at.home,
    uid: process.getuid?.() ?? 0,
    gid: process.getgid?.() ?? 0,
    platform: process.platform,
    arch: process.arch,
    sandboxes: [],
  };
  const session = await openAt(at, { script, asker, more: { mode, machine } });
  const { sandbox } = session;
  await collect(session.submit([text("go")], new AbortController().signal));
  await session.close();
  return { asked: asker.asked.length, made: existsSync(join(at.folder, "made")), sandbox };
}

describe("where no copy can be had", () => {
  it("P10: every command asks before it runs, in auto mode too; in plan mode it is denied", async () => {
    expect(await run("ask", "no")).toMatchObject({ asked: 1, made: false, sandbox: { contained: false } });
    expect(await run("auto", "no")).toMatchObject({ asked: 1, made: false });
    expect(await run("ask", "yes")).toMatchObject({ asked: 1, made: true });
    expect(await run("plan", "yes")).toMatchObject({ asked: 0, made: false });
  });
});
