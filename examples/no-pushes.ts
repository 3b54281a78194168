// A program with a hook of its own. Run it with a key: ANTHROPIC_API_KEY=… node examples/no-pushes.ts
import { query, toEnd, type Hooks } from "understudy";

const hooks: Hooks = {
  PreToolUse: [
    {
      matcher: "Bash",
      name: "no pushes",
      run: ({ tool_input }) => {
        const pushes = String(tool_input["command"]).includes("git push");
        return pushes ? { decision: "deny", reason: "a person pushes" } : undefined;
      },
    },
  ],
};

const { text, reason } = await toEnd(query("Publish it.", { folder: process.cwd(), env: process.env, hooks }));
console.log(`${text} (${reason})`);
