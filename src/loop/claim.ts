import { z } from "zod";
import type { LogEvent } from "../events/event.ts";

/** Words by which an English text says that tests pass. */
const CLAIMS: readonly RegExp[] = [
  /\b(?:tests?|specs?|suite|checks?)\b[^.!?\n]{0,40}\b(?:pass(?:es|ed|ing)?|succeed(?:s|ed)?|(?:is|are|run|ran|runs)(?: now| all)? (?:green|clean))\b/i,
  /\b(?:all|everything is) green\b/i,
  /\b\d+ (?:tests? )?(?:passed|passing|pass)\b/i,
  /\bpass(?:es|ed|ing)? (?:all|the|every)[^.!?\n]{0,20} tests?\b/i,
];
/** Words that make no claim of it: a wish, a condition, a denial. */
const HEDGES =
  /\b(?:if|once|when|until|unless|should|would|could|may|might|will|please|make sure|ensure|whether|not|cannot|never|no longer|fail(?:s|ed|ing|ures?)?|expect(?:ed)?|hope|before|need(?:s|ed)?|want(?:s|ed)?|let me|i'll)\b|n't\b/i;

/** The sentence that says that tests pass, or undefined. A guess by words, good for a mark and for nothing else (S9). Pure. */
export function claimOfTests(text: string): string | undefined {
  const plain = text.replace(/```[\s\S]*?(?:```|$)/g, " ").replace(/[*_`]/g, "");
  return plain
    .split(/(?<=[.!?])\s+|\n+/)
    .map((sentence) => sentence.trim())
    .find((sentence) => {
      const said = sentence.replace(/\b(?:0|no|zero) fail(?:ed|ing|ures?)\b/gi, "");
      return CLAIMS.some((claim) => claim.test(said)) && !HEDGES.test(said);
    });
}

const TESTS =
  /\b(?:tests?|specs?|pytest|jest|vitest|mocha|ava|rspec|ctest|tox|nox|phpunit|unittest|bats|check|verify)\b|\bnpm t\b/i;

const Details = z.object({
  command: z.string(),
  exit: z.number().nullable().optional(),
  shell: z.string().optional(),
});

/** Whether a command that looks like a test ended well since the session last changed anything. Pure. */
export function testsRan(events: readonly LogEvent[]): boolean {
  for (const event of events.toReversed()) {
    switch (event.type) {
      case "check.ran":
        if (event.exit === 0 && TESTS.test(`${event.name ?? ""} ${event.command}`)) return true;
        break;
      case "shell.ran":
        if (event.exit === 0 && TESTS.test(event.command)) return true;
        break;
      case "call.finished": {
        const ran = Details.safeParse(event.details).data;
        const code = ran?.shell === undefined ? ran?.exit : endOf(ran.shell, events);
        if (event.status === "ok" && ran !== undefined && code === 0 && TESTS.test(ran.command)) return true;
        break;
      }
      case "changes.landed":
      case "changes.pended":
        // A commit changes no file that a test could see.
        if (event.summary.entries.length === 0) break;
        return false;
      case "changes.undone":
      case "changes.redone":
        return false;
      default:
    }
  }
  return false;
}

/** How a background shell ended. */
function endOf(shell: string, events: readonly LogEvent[]): number | null | undefined {
  const end = events.findLast((e) => e.type === "group.ended" && e.groupId === shell);
  return end?.type === "group.ended" ? end.how.code : undefined;
}
