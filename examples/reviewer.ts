// A program that defines a kind of sub-agent. Run it with a key: ANTHROPIC_API_KEY=… node examples/reviewer.ts
import { query, toEnd, type Agent } from "understudy";

const reviewer: Agent = {
  name: "reviewer",
  description: "reads a change and says what could break",
  prompt: "You read a change and everything that uses what it changes. Say what could break, each with path and line.",
  tools: ["Read", "Grep", "Glob"],
  mode: "plan",
  turns: 20,
};

const options = { folder: process.cwd(), env: process.env, agents: [reviewer] };
const { text, reason } = await toEnd(query("Let the reviewer look at src/.", options));
console.log(`${text} (${reason})`);
