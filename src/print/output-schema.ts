import { z } from "zod";
import { Effect } from "../events/effect.ts";
import { EndReason, LogBody } from "../events/event.ts";
import { InputLine } from "./input-line.ts";

const id = z.string();
const count = z.number();
/** Fields are added within a version; a program leaves out what it does not know. */
const version = z.literal(1);

/** Every fact as it is written: without its mac. */
const facts = LogBody.options.map((fact) =>
  z.looseObject({ v: z.literal(1), seq: z.number(), at: z.string().describe("ISO time"), ...fact.shape }),
);
const Fact = z.discriminatedUnion("type", facts as [(typeof facts)[0], ...(typeof facts)[number][]]);

const AgentEvent = z
  .looseObject({ type: z.literal("agent.event"), agentId: id, callId: id, event: Fact })
  .describe("A fact of a sub-agent's own log");

const Option = z.looseObject({ label: z.string(), description: z.string().optional() });

const PermissionLine = z
  .looseObject({
    type: z.literal("question"),
    version,
    kind: z.literal("permission"),
    question_id: id,
    call_id: id,
    tool: z.string(),
    subject: z.string(),
    risk: z.string(),
    reason: z.string(),
    text: z.string().describe("All that a person is shown: what would run or change, with the diffs"),
    offer: z.looseObject({ session: z.string(), always: z.string() }).optional().describe("Rules that remember saves"),
    agent: z.string().optional(),
  })
  .describe("Waits for an answer with allow and this question_id");

const ChoiceLine = z
  .looseObject({
    type: z.literal("question"),
    version,
    kind: z.literal("choice"),
    question_id: id,
    question: z.string(),
    options: z.array(Option.extend({ number: count })),
    multiple: z.boolean(),
    agent: z.string().optional(),
  })
  .describe("The model asks; waits for an answer with text");

const InputError = z
  .looseObject({ type: z.literal("input.error"), version, line: count, problem: z.string(), text: z.string() })
  .describe("A line of standard input that could not be used; line 0: an answer that was in none");

const Result = z
  .looseObject({
    type: z.literal("result"),
    version,
    session_id: id,
    reason: z.enum([...EndReason.options, "unfit-answer"]),
    detail: z.string().optional(),
    text: z.string().describe("The last reply's text"),
    structured_output: z.unknown().optional().describe("With --json-schema: the answer, checked"),
    unfit: z.looseObject({ tries: count, problem: z.string() }).optional(),
    questions: z
      .array(z.looseObject({ question: z.string(), options: z.array(Option), multiple: z.boolean() }))
      .optional(),
    answer: z.string().optional().describe("The command that answers these questions"),
    unverified: z.string().optional(),
    checks: z.array(z.looseObject({ name: z.string(), command: z.string(), exit: count.nullable() })).optional(),
    turns: count,
    usage: z.looseObject({
      input_tokens: count,
      output_tokens: count,
      cache_read_input_tokens: count,
      cache_creation_input_tokens: count,
    }),
    cost_usd: count.optional().describe("Missing where a model's price is not known"),
    duration_ms: count,
    denials: z.array(
      z.looseObject({
        tool: Effect.shape.tool,
        subject: z.string(),
        reason: z.string(),
        by: z.string().optional(),
        rules: z.array(z.string()).optional(),
      }),
    ),
    bypass: z.literal(true).optional(),
    untrusted: z.array(z.unknown()).optional(),
    pending: z.unknown().optional(),
  })
  .describe("The end of a message; the last line, or one for each message of a stream");

const OutputLine = z.union([Fact, AgentEvent, PermissionLine, ChoiceLine, InputError, Result]);

/** JSON Schema of a line of `--output-format stream-json`. */
export function outputJsonSchema(): object {
  return z.toJSONSchema(OutputLine, { io: "input", reused: "ref" });
}

/** JSON Schema of a line of `--input-format stream-json`. */
export function inputJsonSchema(): object {
  return z.toJSONSchema(InputLine, { io: "input" });
}
