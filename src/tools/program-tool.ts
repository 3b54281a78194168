import { z } from "zod";
import { ContentBlock, text } from "../events/block.ts";
import type { Need } from "../events/effect.ts";
import { asData } from "./as-data.ts";
import { brought, done, failed, stopped } from "./outcome.ts";
import { ToolError } from "./program-error.ts";
import { CallFiles, type ProgramFiles } from "./program-files.ts";
import type { Outcome, Progress, Tool, ToolContext } from "./tool.ts";

/**
 * `none`: it computes or looks. Never asked about, and run again after a crash that left no result.
 * `changes`: it proposes changes to the folder (`call.files`), which are judged, shown and landed as those of Write. Nothing else; run again after a crash.
 * `outside`: it acts where nobody sees it beforehand. Asked each time in every mode, refused in plan mode, never run a second time.
 */
export type ProgramEffects = "none" | "changes" | "outside";

/** A method, so that tools of any input fit into one list. */
interface Judge<I> {
  effects(input: I): ProgramEffects;
}

/** What a tool's function may use. */
export interface ProgramCall {
  /** Saved before the call begins, and the same whenever this call is spoken of: a service that knows it acts once. */
  operationId: string;
  callId: string;
  /** Aborted when the person stops the query, or its time is over; the result is not waited for then. */
  signal: AbortSignal;
  /** Shows a text to the person while it works; the model does not get it. */
  show(this: void, text: string): void;
  files: ProgramFiles;
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
  /** How long a call may take. Default: ten minutes. What it proposed until then is dropped. */
  timeoutMs?: number;
  /** The model's mistakes are thrown as `ToolError`; it reads their message. */
  run(input: I, call: ProgramCall): ProgramAnswer | Promise<ProgramAnswer>;
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

function problemOf<I>({ name, description, input, timeoutMs = TIMEOUT_MS }: ProgramTool<I>): string | undefined {
  if (!/^[\w-]{1,64}$/.test(name)) return "a name has 1 to 64 letters, digits, _ and -";
  if (name.startsWith("mcp__")) return "names that begin with mcp__ are those of servers";
  if (description.trim() === "") return "the description is empty: say what it does and when to use it";
  if (!Number.isInteger(timeoutMs) || timeoutMs < 1 || timeoutMs > LONGEST_MS)
    return `timeoutMs is a whole number from 1 to ${LONGEST_MS}`;
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
    // Whatever is none of these, a slip of the program's included, is asked about.
    needs: (given) => Promise.resolve(needsOf(effectsOf(given), program, name)),
    parallel: (given) => parallel && effectsOf(given) !== "changes",
    run: (given, ctx) => run(tool, given, ctx, effectsOf(given) === "changes"),
  };
}

function needsOf(effects: ProgramEffects, server: string, tool: string): Need[] {
  if (effects === "none") return [];
  // Which files is seen when it ran; plan mode refuses it before.
  return effects === "changes" ? [{ kind: "change", paths: [] }] : [{ kind: "mcp", server, tool }];
}

/** Runs the program's function, shows what it shows, and brings what it proposed. */
async function* run(
  tool: ProgramTool,
  input: unknown,
  ctx: ToolContext,
  mayChange: boolean,
): AsyncGenerator<Progress, Outcome> {
  if (ctx.signal.aborted) return stopped();
  const over = new AbortController();
  const files = new CallFiles(ctx, mayChange);
  const shown = new Shown();
  const { operationId, callId } = ctx;
  const call = { operationId, callId, signal: AbortSignal.any([ctx.signal, over.signal]), files };
  const ended = Promise.race([
    answered(tool, input, { ...call, show: (words) => shown.add(words) }),
    abandoned(ctx.signal, over.signal),
    tooLong(tool, ctx, over),
  ]).finally(() => {
    over.abort();
    shown.end();
  });
  // What it throws is told below, behind what it showed.
  ended.catch(() => undefined);
  try {
    for (let text = await shown.next(); text !== undefined; text = await shown.next()) yield { text };
    const outcome = await ended;
    const changes = outcome.status === "ok" ? await files.finish() : undefined;
    return { ...outcome, ...(changes === undefined ? {} : { changes }) };
  } finally {
    // Nothing where it was finished above, or nothing proposed.
    over.abort();
    await files.drop();
  }
}

/** What a function shows, until it has ended. */
class Shown {
  #text = "";
  #ended = false;
  #wake: (() => void) | undefined;

  add(words: string): void {
    if (this.#ended) return;
    this.#text += words;
    this.#wake?.();
  }

  end(): void {
    this.#ended = true;
    this.#wake?.();
  }

  /** What came since; undefined once all was told. */
  async next(): Promise<string | undefined> {
    while (this.#text === "" && !this.#ended) await new Promise<void>((wake) => (this.#wake = wake));
    const text = this.#text;
    this.#text = "";
    return text === "" ? undefined : text;
  }
}

async function answered(tool: ProgramTool, input: unknown, call: ProgramCall): Promise<Outcome> {
  try {
    return await answerOf(tool, input, call);
  } catch (error) {
    // Anything else that is thrown is told by its first line alone, by whoever called.
    if (error instanceof ToolError) return failed(error.message);
    throw error;
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

async function tooLong(
  { timeoutMs = TIMEOUT_MS }: ProgramTool,
  ctx: ToolContext,
  over: AbortController,
): Promise<Outcome> {
  await ctx.clock.sleep(timeoutMs, over.signal);
  return failed(
    `It took longer than ${timeoutMs / 1000} s, and was left; it may still have its effect. Check before you repeat it.`,
  );
}

const TIMEOUT_MS = 600_000;
/** What a timer can wait. */
const LONGEST_MS = 2 ** 31 - 1;
const LEFT = "Interrupted while it ran; it may still have its effect. Check before you repeat it.";
