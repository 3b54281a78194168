// Loaded into a program ahead of it (`--import`): kills it with SIGKILL at line KILL_LINE of the session's log, "after" it is written or
// "before" (KILL_WHEN), when all that the line tells of has happened. What the product does is untouched.
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";

const { openSync, writeSync } = fs;
const at = Number(process.env.KILL_LINE);
const before = process.env.KILL_WHEN === "before";
let log;
let lines = 0;

fs.openSync = (path, ...rest) => {
  const fd = openSync(path, ...rest);
  if (/\/sessions\/[^/]+\.jsonl$/.test(String(path))) log = fd;
  else if (fd === log) log = undefined;
  return fd;
};
fs.writeSync = (fd, ...rest) => {
  if (fd === log) lines++;
  const here = fd === log && lines === at;
  if (here && before) process.kill(process.pid, "SIGKILL");
  const written = writeSync(fd, ...rest);
  if (here) process.kill(process.pid, "SIGKILL");
  return written;
};
syncBuiltinESMExports();
