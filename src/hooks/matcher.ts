import { compile, PatternError, type Pattern } from "./pattern.ts";

/** Characters of a matcher, and of what it is compared with: both are names. */
const MOST = 500;

/** Says whether a hook concerns a tool name, a file or another subject of its event. Case counts. */
export type Matches = (subject: string) => boolean;

/**
 * Reads a matcher: "" and "*" fit everything; letters, digits, `_` and `-` are exact names with `|` between them; anything else is a
 * regular expression that fits anywhere in the subject. Its time grows with the length of both, whatever it says.
 * @throws PatternError in words for the person.
 */
export function matcherOf(text: string): Matches {
  if (text.length > MOST) throw new PatternError(`longer than ${MOST} characters`);
  if (text === "" || text === "*") return () => true;
  if (/^[\w-]+(\|[\w-]+)*$/.test(text)) {
    const names = new Set(text.split("|"));
    return (subject) => names.has(subject);
  }
  const pattern: Pattern = compile(text);
  // Nothing that long is a name. What can't be judged concerns the hook: it runs rather than not.
  return (subject) => subject.length > 4096 || pattern(subject);
}
