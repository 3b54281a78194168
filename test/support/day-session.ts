import { readdirSync, readFileSync } from "node:fs";
import { openSession, toEnd } from "../../src/index.ts";
import { libraryOptions } from "./library.ts";
import type { Place } from "./open-at.ts";

// Started as a process by `day.ts`: messages of ten turns each, /clear now and then as a person does. What it holds is a line of JSON each so
// many turns, and at the end.
const { at, turns } = JSON.parse(process.argv[2] ?? "") as { at: Place; turns: number };
const MESSAGES_TO_CLEAR = 5;
const EACH = Math.max(20, turns / 50);

const options = libraryOptions(at);
const session = await openSession({
  ...options,
  env: { ...options.env, ANTHROPIC_BASE_URL: process.env["ANTHROPIC_BASE_URL"], ANTHROPIC_API_KEY: "sk-test" },
  model: "claude-day",
  mode: "auto",
});

/** What is left when all that can go has gone. */
function look() {
  globalThis.gc?.();
  globalThis.gc?.();
  const { heapUsed, external, rss } = process.memoryUsage();
  const { user, system } = process.cpuUsage();
  const [handles, children] = [linuxOnly(() => readdirSync("/proc/self/fd").length), linuxOnly(childrenOf)];
  return { heap: heapUsed + external, rss, cpuMs: (user + system) / 1000, handles, children };
}
function childrenOf(): number {
  const of = (task: string) => readFileSync(`/proc/self/task/${task}/children`, "utf8").split(" ").length - 1;
  return readdirSync("/proc/self/task").reduce((sum, task) => sum + of(task), 0);
}
function linuxOnly(count: () => number): number {
  return process.platform === "linux" ? count() : 0;
}

for (let message = 1, done = 0; done < turns; message++) {
  const result = await toEnd(session.submit(`message ${message}`));
  if (result.reason !== "done") throw new Error(JSON.stringify(result));
  done += result.turns;
  if (message % MESSAGES_TO_CLEAR === 0) await session.clear();
  if (done % EACH === 0) console.log(JSON.stringify({ turns: done, ...look() }));
}
const { usd } = session.cost();
const [usage] = session.state().usage.values();
await session.close();
console.log(JSON.stringify({ usd, usage, ...look() }));
