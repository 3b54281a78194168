import { z } from "zod";
import { ContentBlock, text } from "../events/block.ts";
import { asData } from "./as-data.ts";
import { brought, done, failed, quiet, stopped } from "./outcome.ts";
import type { Outcome, Tool } from "./tool.ts";

/**
 * `none`: it computes or looks. Never asked about, and run again after a crash that left no result.
 * `outside`: it acts where nobody sees it beforehand. Asked each time in every mode, refused in plan mode, never run a second time.
 */
export type ProgramEffects = "none" | "outside";

/** A method, so that tools of any input fit into one list. */
interface Judge<I> {
  effects(input: I): ProgramEffects;
}

/** What a tool's function may use. */
export interface ProgramCall {
  /** Saved before the call begins, and the same whenever this call is spoken of: a service that knows it acts once. */
  operationId: string;
  callId: string;
  /** Aborted when the person stops the query; the result is not waited for then. */
  signal: AbortSignal;
}

/** A text; blocks, such as an image; or any JSON. */
export type ProgramAnswer = string | number | boolean | null | object | undefined;

/** A tool of the program that uses the library; its function runs in that program. */
export interface ProgramTool<I = unknown> {
  /** Letters, digits, `_` and `-`, at most 64; no name of a built-in tool. */
  name: string;
  /** For the model: what it does, when to use it, an example. */
  description: string;
  /** An object. The call is parsed with it, and what is wrong told to the model, before anything else happens. */
  input: z.ZodType<I>;
  /** Default: "outside". */
  effects?: ProgramEffects | Judge<I>["effects"];
  /** May run beside other calls of the same reply. Default: no. */
  parallel?: boolean;
  /** The model's mistakes are thrown as `ToolError`; it reads their message. */
  run(input: I, call: ProgramCall): ProgramAnswer | Promise<ProgramAnswer>;
}

/** A call that failed by the model's or the world's fault: the message goes to the model whole, and says what to try next. */
export class ToolError extends Error {
  override name = "ToolError";
}

/**
 * Checks a tool, and keeps its own input type while it is defined.
 * @throws TypeError that says what is wrong with it.
 */
export function programTool<I>(tool: ProgramTool<I>): ProgramTool<I> {
  const wrong = problemOf(tool);
  if (wrong !== undefined) throw new TypeError(`tool ${JSON.stringify(tool.name)}: ${wrong}`);
  return tool;
}

function problemOf<I>({ name, description, input }: ProgramTool<I>): string | undefined {
  if (!/^[\w-]{1,64}$/.test(name)) return "a name has 1 to 64 letters, digits, _ and -";
  if (name.startsWith("mcp__")) return "names that begin with mcp__ are those of servers";
  if (description.trim() === "") return "the description is empty: say what it does and when to use it";
  return schemaProblem(input);
}

function schemaProblem(input: z.ZodType): string | undefined {
  try {
    const { type } = z.toJSONSchema(input, { io: "input" });
    return type === "object" ? undefined : `the input is no object (${String(type)}): write z.object({ … })`;
  } catch (error) {
    return `the input has no JSON Schema: ${error instanceof Error ? error.message : String(error)}`;
  }
}

/** The same tool as the loop takes it. `program`: in whose name questions and rules tell of it (`mcp__program__tool`). */
export function toolOf(tool: ProgramTool, program: string): Tool {
  const { name, description, input, effects = "outside", parallel = false } = tool;
  const effectsOf = (given: unknown) => (typeof effects === "function" ? effects(given) : effects);
  return {
    name,
    description,
    input,
    // All of it: what is sent away must have been on screen before a yes counts (P5).
    subject: (given) => JSON.stringify(given),
    // Whatever is not "none", a slip of the program's included, is asked about.
    needs: (given) =>
      Promise.resolve(effectsOf(given) === "none" ? [] : [{ kind: "mcp", server: program, tool: name }]),
    parallel: () => parallel,
    run: (given, { operationId, callId, signal }) =>
      quiet(() => answered(tool, given, { operationId, callId, signal })),
  };
}

async function answered(tool: ProgramTool, input: unknown, call: ProgramCall): Promise<Outcome> {
  if (call.signal.aborted) return stopped();
  const over = new AbortController();
  try {
    return await Promise.race([answerOf(tool, input, call), abandoned(call.signal, over.signal)]);
  } catch (error) {
    // Anything else that is thrown is told by its first line alone, by whoever called.
    if (error instanceof ToolError) return failed(error.message);
    throw error;
  } finally {
    over.abort();
  }
}

async function answerOf(tool: ProgramTool, input: unknown, call: ProgramCall): Promise<Outcome> {
  const answer = await tool.run(input, call);
  if (answer === undefined) return done("");
  const blocks = z.array(ContentBlock).min(1).safeParse(answer);
  if (blocks.success) return brought(blocks.data.map((b) => (b.type === "text" ? text(asData(b.text)) : b)));
  return done(asData(typeof answer === "object" ? JSON.stringify(answer) : String(answer)));
}

/** A function of the program's can't be ended, only left behind. */
function abandoned(stop: AbortSignal, over: AbortSignal): Promise<Outcome> {
  return new Promise((resolve) => {
    const left = () => resolve({ status: "interrupted", content: [text(LEFT)] });
    stop.addEventListener("abort", left, { once: true, signal: over });
  });
}

const LEFT = "Interrupted while it ran; it may still have its effect. Check before you repeat it.";
