// Reads a log in a fresh process and prints its peak memory in MB: as the program does, or its lines through JSON.parse alone.
import { readFileSync } from "node:fs";
import { loadLog } from "../src/events/load.ts";

const [how, sessionsDir = "", contentDir = "", sessionId = "", key = ""] = process.argv.slice(2);
const kept: unknown =
  how === "load"
    ? await loadLog({ sessionsDir, contentDir, sessionId, key: Buffer.from(key, "hex") })
    : readFileSync(`${sessionsDir}/${sessionId}.jsonl`, "utf8")
        .trimEnd()
        .split("\n")
        .map((line): unknown => JSON.parse(line));
// Of this program alone: what `getrusage` tells begins with what the parent had when it forked.
const peak = /^VmHWM:\s*(\d+) kB/m.exec(readFileSync("/proc/self/status", "utf8"))?.[1];
console.log(kept === undefined || peak === undefined ? Number.NaN : Number(peak) / 1000);
