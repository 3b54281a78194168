import { z } from "zod";
import type { Mode } from "../../events/effect.ts";
import { MODES } from "../../events/mode.ts";

const Id = z.string().max(200);

export const RunInput = z.strictObject({
  prompt: z.string().min(1).max(1_000_000).describe("What to do, in full: nothing of your own conversation is known"),
  session: Id.optional().describe("Id of a session of this folder to go on with; without it a new one"),
  mode: z
    .enum(MODES)
    .optional()
    .describe("plan: change nothing. ask: what would be asked is denied. auto: changes land by the rules"),
  max_turns: z.number().int().positive().optional().describe("Replies for this message"),
  max_cost: z.number().positive().optional().describe("USD for the session"),
  max_seconds: z.number().positive().optional().describe("Time for this message"),
});
export type RunInput = z.infer<typeof RunInput>;

export const AnswerInput = z.strictObject({
  session: Id.describe("Id of the session that asked"),
  answers: z.array(z.string().max(100_000)).min(1).describe("One for each of its open questions, in their order"),
});
export type AnswerInput = z.infer<typeof AnswerInput>;

export const SessionInput = z.strictObject({
  session: Id,
  offset: z.number().int().nonnegative().default(0).describe("Letters to leave out at its beginning"),
});
export type SessionInput = z.infer<typeof SessionInput>;

const NoInput = z.strictObject({});

/** The tools of this program as a server; `most`: the mode above which nobody is let. */
export function toolList(most: Mode): object[] {
  return [
    listed("run", RunInput, {
      description: `Works on the files of the folder that this server was started in, with a coding agent, until it is done; gives its answer and what became of it. Nobody is asked: what would need a person's yes is denied and told. The mode is ${most} at most.`,
      annotations: { readOnlyHint: most === "plan", destructiveHint: most !== "plan", openWorldHint: true },
    }),
    listed("answer", AnswerInput, {
      description: "Answers the questions that a run ended with (reason: waiting), and goes on with it.",
      annotations: { readOnlyHint: most === "plan", destructiveHint: most !== "plan", openWorldHint: true },
    }),
    listed("sessions", NoInput, {
      description: "Lists the agent's sessions in this folder, newest first.",
      annotations: { readOnlyHint: true },
    }),
    listed("session", SessionInput, {
      description: "Reads a session's conversation as Markdown: what was said, called and changed.",
      annotations: { readOnlyHint: true },
    }),
  ];
}

function listed(name: string, input: z.ZodType, more: object): object {
  return { name, inputSchema: z.toJSONSchema(input, { io: "input", target: "draft-7" }), ...more };
}

/** The stricter of what is wanted and what may be. */
export function modeFor(wanted: Mode | undefined, most: Mode): { mode: Mode } | { refused: string } {
  if (wanted === undefined) return { mode: most };
  if (MODES.indexOf(wanted) <= MODES.indexOf(most)) return { mode: wanted };
  return {
    refused: `the mode ${wanted} is more than this server lets: ${most}. Who starts it may say agent --mode ${wanted} mcp serve`,
  };
}
