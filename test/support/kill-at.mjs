// Loaded into a program ahead of it (`--import`): kills it with SIGKILL at line KILL_LINE of the session's log, or of the log of its
// sub-agent KILL_LOG ("-a1", "-a2-a1"), "after" it is written or "before" (KILL_WHEN), when all that the line tells of has happened.
// What the product does is untouched.
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";

const { openSync, writeSync } = fs;
const at = Number(process.env.KILL_LINE);
const before = process.env.KILL_WHEN === "before";
const wanted = process.env.KILL_LOG ?? "";
/** A log may be closed and opened again: its lines count on. */
const logs = new Set();
let lines = 0;

fs.openSync = (path, ...rest) => {
  const fd = openSync(path, ...rest);
  if (/\/sessions\/[^/]+?((?:-a\d+)*)\.jsonl$/.exec(String(path))?.[1] === wanted) logs.add(fd);
  else logs.delete(fd);
  return fd;
};
fs.writeSync = (fd, ...rest) => {
  const here = logs.has(fd) && ++lines === at;
  if (here && before) process.kill(process.pid, "SIGKILL");
  const written = writeSync(fd, ...rest);
  if (here) process.kill(process.pid, "SIGKILL");
  return written;
};
syncBuiltinESMExports();
