import fc from "fast-check";
import { appendFileSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { readTail } from "../../../src/events/read-tail.ts";
import { newestLines } from "../../../src/ui/render/transcript.ts";
import { deepRuns } from "../../support/deep.ts";
import { anyHistory } from "../../support/event-arbitrary.ts";
import {
  finished,
  headFile,
  lines,
  load,
  logFile,
  place,
  type Place,
  prompt,
  reopened,
  reply,
  started,
  toolUse,
  written,
} from "../../support/event-log.ts";

const talk = (n: number) => [
  prompt(`message ${n}`),
  reply([{ type: "text" as const, text: `said ${n}` }, toolUse(`c${n}`, "Read", { file_path: `${n}.ts` })]),
  started(`c${n}`),
  finished(`c${n}`, `result ${n}`),
];
const HISTORY = [...Array(20).keys()].flatMap(talk);
const rowsOf = (state: Parameters<typeof newestLines>[0]) => newestLines(state, 70, 1000, 1000);

async function told(bodies = HISTORY): Promise<Place> {
  const at = place();
  await written(at, bodies);
  return at;
}

describe("readTail", () => {
  it("E2: the end of a log shows the rows that all of it will show, whatever the log and wherever the end begins", async () => {
    await fc.assert(
      fc.asyncProperty(anyHistory, fc.double({ min: 0, max: 1, noNaN: true }), async (bodies, part) => {
        const at = await told([...bodies, ...talk(0)]);
        const tail = readTail(at, Math.ceil(statSync(logFile(at)).size * part));
        const seen = tail === undefined ? [] : rowsOf(tail.state);
        const all = rowsOf((await load(at)).state);
        expect(seen).toEqual(all.slice(all.length - seen.length));
      }),
      deepRuns(60, 3000),
    );
  });
  it("E2: more of the log is more of the rows, and the whole log is all of them", async () => {
    const at = await told();
    const size = statSync(logFile(at)).size;
    const counts = [0.3, 0.6, 1].map((part) => rowsOf(readTail(at, Math.ceil(size * part))?.state ?? expect.fail()));
    expect(counts.map((rows) => rows.length)).toEqual(counts.map((rows) => rows.length).toSorted((a, b) => a - b));
    expect(counts[0]?.length).toBeGreaterThan(0);
    expect(counts[2]).toEqual(rowsOf((await load(at)).state));
    expect(readTail(at, size)?.whole).toBe(true);
    expect(readTail(at, size - 1)?.whole).toBe(false);
  });
  it("E1: shows nothing of an end that a stranger wrote, changed, cut off or took from elsewhere", async () => {
    const other = await told([prompt("another session"), ...HISTORY]);
    const changes: ((at: Place, list: string[]) => void)[] = [
      (at, list) => writeFileSync(logFile(at), list.join("\n").replace("said 19", "said no") + "\n"),
      (at, list) => writeFileSync(logFile(at), `${list.slice(0, -2).join("\n")}\n`),
      (at, list) => writeFileSync(logFile(at), `${list.toSpliced(-3, 1).join("\n")}\n`),
      (at, list) => appendFileSync(logFile(at), `${list.at(-1) ?? ""}\n`),
      (at) => writeFileSync(logFile(at), readFileSync(logFile(other))),
      (at) => rmSync(headFile(at)),
      (at) => rmSync(logFile(at)),
      (at) => writeFileSync(logFile(at), "no log\n"),
    ];
    for (const change of changes) {
      const at = await told();
      expect(readTail(at, 4000)).toBeDefined();
      change(at, lines(logFile(at)));
      expect(readTail(at, 4000)).toBeUndefined();
    }
    const at = await told();
    expect(readTail({ ...at, key: new Uint8Array(32) }, 4000)).toBeUndefined();
  });
  it("E4: a last line that was cut short is left out, as when all is read", async () => {
    const at = await told();
    const before = rowsOf(readTail(at, 4000)?.state ?? expect.fail());
    appendFileSync(logFile(at), '{"v":1,"seq":');
    expect(rowsOf(readTail(at, 4000)?.state ?? expect.fail())).toEqual(before);
  });
  it("E2: changes nothing on the disk, and needs no lock", async () => {
    const at = await told();
    const log = await reopened(at);
    const bytes = readFileSync(logFile(at));
    expect(readTail(at, 4000)).toBeDefined();
    expect(readFileSync(logFile(at))).toEqual(bytes);
    await log.close();
  });
});
