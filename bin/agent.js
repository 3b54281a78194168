#!/usr/bin/env node
// Small on purpose: answers --version without loading anything, checks the Node version, then loads dist/.
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const here = fileURLToPath(new URL("..", import.meta.url));
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
const enough = major > 22 || (major === 22 && minor >= 13);

if (process.argv.length === 3 && (process.argv[2] === "--version" || process.argv[2] === "-V")) {
  console.log(JSON.parse(readFileSync(here + "package.json", "utf8")).version);
} else if (!enough) {
  const { relaunch } = await import("./relaunch.js");
  relaunch(here);
} else if (!existsSync(here + "dist/cli.js")) {
  console.error("agent: dist/ is missing. In a checkout run `npm run build`, then try again.");
  process.exitCode = 1;
} else {
  if (process.channel !== undefined) {
    // Started by relaunch.js: without it there is nobody left who could tell how this ended.
    process.once("disconnect", () => process.kill(process.pid, "SIGHUP"));
    process.channel.unref();
  }
  const { useCompileCache } = await import("./compile-cache.js");
  useCompileCache();
  const { main } = await import("../dist/cli.js");
  await main();
}
