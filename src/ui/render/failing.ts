/** So many rows are shown of a check that failed. */
const ROWS = 3;

/** How programs begin a row that says what failed; sums, such as "0 errors" and "2 passed, 1 failed", say no more than the exit code. */
const FAILS =
  /^\s*(?:✗|✖|×|not ok\b|FAIL(?:ED|URE)?\b|E {2,}|--- FAIL|error(?:\[|:|\s+TS)|Error:|AssertionError|Traceback|panic|thread '.*panicked|\w+(?:Error|Exception):)|: (?:fatal )?error(?::| TS\d)|\berror\b {2,}\S/i;
const SUM = /^\W*(?:\d+ |no )?(?:errors?|failures?|failed|problems?)\b\W*\d*\W*$|\b0 (?:errors?|fail)|\d+ passed/i;

/** The rows of an output that say what failed first; its last ones where none is known to. */
export function failingRows(output: string): string[] {
  const rows = output.split("\n").filter((row) => row.trim() !== "");
  const first = rows.findIndex((row) => FAILS.test(row.slice(0, 500)) && !SUM.test(row.slice(0, 500)));
  return first < 0 ? rows.slice(-ROWS) : rows.slice(first, first + ROWS);
}
