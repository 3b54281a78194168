// `node scripts/record-answers.mjs RUN`: keeps the answers of a run (its folder, such as .../evals/ID) as `recorded.json` of each task, for
// `agent eval run SUITE --model recorded`. Of each task the first trial that has a verdict counts; what failed is kept too, since that is what was answered.
import { writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { sawOf } from "../src/evals/recorded-answers.ts";
import { readRun } from "../src/evals/run-folder.ts";
import { loadKey } from "../src/events/key.ts";
import { loadLog } from "../src/events/load.ts";
import { toMessages } from "../src/events/messages.ts";
import { initialState, reduce } from "../src/events/reduce.ts";

const [dir, suiteDir] = process.argv.slice(2);
if (dir === undefined) throw new Error("node scripts/record-answers.mjs RUN [SUITE]");
const { header, trials } = readRun(dir);
const seen = new Set();
for (const { taskId, outcome, log } of trials) {
  if (outcome === "infra" || seen.has(taskId)) continue;
  seen.add(taskId);
  const sessionsDir = join(dir, dirname(log));
  const sessionId = basename(log, ".jsonl");
  const key = loadKey(join(dir, "config", "key"));
  const loaded = await loadLog({ sessionsDir, contentDir: join(sessionsDir, "../content"), sessionId, key });
  let state = initialState(sessionId);
  const turns = [];
  for (const event of loaded.events) {
    if (event.type === "reply.completed") {
      const { blocks, usage, stopReason } = event;
      turns.push({ saw: sawOf(toMessages(state)), blocks, usage, stopReason });
    }
    state = reduce(state, event);
  }
  const file = join(suiteDir ?? header.suiteDir, "tasks", taskId, "recorded.json");
  writeFileSync(file, `${JSON.stringify({ v: 1, turns }, undefined, 2)}\n`);
  console.log(`${file}: ${turns.length} answers, ${outcome}`);
}
