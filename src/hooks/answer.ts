import { z } from "zod";
import { BLOCKS, type HookEvent } from "./moment.ts";

/** What a hook wants, read and checked. */
export interface Answer {
  /** `deny` also of what can't be denied any more: its reason goes to the model (PostToolUse), or sends it on (Stop). */
  decision?: "allow" | "ask" | "deny";
  reason?: string;
  /** In place of the call's input. */
  input?: Record<string, unknown>;
  /** For the model, as data. */
  context?: string;
  /** For the person. */
  message?: string;
  /** The query ends, for this reason. */
  stop?: string;
  /** Why the answer does not count. */
  failed?: string;
}

const DECISIONS: Readonly<Record<string, "allow" | "ask" | "deny">> = {
  allow: "allow",
  approve: "allow",
  ask: "ask",
  deny: "deny",
  block: "deny",
};
const word = z.enum(["allow", "approve", "ask", "deny", "block"]);
const text = z.string();
const input = z.record(z.string(), z.unknown());

/** Keys that are not named here are left alone: another program's, or such as would loosen (a mode, rules). */
const Output = z.object({
  continue: z.boolean().optional(),
  stopReason: text.optional(),
  suppressOutput: z.boolean().optional(),
  systemMessage: text.optional(),
  decision: word.optional(),
  reason: text.optional(),
  updatedInput: input.optional(),
  additionalContext: text.optional(),
  hookSpecificOutput: z
    .object({
      hookEventName: text.optional(),
      permissionDecision: word.optional(),
      permissionDecisionReason: text.optional(),
      updatedInput: input.optional(),
      additionalContext: text.optional(),
      decision: z
        .object({
          behavior: word,
          message: text.optional(),
          updatedInput: input.optional(),
          interrupt: z.boolean().optional(),
        })
        .optional(),
    })
    .optional(),
});

/** Events whose hooks may give plain words for the model. */
const SPEAKS: ReadonlySet<HookEvent> = new Set(["UserPromptSubmit", "SessionStart"]);
/** Characters of each text that are kept; a hook that says more is shortened. */
const MOST = 10_000;

/** What a program that ended by itself said: exit 0 with JSON or words, 2 for a block with stderr as its reason, any other is a failure. */
export function readAnswer(event: HookEvent, exit: number, stdout: Uint8Array, stderr: Uint8Array): Answer {
  const said = new TextDecoder().decode(stdout).trim();
  const err = new TextDecoder().decode(stderr).trim();
  if (exit === 2 && BLOCKS.has(event))
    return { decision: "deny", reason: short(err === "" ? "it gave no reason" : err) };
  if (exit !== 0) return { failed: `ended with exit code ${exit}${err === "" ? "" : `: ${firstLine(err)}`}` };
  if (!said.startsWith("{")) return SPEAKS.has(event) && said !== "" ? { context: short(said) } : {};
  try {
    return checkAnswer(event, JSON.parse(said));
  } catch {
    return { failed: "printed what begins as JSON and is none" };
  }
}

/** Reads what a hook answers, as JSON or from a function; undefined is no answer. */
export function checkAnswer(event: HookEvent, value: unknown): Answer {
  if (value === undefined || value === null) return {};
  const read = Output.safeParse(value);
  if (!read.success) {
    const [issue] = read.error.issues;
    return { failed: `its answer can't be understood: ${issue?.path.join(".") ?? ""}: ${issue?.message ?? ""}` };
  }
  const own = read.data.hookSpecificOutput ?? {};
  if (own.hookEventName !== undefined && own.hookEventName !== event)
    return { failed: `its answer is for ${short(own.hookEventName).slice(0, 60)}, not for ${event}` };
  return answerOf(read.data);
}

function answerOf(out: z.infer<typeof Output>): Answer {
  const own = out.hookSpecificOutput ?? {};
  const words = [out.decision, own.permissionDecision, own.decision?.behavior].flatMap((w) => DECISIONS[w ?? ""] ?? []);
  const decision = (["deny", "ask", "allow"] as const).find((d) => words.includes(d));
  const reason = own.permissionDecisionReason ?? own.decision?.message ?? out.reason;
  const changed = own.updatedInput ?? own.decision?.updatedInput ?? out.updatedInput;
  const context = own.additionalContext ?? out.additionalContext;
  const ends = out.continue === false || own.decision?.interrupt === true;
  return {
    ...(decision === undefined ? {} : { decision }),
    ...(reason === undefined ? {} : { reason: short(reason) }),
    ...(changed === undefined ? {} : { input: changed }),
    ...(context === undefined || context.trim() === "" ? {} : { context: short(context) }),
    ...(out.systemMessage === undefined ? {} : { message: short(out.systemMessage) }),
    ...(ends ? { stop: short(out.stopReason ?? reason ?? "it gave no reason") } : {}),
  };
}

function short(words: string): string {
  return words.length <= MOST ? words : `${words.slice(0, MOST)} […${words.length - MOST} characters left out]`;
}

function firstLine(words: string): string {
  return (words.split("\n")[0] ?? "").slice(0, 300);
}
