import { runInNewContext } from "node:vm";

const MOST_MS = 2000;

/**
 * Whether a regular expression of a suite's fits one of these texts, which a model or a command wrote: some expressions take longer than
 * anybody lives on some texts, and all trials of a machine would wait.
 * @throws Error naming an expression that takes too long.
 */
export function fits(
  pattern: string,
  texts: readonly string[],
  { flags = "mu", mostMs = MOST_MS }: { flags?: "mu" | "u"; mostMs?: number } = {},
): boolean {
  const given = { pattern, flags, texts };
  try {
    const code = "const e = new RegExp(pattern, flags); texts.some((text) => e.test(text))";
    return runInNewContext(code, given, { timeout: mostMs }) === true;
  } catch (error) {
    // An error of the other context is no Error of this one.
    if (typeof error === "object" && error !== null && "code" in error && error.code === "ERR_SCRIPT_EXECUTION_TIMEOUT")
      throw new Error(
        `the expression /${pattern}/ takes longer than ${mostMs / 1000} s on a text of ${Math.max(...texts.map((t) => t.length))} characters; write it so that it need not try every way`,
      );
    throw error;
  }
}
