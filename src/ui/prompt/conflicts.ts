import type { Answer, Question } from "../../permissions/asker.ts";
import type { SettleHow } from "../../workspace/pending-settle.ts";
import type { Part } from "./parts.ts";

/** What the person says of a review's conflicts; of those that are not in it all stays pending. */
export interface ConflictChoice {
  /** Keys of the parts whose rehearsed version lands over the person's. */
  taken: ReadonlySet<string>;
  /** Whole conflicts by their place. */
  ways: ReadonlyMap<number, "drop" | "beside">;
}

/** All of them stay pending. */
export const NO_CHOICE: ConflictChoice = { taken: new Set(), ways: new Map() };

/** Conflicts as parts, `c0`, their hunks `c0:1`; hunks only where there are several. */
export function conflictParts({ review }: Question): Part[] {
  return (review?.conflicts ?? []).flatMap(({ hunks }, conflict) => {
    const whole: Part = { key: `c${conflict}`, at: -1, conflict };
    if (hunks.length < 2) return [whole];
    return [
      whole,
      ...hunks.map((of, index): Part => ({ key: `c${conflict}:${index}`, at: -1, conflict, hunk: { index, of } })),
    ];
  });
}

/** Takes a conflict, or one of its hunks, or leaves it pending again. */
export function toggleTaken(question: Question, choice: ConflictChoice, part: Part): ConflictChoice {
  const { conflict } = part;
  if (conflict === undefined || !mayBe(question, conflict, "take")) return choice;
  const taken = new Set(choice.taken);
  const hunks = conflictParts(question).filter((p) => p.conflict === conflict && p.hunk !== undefined);
  const take = !taken.has(part.key);
  for (const { key } of part.hunk === undefined ? [part, ...hunks] : [part]) {
    if (take) taken.add(key);
    else taken.delete(key);
  }
  if (part.hunk !== undefined) {
    if (hunks.every(({ key }) => taken.has(key))) taken.add(`c${conflict}`);
    else taken.delete(`c${conflict}`);
  }
  const ways = new Map(choice.ways);
  ways.delete(conflict);
  return { taken, ways };
}

/** Drops a conflict, or puts both versions beside; once more, and it stays pending. */
export function setWay(
  question: Question,
  choice: ConflictChoice,
  conflict: number,
  way: "drop" | "beside",
): ConflictChoice {
  if (!mayBe(question, conflict, way)) return choice;
  const ways = new Map(choice.ways);
  if (ways.get(conflict) === way) ways.delete(conflict);
  else ways.set(conflict, way);
  const own = (key: string): boolean => key === `c${conflict}` || key.startsWith(`c${conflict}:`);
  return { taken: new Set([...choice.taken].filter((key) => !own(key))), ways };
}

function mayBe({ review }: Question, conflict: number, way: "take" | "drop" | "beside"): boolean {
  return way === "drop" || review?.conflicts[conflict]?.ways.includes(way) === true;
}

/** What the answer says; what is neither taken nor dropped stays pending. */
export function settledBy(
  { review }: Question,
  { taken, ways }: ConflictChoice,
): NonNullable<Extract<Answer, { kind: "yes" }>["settled"]> {
  return (review?.conflicts ?? []).flatMap(({ hunks }, at): { at: number; how: SettleHow }[] => {
    const way = ways.get(at);
    if (way !== undefined) return [{ at, how: way }];
    if (taken.has(`c${at}`)) return [{ at, how: "take" }];
    const take = [...hunks.keys()].filter((n) => taken.has(`c${at}:${n}`));
    return take.length === 0 ? [] : [{ at, how: { take, drop: [] } }];
  });
}

/** What becomes of a conflict as things are chosen. */
export function fateOf(question: Question, choice: ConflictChoice, conflict: number): string {
  const found = settledBy(question, choice).find(({ at }) => at === conflict);
  if (found === undefined) return "stays pending";
  if (found.how === "take") return "the rehearsed version lands over yours";
  if (found.how === "drop") return "yours stays, the rehearsed one is dropped";
  if (found.how === "beside") return "yours stays, both go into a new file";
  return "lands in part, the rest stays pending";
}
