import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { talkingModel, taskCall } from "../../support/agents.ts";
import { hookScript, hooksFrom, oneHook } from "../../support/hooks.ts";
import { collect, openAt, place } from "../../support/session.ts";

it("H1: hooks run inside of sub-agents, SubagentStart and SubagentStop among them, and what one denies is denied there", async () => {
  const at = place();
  const dir = join(at.home, "hooks");
  mkdirSync(dir);
  const told = join(dir, "told");
  const write = hookScript(dir, "tell.sh", `cat >> ${told}; echo >> ${told}`);
  const deny = hookScript(dir, "deny.sh", `cat >> ${told}; echo >> ${told}; echo not here >&2; exit 2`);
  const hooks = {
    ...(oneHook("SubagentStart", write) as object),
    ...(oneHook("SubagentStop", write) as object),
    ...(oneHook("SessionStart", write) as object),
    ...(oneHook("UserPromptSubmit", write) as object),
    ...(oneHook("PreToolUse", deny, { matcher: "Write" }) as object),
  };
  const model = talkingModel(({ agent, turn, results }) => {
    if (agent === "") return turn === 0 ? { calls: [taskCall("general", "write it")] } : { text: results.join() };
    return turn === 0
      ? { calls: [{ name: "Write", input: { file_path: "a.txt", content: "x" } }] }
      : { text: `the hook said: ${results.join()}` };
  });
  const session = await openAt(at, { model, more: { mode: "auto", hooks: hooksFrom(hooks) } });
  const { result } = await collect(session.submit("go"));
  await session.close();
  expect(result.text).toContain("not here");
  expect(existsSync(join(at.folder, "a.txt"))).toBe(false);
  const lines = readFileSync(told, "utf8")
    .split("\n")
    .filter((line) => line.trim() !== "");
  const events = lines.map((line) => JSON.parse(line) as Record<string, string>);
  expect(events.map((e) => e["hook_event_name"])).toEqual([
    "SessionStart",
    "UserPromptSubmit",
    "SubagentStart",
    "PreToolUse",
    "SubagentStop",
  ]);
  const inside = events.slice(2);
  expect(inside.map((e) => [e["agent_id"], e["agent_type"]])).toEqual(
    inside.map(() => [`${session.id}-a1`, "general"]),
  );
  expect(inside.at(-1)?.["last_assistant_message"]).toContain("the hook said");
});
