import type { Sign } from "./glob-parts.ts";
import { readScript, type Piece } from "./words.ts";

/**
 * Words of a command: `words` when the rule is one simple command; a compound one is compared as text. `signs`: the words hold `*`,
 * each any run of letters and blanks; only rules that ask or deny may.
 */
export interface WordsRule {
  text: string;
  words?: readonly string[];
  signs?: readonly Sign[];
  prefix: boolean;
}

const HOLDS = "words that the shell would expand ($x, *, ~, …) can't be matched";

/**
 * Understands the words of a rule: exact ones; ending with `:*` (or ` *`, which means the same) these and any behind them. `undefined`:
 * `*` alone, every command. Throws an Error that says what to write.
 */
export function readWordsRule(inner: string, action: "allow" | "ask" | "deny"): WordsRule | undefined {
  if (inner === "*" || inner === ":*") return undefined;
  const end = /(:\*|\s\*)$/.exec(inner);
  const source = (end === null ? inner : inner.slice(0, end.index)).trim();
  const script = readScript(source);
  if (script.opaque || script.commands.length === 0) throw new Error("these words can't be read as a command");
  const [only] = script.commands;
  const one = script.simple && only?.bare === true && only.words.length > 0 ? only.words : undefined;
  if (!script.sure) {
    const signs = one === undefined || action === "allow" ? undefined : starred(one);
    if (signs !== undefined)
      return { text: source, signs: end === null ? signs : [...signs, { star: true }], prefix: false };
    throw new Error(`${HOLDS}; quote them, or end the rule with :* to allow any further words`);
  }
  if (one !== undefined) return { text: source, words: one.map((w) => w.value), prefix: end !== null };
  if (end !== null) throw new Error("before :* stands one command without redirections or variables in front");
  return { text: source, prefix: false };
}

/** The words with a blank between them, where nothing but `*` in them is unsure. */
function starred(words: readonly Piece[]): Sign[] | undefined {
  const signs: Sign[] = [];
  for (const [n, word] of words.entries()) {
    const some = word.sure ? Array.from(word.value) : word.signs;
    if (some === undefined || some.some((sign) => typeof sign !== "string" && !("star" in sign))) return undefined;
    signs.push(...(n === 0 ? [] : [" "]), ...some);
  }
  return signs;
}
