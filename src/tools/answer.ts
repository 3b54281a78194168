import type { PersonQuestion } from "./tool.ts";

const CHOICES = /^\d+(?:\s*[,;\s]\s*\d+)*$/;

/** Several labels as one answer. */
export function joinLabels(labels: readonly string[]): string {
  return labels.join("; ");
}

/**
 * What a typed line answers (S6): an option by its number or its label, several of them where several may be chosen ("1,3"), or own words.
 * `problem` says what to do instead. Pure.
 */
export function pickAnswer(
  { options, multiple }: PersonQuestion,
  typed: string,
): { answer: string } | { problem: string } {
  const words = typed.trim();
  if (words === "") return { problem: "the answer is empty; give a number or words" };
  const label = options.find((o) => o.label.trim().toLowerCase() === words.toLowerCase())?.label;
  if (label !== undefined) return { answer: label };
  if (options.length === 0 || !CHOICES.test(words)) return { answer: words };
  const numbers = [...new Set(words.split(/[,;\s]+/).map(Number))];
  const wrong = numbers.find((n) => options[n - 1] === undefined);
  if (wrong !== undefined)
    return {
      problem: `there is no option ${wrong}; there are 1 to ${options.length}, or own words (not a number alone)`,
    };
  if (numbers.length > 1 && multiple !== true) return { problem: "only one option can be chosen here" };
  return { answer: joinLabels(numbers.toSorted((a, b) => a - b).map((n) => options[n - 1]?.label ?? "")) };
}
