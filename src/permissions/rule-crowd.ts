import type { Rule } from "../events/effect.ts";

/**
 * So many asks or denies of one kind a project may have. Each is compared with each path and command, so tens of thousands of them would
 * make a session stand still, which is what a hostile project would want.
 */
export const MOST_OF_A_KIND = 300;

/** Rules of one kind that are too many to be looked at one by one. */
export interface Crowd<T> {
  action: Rule["action"];
  count: number;
  first: T;
  /** The rule that stands for all of them: everything of the kind. */
  text: string;
}

/** Keeps what can be looked at one by one; of the rest, by the name that each rule begins with, the rule that says it of everything. Pure. */
export function withoutCrowds<T extends Pick<Rule, "action" | "text">>(
  rules: readonly T[],
): { kept: T[]; crowds: Crowd<T>[] } {
  const kinds = Map.groupBy(rules, ({ action, text }) => `${action} ${nameOf(text)}`);
  const large = [...kinds.values()].filter((all) => all.length > MOST_OF_A_KIND);
  const gone = new Set(large.flat());
  const crowds = large.flatMap((all): Crowd<T>[] => {
    const [first] = all;
    if (first === undefined) return [];
    return [{ action: first.action, count: all.length, first, text: everything(nameOf(first.text)) }];
  });
  return { kept: gone.size === 0 ? [...rules] : rules.filter((rule) => !gone.has(rule)), crowds };
}

/** What is said of them. */
export function crowdText({ action, count, text }: Omit<Crowd<unknown>, "first">): string {
  const what = action === "deny" ? "denied" : "asked about";
  return `${count.toLocaleString("en-US")} ${action} rules that begin as ${text} does are more than ${MOST_OF_A_KIND}: everything of that kind is ${what} until there are fewer`;
}

/** As other programs write it, it would be about the tool. */
export const ALL_READS = "Read(**)";

function nameOf(text: string): string {
  return /^\s*(mcp__|[A-Za-z]*)/.exec(text)?.[1] ?? "";
}

/** `Read` alone is about the tool; with its path commands in the copy see nothing either. */
function everything(name: string): string {
  if (name === "mcp__") return "mcp__*";
  return /^(Read|NotebookRead|LS|Glob|Grep)$/.test(name) ? ALL_READS : name;
}
