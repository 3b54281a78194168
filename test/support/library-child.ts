import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { defineTool, openSession, scriptedModel, toEnd, z } from "../../src/index.ts";
import { libraryOptions } from "./library.ts";
import type { Place } from "./open-at.ts";

// Started as a process: a program with tools of its own. In "die" it is killed inside of a tool, behind what the tool did and ahead of
// its record; with a session's id it goes on.
const { at, tool, resume } = JSON.parse(process.argv[2] ?? "") as { at: Place; tool: string; resume?: string };

const count = (name: string, effects: "none" | "outside") =>
  defineTool({
    name,
    description: "Leaves a line.",
    input: z.object({}),
    effects,
    run: (_, { operationId }) => {
      appendFileSync(join(at.home, "done.txt"), `${name} ${operationId}\n`);
      if (resume === undefined) process.kill(process.pid, "SIGKILL");
      return "Done.";
    },
  });

const usage = { input: 2000, output: 50 };
const session = await openSession(
  libraryOptions(at, {
    model: scriptedModel({
      turns: [
        { usage, calls: [{ name: tool }] },
        { usage, text: "I have seen what came of it." },
      ],
    }),
    tools: [count("charge", "outside"), count("look", "none")],
    program: "shop",
    asker: { ask: () => Promise.resolve({ kind: "yes" }), askPerson: () => Promise.resolve(undefined) },
    ...(resume === undefined ? {} : { resume }),
  }),
);
const { text } = await toEnd(resume === undefined ? session.submit("go") : session.goOn());
await session.close();
console.log(text);
