import type { Rule } from "../../events/effect.ts";

type Source = "session" | "person" | "user";
type Action = Rule["action"];

/** A rule as it is named: by its text, and where several say it by source and action before it. */
export interface NamedRule {
  source?: Source;
  action?: Action;
  text: string;
  /** For an edit: what stands behind `=>`. */
  to?: string;
}

/** What was typed behind /permissions. `ways`: each way to read it, where a rule's text holds words that could be others. */
export type RuleWords =
  | { act: "show" | "decisions" | "reload" }
  | { act: "why"; call?: string }
  | { act: "add"; rule: Rule & { source: Source } }
  | { act: "remove" | "edit"; ways: readonly NamedRule[] };

const SOURCE = /^(session|person|user)\s+/;
const ACTION = /^(allow|ask|deny)\s+/;

/** Reads it; undefined: not understood. Pure. */
export function readWords(args: string): RuleWords | undefined {
  const typed = args.trim();
  const [, word = "", rest = ""] = /^(\S*)\s*([\s\S]*)$/.exec(typed) ?? [];
  switch (word) {
    case "":
      return { act: "show" };
    case "decisions":
    case "reload":
      return rest === "" ? { act: word } : undefined;
    case "why":
      return rest === "" ? { act: "why" } : { act: "why", call: rest };
    case "allow":
    case "ask":
    case "deny": {
      const { source = "person", text } = sourced(rest);
      return text === "" ? undefined : { act: "add", rule: { action: word, text, source } };
    }
    case "remove": {
      return rest === "" ? undefined : { act: "remove", ways: [named(rest)] };
    }
    case "edit": {
      const ways = editWays(rest);
      return ways.length === 0 ? undefined : { act: "edit", ways };
    }
    default:
      return undefined;
  }
}

/** A rule's own text may hold `=>`: each could be the one that is meant. */
function editWays(text: string): NamedRule[] {
  return [...text.matchAll(/\s+=>\s+/g)].flatMap(({ index, 0: arrow }) => {
    const to = text.slice(index + arrow.length).trim();
    return to === "" ? [] : [{ ...named(text.slice(0, index)), to }];
  });
}

function named(text: string): NamedRule {
  const { source, text: rest } = sourced(text);
  const action = ACTION.exec(rest)?.[1];
  return {
    ...(source === undefined ? {} : { source }),
    ...(isAction(action) ? { action } : {}),
    text: rest.replace(ACTION, "").trim(),
  };
}

function sourced(text: string): { source?: Source; text: string } {
  const source = SOURCE.exec(text)?.[1];
  const rest = text.replace(SOURCE, "").trim();
  return isSource(source) ? { source, text: rest } : { text: text.trim() };
}

function isSource(word: string | undefined): word is Source {
  return word === "session" || word === "person" || word === "user";
}

function isAction(word: string | undefined): word is Action {
  return word === "allow" || word === "ask" || word === "deny";
}
