// The program from its sources, for tests that start it as a process: no build needed.
const { main } = await import("../../src/cli/main.ts");
await main();
