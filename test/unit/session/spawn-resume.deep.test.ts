import { execFileSync } from "node:child_process";
import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { talkingModel, taskCall, type Asked, type Said } from "../../support/agents.ts";
import { collect, openAt, place } from "../../support/session.ts";

const never = () => new AbortController().signal;
const both = ["x", "y"];

it("C5, E3: agents that worked side by side when the program ended go on side by side", async () => {
  const at = place("side-by-side");
  const begun = new Set<string>();
  const say = (asked: Asked): Said => {
    if (asked.agent === "")
      return asked.turn === 0 ? { calls: both.map((n) => taskCall("explore", n)) } : { text: asked.results.join("\n") };
    begun.add(asked.task);
    return { text: `${asked.task} is done`, afterMs: 60_000 };
  };
  const stop = new AbortController();
  const first = await openAt(at, { model: talkingModel(say) });
  const run = collect(first.submit("go", stop.signal));
  await expect.poll(() => begun.size, { timeout: 30_000 }).toBe(2);
  // The state as a kill would leave it now.
  const left = `${at.state}-left`;
  execFileSync("cp", ["-a", at.state, left]);
  for (const name of readdirSync(left, { recursive: true, encoding: "utf8" }).filter((n) => n.endsWith(".lock")))
    rmSync(join(left, name), { recursive: true, force: true });
  stop.abort();
  await run;
  await first.close();
  // Each of the two waits until the other one was asked as well.
  const asked = new Set<string>();
  let all: () => void = () => undefined;
  const met = new Promise<void>((resolve) => (all = resolve));
  const model = talkingModel((now) => {
    if (now.agent === "") return { text: now.results.join("\n") };
    asked.add(now.task);
    if (asked.size === both.length) all();
    return { text: `${now.task} is done` };
  });
  const waiting: typeof model = {
    ...model,
    async *stream(request, signal) {
      const child = request.system.some((part) => part.text.includes("# You are the sub-agent"));
      const events = model.stream(request, signal);
      const step = await events[Symbol.asyncIterator]().next();
      if (child) await met;
      if (step.done !== true) yield step.value;
      yield* events;
    },
  };
  const again = await openAt({ ...at, state: left }, { model: waiting, more: { resume: first.id } });
  const { result } = await collect(again.goOn(never()));
  await again.close();
  expect(result.text).toContain("x is done");
  expect(result.text).toContain("y is done");
}, 40_000);
