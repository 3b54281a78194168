/** A process of its own for tests of the log: `write` appends without end and prints each event's number once it is kept, `hold` opens and
 * waits, `race` takes a lock again and again and shouts when it was not alone. Arguments: what, folder. */
import { closeSync, openSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import { takeLock } from "../../src/events/lock.ts";
import { openLog } from "../../src/events/open-log.ts";
import { systemClock } from "../../src/util/system.ts";

const [what = "", dir = ""] = process.argv.slice(2);
const at = {
  sessionsDir: join(dir, "sessions"),
  contentDir: join(dir, "content"),
  sessionId: "ses_a",
  key: new Uint8Array(32).fill(7),
  clock: systemClock,
};

if (what === "race") await race();
else {
  const log = await openLog({ ...at, create: false });
  process.stdout.write(`${log.state.seq}\n`);
  if (what === "hold") setInterval(() => undefined, 1000);
  for (let i = 0; what === "write"; i++) {
    const text = i % 5 === 4 ? "long ".repeat(20_000) + i : `note ${i}`;
    const event = await log.append({ type: "note.added", text });
    if (i % 7 === 6) await log.barrier();
    process.stdout.write(`${event.seq}\n`);
    await new Promise((done) => setImmediate(done));
  }
}

async function race(): Promise<void> {
  for (let i = 0; i < 60; i++) {
    const lock = await takeLock(join(dir, "a.lock"), "It", systemClock).catch(() => undefined);
    if (lock === undefined) continue;
    process.stdout.write("held\n");
    try {
      closeSync(openSync(join(dir, "alone"), "wx"));
      await systemClock.sleep(1);
      unlinkSync(join(dir, "alone"));
    } catch {
      process.stdout.write("not alone\n");
    }
    // Some leave without a word, as a killed process would.
    if (i === 59) process.kill(process.pid, "SIGKILL");
    lock.release();
  }
}
