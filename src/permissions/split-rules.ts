/** `Bash(git log:*),Edit Read` to its rules: commas and blanks part them, but for those within parentheses. Pure. */
export function splitRules(text: string): string[] {
  const rules: string[] = [];
  let depth = 0;
  let rule = "";
  for (const sign of text) {
    if (sign === "(") depth++;
    if (sign === ")") depth = Math.max(0, depth - 1);
    if (depth > 0 || !/[\s,]/.test(sign)) rule += sign;
    else if (rule !== "") [rules[rules.length], rule] = [rule, ""];
  }
  return rule === "" ? rules : [...rules, rule];
}

/** Names of one plain word that a rule may begin with; those of several (`WebFetch`, `MultiEdit`) show by their form. */
const PLAIN = new Set(
  "Agent Bash Delete Edit Glob Grep Land Network Outside Read Remember Skill Task Unsandboxed Write".split(" "),
);
const SURE = /^(mcp__\S+|[A-Z]+[a-z]*[A-Z]\w*|[A-Z]\w*\([\s\S]*\))$/;
const NAME = /^(mcp__\S+|[A-Z]\w*(\([\s\S]*\))?)$/;

/**
 * Whether a word of the command line is rules, and no prompt that stands behind them: each part has a rule's form, and one at least is
 * one beyond doubt. By the form alone, so that the command line is read without any tool.
 */
export function areRules(word: string): boolean {
  const parts = splitRules(word);
  return parts.every((part) => NAME.test(part)) && parts.some((part) => PLAIN.has(part) || SURE.test(part));
}
