import type { ChangeEntry, Decision, Effect } from "../events/effect.ts";
import type { PersonQuestion } from "../tools/tool.ts";
import type { Clash } from "../workspace/clash.ts";
import type { SettleHow } from "../workspace/pending-settle.ts";
import type { FileDiff } from "../workspace/workspace.ts";

/** A permission question, with everything that P5 wants on screen before a yes counts. */
export interface Question {
  id: string;
  callId: string;
  gate: "needs" | "changes";
  effect: Effect;
  decision: Decision;
  /** For a command: its text, its folder and its output. `exported`: `NAME=value`, of earlier commands, where it leaves the copy. */
  command?: { text: string; cwd: string; exported?: readonly string[]; output?: string; exit?: number | null };
  /** Deletions first. */
  diffs: readonly FileDiff[];
  /** Absolute paths of the roots, by their number: where it goes. */
  where?: readonly string[];
  /** Opens a file whose diff is not shown, by its place in `diffs` (P5). Throws where its bytes can't be read. */
  open?: (at: number) => Promise<OpenedFile>;
  /** What "for this session" and "always" would save, literally; absent where it is not offered (high risk). */
  offer?: { session: string; always: string };
  /** Regenerable output that could land along (P9), with its preset. */
  regenerable?: { text: string; preset: boolean };
  /** The review of a rehearsal (W6): what stays pending since the folder changed meanwhile, and files that hold both sides' lines. A no keeps all of it pending. */
  review?: { conflicts: readonly ReviewConflict[]; merged: readonly string[] };
  /** "2 of 3", where a turn has several. */
  place?: { n: number; of: number };
  /** Which sub-agent asks; none: the session's own. */
  agent?: string;
  /** The file that "always" would be saved to. */
  savedTo?: string;
  /** Calls of one reply that stand next to each other and are asked about at once, this one first; `effect` and `diffs` are of all of them (ADR 37). */
  together?: readonly OneOfMany[];
  /** The file that the call would write, as the person may change it before it lands. `text` throws where it is none. */
  proposed?: { path: string; text(): Promise<string> };
  /** What the call would keep, word for word. */
  keeps?: string;
  /** What may be answered beside yes and no: the command in other words (`edit`), or that the person ran it (`self`). */
  also?: readonly ("edit" | "self")[];
}

/** One of several calls in a question, with what it alone would change. `shown`: a hash over exactly that. */
export interface OneOfMany {
  callId: string;
  tool: string;
  subject: string;
  entries: readonly ChangeEntry[];
  diffs: readonly FileDiff[];
  shown: string;
}

export type Answer =
  | {
      kind: "yes";
      remember?: { scope: "session" | "always"; rule: string };
      left?: readonly LeftOut[];
      withRegenerable?: boolean;
      /** The person's words, told with the result. */
      note?: string;
      /** Conflicts of a review by their place in it; those not named stay pending. */
      settled?: readonly { at: number; how: SettleHow }[];
    }
  | { kind: "no"; note?: string }
  /** The command is to be this one. It is judged anew, and may be asked about again. */
  | { kind: "edit"; command: string; note?: string }
  /** The proposed file is to hold this. The call is judged anew, with a question of its own. */
  | { kind: "rewrite"; text: string; note?: string }
  /** The person did it, outside: what came of it is the call's result. Without `exit` they only say so. */
  | { kind: "self"; exit?: number | null; output?: string; note?: string }
  /** Nobody can answer: a denial by `nobody`, told to the model. */
  | { kind: "nobody"; reason: string };

/** What folder and rehearsal both changed, with the ways in which it can be settled beside leaving it pending and dropping it. `path` as a person names it. */
export interface ReviewConflict extends Omit<Clash, "path"> {
  path: string;
}

/** A file that was opened in a question: rows of text as they are, nothing made safe yet. */
export interface OpenedFile {
  /** What the rows are: a diff, the new text, bytes. */
  what: string;
  rows: readonly string[];
  /** Why these are not all rows. */
  cut?: string;
}

/** A file of the change set, or hunks of its diff, that the person drops. `path` as in the summary. */
export interface LeftOut {
  root: number;
  path: string;
  hunks?: readonly number[];
}

/**
 * Whoever answers: the screen, a script, nobody. Must not throw; an aborted signal answers "no" without a note.
 * No one to ask means no.
 */
export interface Asker {
  /** It never has an answer. The model is told at the start. */
  nobody?: true;
  ask(question: Question, signal: AbortSignal): Promise<Answer>;
  /** Whether a question about this call may be about the edits next to it as well. Without it each call is asked about alone. */
  together?(callId: string): boolean;
  /** A question of the model's (AskUser). undefined: nobody is here now; the query waits (S6). */
  askPerson(question: PersonQuestion, signal: AbortSignal): Promise<string | undefined>;
}

/** Answers every question with a denial that says why. */
export function denyAll(reason: string): Asker {
  return {
    nobody: true,
    ask: () => Promise.resolve({ kind: "nobody", reason }),
    askPerson: () => Promise.resolve(undefined),
  };
}
