// A program that gives the agent a tool of its own. Run it with a key: ANTHROPIC_API_KEY=… node examples/multiply.ts
import { defineTool, query, toEnd, z } from "understudy";

const multiply = defineTool({
  name: "multiply",
  description: "Multiplies two numbers, exactly. Use it instead of working a product out in your head.",
  input: z.object({ a: z.number(), b: z.number() }),
  effects: "none",
  run: ({ a, b }) => a * b,
});

const { text, reason, turns } = await toEnd(
  query("What is 23 × 19?", { folder: process.cwd(), env: process.env, tools: [multiply], maxTurns: 8 }),
);
console.log(`${text}\n(${reason} after ${turns} turns)`);
