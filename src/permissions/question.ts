import type { Decision, Effect } from "../events/effect.ts";
import { visible } from "../util/visible.ts";
import type { FileDiff } from "../workspace/workspace.ts";
import type { OpenedFile, Question } from "./asker.ts";
import { offer } from "./offer.ts";

/** What the loop knows about a question. `networkAllowed`: the person allowed this step the network, which presets its regenerable output (P9). */
export interface QuestionFacts {
  id: string;
  callId: string;
  gate: "needs" | "changes";
  effect: Effect;
  decision: Decision;
  diffs: readonly FileDiff[];
  command?: { text: string; cwd: string; output?: string; exit?: number | null };
  place?: { n: number; of: number };
  where?: readonly string[];
  /** Opens one of `diffs`, given as it is here. */
  open?: (diff: FileDiff) => Promise<OpenedFile>;
  networkAllowed?: boolean;
  savedTo?: string | undefined;
  keeps?: string;
  also?: NonNullable<Question["also"]>;
  together?: NonNullable<Question["together"]>;
  proposed?: NonNullable<Question["proposed"]>;
}

/** Everything that P5 wants on screen before a yes counts: deletions first, what "remember" would save, regenerable output. */
export function buildQuestion({ networkAllowed, diffs, open, savedTo, ...facts }: QuestionFacts): Question {
  const offered = offer(facts.effect, facts.decision);
  const regenerable = regenerableText(facts.effect);
  const sorted = diffs.toSorted((a, b) => rank(a) - rank(b));
  return {
    ...facts,
    diffs: sorted,
    ...(open === undefined ? {} : { open: (at) => opened(open, sorted[at]) }),
    ...(offered === undefined ? {} : { offer: offered, ...(savedTo === undefined ? {} : { savedTo }) }),
    ...(regenerable === undefined ? {} : { regenerable: { text: regenerable, preset: networkAllowed === true } }),
  };
}

function opened(open: NonNullable<QuestionFacts["open"]>, diff: FileDiff | undefined): Promise<OpenedFile> {
  return diff === undefined ? Promise.reject(new Error("the question has no such file")) : open(diff);
}

/** Deletions, then what lost all its content, then the rest as it came. */
function rank(diff: FileDiff): number {
  if (diff.op === "delete") return 0;
  return diff.op !== "create" && diff.after?.size === 0 ? 1 : 2;
}

function regenerableText({ changes }: Effect): string | undefined {
  if (changes === undefined || changes.regenerable.length === 0) return undefined;
  const parts = changes.regenerable.map((r) => `${visible(r.path, "")}: ${filesText(r.files)}`);
  return `with ${parts.join(", ")}, regenerable`;
}

function filesText(files: number): string {
  return files === 1 ? "1 file" : `${files.toLocaleString("en-US")} files`;
}
