import { join } from "node:path";
import { expect, it } from "vitest";
import { loadKey } from "../../../src/events/key.ts";
import { loadLog } from "../../../src/events/load.ts";
import { scriptOf } from "../../../src/session/replay-script.ts";
import { factText } from "../../../src/session/trace-facts.ts";
import { builtinTools } from "../../../src/tools/builtin.ts";
import { talkingModel, taskCall } from "../../support/agents.ts";
import { collect, openAt, place } from "../../support/session.ts";

it("E5, C5: a check plays a session up to its sub-agents, and says that these are not done again", async () => {
  const at = place();
  const model = talkingModel(({ agent, turn }) => {
    if (agent !== "") return { text: "found" };
    return [
      { calls: [{ name: "Glob", input: { pattern: "*" } }] },
      { calls: [taskCall("explore", "look")] },
      { text: "ok" },
    ][turn];
  });
  const session = await openAt(at, { model });
  await collect(session.submit("go"));
  await session.close();
  const stored = {
    sessionsDir: join(at.state, "sessions"),
    contentDir: join(at.state, "content"),
    key: loadKey(join(at.config, "key")),
  };
  const { events, state } = await loadLog({ ...stored, sessionId: session.id });
  const script = scriptOf(events, new Set(builtinTools.map((tool) => tool.name)));
  expect(script.cut?.why).toContain("sub-agents");
  expect(script.events.some((e) => e.type === "call.finished")).toBe(true);
  const told = events.flatMap((event) => factText(event) ?? []);
  expect(told.filter((line) => line.startsWith(`agent ${session.id}-a1`))).toHaveLength(2);
  // Each log vouches for the other.
  const child = await loadLog({ ...stored, sessionId: `${session.id}-a1` });
  const [opened] = child.events;
  expect(opened).toMatchObject({ type: "session.opened", parent: { sessionId: session.id } });
  expect(events.find((e) => e.type === "agent.ended")).toMatchObject({ head: child.state.mac });
  expect(state.agents).toMatchObject([{ ended: "done" }]);
});
