import { type TimedFact, writeLog } from "../../src/events/copy-log.ts";
import { loadKey } from "../../src/events/key.ts";
import { openStore } from "../../src/session/store.ts";
import { systemClock } from "../../src/util/system.ts";
import { finished, OPENED, prompt, reply, started, toolUse } from "./event-log.ts";
import type { Place } from "./open-at.ts";

/** Ten turns a message, each a reply with a call, about 400 bytes a line. `n`: how many facts. */
function* longTalk(n: number, folder: string, sessionId: string): Generator<TimedFact> {
  let count = 0;
  const fact = (body: TimedFact["body"]): TimedFact => ({ at: new Date(1.8e12 + ++count * 1000).toISOString(), body });
  yield fact({ ...OPENED, sessionId, folder, roots: [{ path: folder, kind: "folder" }], model: "demo" });
  for (let turn = 0; count < n; turn++) {
    const words = `line ${turn} of what was said, as long as a person writes\n`.repeat(4);
    const id = `call_${turn}`;
    if (turn % 10 === 0) yield fact(prompt(`message ${turn / 10}: ${words}`));
    yield fact({ type: "turn.started", turn: (turn % 10) + 1, model: "demo" });
    yield fact(
      reply([{ type: "text", text: words }, toolUse(id, "Read", { file_path: `src/${turn}.ts` })], {
        turn: (turn % 10) + 1,
      }),
    );
    yield fact(started(id));
    yield fact(finished(id, words));
    if (turn % 10 === 9) yield fact({ type: "query.finished", reason: "done", turns: 10, durationMs: 1 });
  }
}

/** A stored session with that many events in a place's own folders; what `loadLog` needs to read it. */
export async function longSession(
  at: Pick<Place, "folder" | "config" | "state">,
  n: number,
  sessionId = "20270101-000000_long",
) {
  const store = openStore({ config: at.config, state: at.state });
  const log = { sessionsDir: store.sessions, contentDir: store.content, sessionId, key: loadKey(store.key) };
  await writeLog({ ...log, clock: systemClock }, longTalk(n, at.folder, sessionId));
  return log;
}
