import type { LogEventOf } from "../events/event.ts";

/** Long work and verdicts, as a line of the trace. */
export function workText(event: LogEventOf<"work.begun" | "judge.named" | "verdict.given">): string {
  switch (event.type) {
    case "work.begun":
      return event.feature === undefined
        ? `long work begins: ${event.list} is to be made`
        : `long work: the feature ${event.feature.id} of ${event.list}, checked by ${event.feature.check}`;
    case "judge.named":
      return `judged by the agent ${event.agent}, at most ${event.rounds} times anew`;
    case "verdict.given":
      return verdictWords(event);
  }
}

/** What a second agent said of a contract or of the work. */
export function verdictWords({ about, ok, text, round }: LogEventOf<"verdict.given">): string {
  const what =
    about === "contract" ? `contract ${ok ? "agreed" : "not agreed"}` : `judged: ${ok ? "done" : "not done"}`;
  return `${what} (round ${round})${text.trim() === "" ? "" : `: ${text.trim()}`}`;
}
