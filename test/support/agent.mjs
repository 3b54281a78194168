// The program from its sources, as bin/agent.js starts it, for tests that start it as a process: no build needed.
const { paintFirst } = await import("../../src/cli/first-paint.ts");
const first = paintFirst(process.argv.slice(2), process.env);
const { main } = await import("../../src/cli/main.ts");
await main(first);
