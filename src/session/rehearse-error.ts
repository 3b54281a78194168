/** What was asked of a rehearsal can't be: the person's to say otherwise. The command line ends with the code for a mistake in usage. */
export class RehearseError extends Error {
  override name = "UsageError";
}
