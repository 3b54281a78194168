import { execFileSync } from "node:child_process";
import { readFileSync, realpathSync } from "node:fs";
import { join, resolve } from "node:path";
import { loadLog } from "../src/events/load.ts";
import { longSession } from "../test/support/long-log.ts";
import { type Group, type Row, timed } from "./measure.ts";
import { AGENT, placeIn } from "./program.ts";
import { watched } from "./screen.ts";

const CHILD = resolve(import.meta.dirname, "resume-child.ts");
const PARSE = 'JSON.parse("["+require("fs").readFileSync(process.argv[1],"utf8").trimEnd().replaceAll("\\n",",")+"]")';

/** A session of a hundred thousand events: read, and gone on with on the screen, against the least that its bytes cost. */
export async function resumeRows(base: string): Promise<Group> {
  const { folder, env } = placeIn(base);
  const at = { folder: realpathSync(folder), config: join(base, "config"), state: join(base, "state", "understudy") };
  const log = await longSession(at, 100_000);
  const file = join(log.sessionsDir, `${log.sessionId}.jsonl`);
  const child = (how: string) => {
    const args = [CHILD, how, log.sessionsDir, log.contentDir, log.sessionId, Buffer.from(log.key).toString("hex")];
    return Promise.resolve(Number(execFileSync(process.execPath, args, { encoding: "utf8" })));
  };
  const program = { folder: at.folder, env, args: [AGENT, "--resume", log.sessionId, "--model", "demo"] };
  const row = (name: string, until: (screen: readonly string[]) => boolean): Row => ({
    name,
    floorName: "node, JSON.parse in a pty",
    n: 5,
    run: () => watched({ ...program, until }),
    floor: () => watched({ folder, env, args: ["-e", PARSE, file], until: "end" }),
  });
  return {
    rows: [
      {
        name: "load of 100k events",
        floorName: "read, JSON.parse",
        n: 5,
        run: () => timed(() => loadLog(log)),
        floor: () =>
          timed(() =>
            readFileSync(file, "utf8")
              .trimEnd()
              .split("\n")
              .map((line): unknown => JSON.parse(line)),
          ),
      },
      {
        name: "load of 100k events, MB",
        floorName: "JSON.parse, MB",
        n: 3,
        run: () => child("load"),
        floor: () => child("parse"),
      },
      row("resume of 100k events: composer", (rows) => rows.some((line) => line.startsWith("›"))),
      row("resume of 100k events: its last words", (rows) => rows.some((line) => line.includes("of what was said"))),
    ],
    close: () => undefined,
  };
}
