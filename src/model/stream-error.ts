/** What the watchdog throws: nothing came for too long. */
export class StalledError extends Error {
  override name = "StalledError";
}

/** What a reply's end throws that is not whole, or that came in pieces which don't fit together. */
export class CutError extends Error {
  override name = "CutError";
}
