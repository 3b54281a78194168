/** What the person can mend by asking differently or by correcting settings; exit code 2. */
export class UsageError extends Error {
  override name = "UsageError";
}
