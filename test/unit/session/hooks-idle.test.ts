import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { Clock } from "../../../src/util/deps.ts";
import { systemClock } from "../../../src/util/system.ts";
import { hooksFrom, oneHook } from "../../support/hooks.ts";
import { collect, openAt, place } from "../../support/session.ts";

/** A clock whose sleeps of ten seconds and more end when the test says so. */
function stoppedClock() {
  let ahead = 0;
  const open = new Set<{ ms: number; wake: () => void }>();
  const clock: Clock = {
    now: () => systemClock.now() + ahead,
    sleep(ms, signal) {
      if (ms < 10_000) return systemClock.sleep(ms, signal);
      return new Promise((resolve) => {
        const wake = (): void => {
          open.delete(one);
          resolve();
        };
        const one = { ms, wake };
        if (signal?.aborted !== true) open.add(one);
        else resolve();
        signal?.addEventListener("abort", wake);
      });
    },
  };
  return { clock, open, pass: (ms: number) => void (ahead += ms) };
}

it("H1: who does nothing for a minute after a message is waited for; keys put it off, the next message and the end call it off", async () => {
  const at = place();
  const log = join(at.home, "told");
  const { clock, open, pass } = stoppedClock();
  const hooks = hooksFrom(oneHook("Notification", `cat >> ${log}; echo >> ${log}`));
  const script = { turns: [{ text: "one" }, { text: "two" }, { text: "three" }] };
  const session = await openAt(at, { script, more: { hooks, clock } });
  const told = () => (existsSync(log) ? readFileSync(log, "utf8").trim().split("\n").filter(Boolean) : []);
  /** The next wait for the person is over, `ms` after it began; answers how long it was to be. */
  const passed = async (ms: number): Promise<number> => {
    await expect.poll(() => open.size).toBe(1);
    const [wait] = open;
    pass(ms);
    wait?.wake();
    return Math.round((wait?.ms ?? 0) / 1000);
  };

  await collect(session.submit("first"));
  // Nobody is told at the end of the message, but a minute later.
  await expect.poll(() => open.size).toBe(1);
  expect(told()).toEqual([]);
  pass(40_000);
  session.hooks.stirred();
  expect(await passed(20_000)).toBe(60);
  // A key in the fortieth second: forty are left.
  expect(await passed(40_000)).toBe(40);
  await expect.poll(told, { timeout: 30_000 }).toHaveLength(1);
  expect(JSON.parse(told()[0] ?? "")).toMatchObject({
    hook_event_name: "Notification",
    notification_type: "idle_prompt",
    message: "Waits for you (done)",
  });

  await collect(session.submit("second"));
  await expect.poll(() => open.size).toBe(1);
  await collect(session.submit("third"));
  await expect.poll(() => open.size).toBe(1);
  await session.close();
  expect(open.size).toBe(0);
  expect(told()).toHaveLength(1);
}, 240_000);
