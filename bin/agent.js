#!/usr/bin/env node
// Small on purpose: answers --version without loading anything, checks the Node version, paints the first frame, then loads dist/.
// Nothing is imported that could be had without: an import of node:fs makes Node load streams, promises and readline.
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);

if (major > 22 || (major === 22 && minor >= 13)) await start(import.meta.dirname + "/../");
else (await import("./relaunch.js")).relaunch();

async function start(here) {
  const { existsSync, readFileSync } = process.getBuiltinModule("node:fs");
  const args = process.argv.slice(2);
  if (args.length === 1 && (args[0] === "--version" || args[0] === "-V")) {
    console.log(JSON.parse(readFileSync(here + "package.json", "utf8")).version);
  } else if (!existsSync(here + "dist/cli.js")) {
    console.error("agent: dist/ is missing. In a checkout run `npm run build`, then try again.");
    process.exitCode = 1;
  } else {
    if (process.channel !== undefined) {
      // Started by relaunch.js: without it there is nobody left who could tell how this ended.
      process.once("disconnect", () => process.kill(process.pid, "SIGHUP"));
      process.channel.unref();
    }
    const { paintFirst } = await import("../dist/first-paint.js");
    const first = paintFirst(args, process.env);
    const { useCompileCache } = await import("./compile-cache.js");
    useCompileCache();
    const { main } = await import("../dist/cli.js");
    await main(first);
  }
}
