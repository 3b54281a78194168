/**
 * A path as latin1 of its raw bytes, relative to its root, `/` between its parts: names that are no UTF-8 and names with
 * line ends survive. Never shown: `showPath` makes it readable.
 */
export type RawPath = string;

/** UTF-8 text to raw. */
export function toRaw(path: string): RawPath {
  return Buffer.from(path, "utf8").toString("latin1");
}

/** Raw to the bytes that `fs` takes. */
export function rawBytes(path: RawPath): Buffer {
  return Buffer.from(path, "latin1");
}

/** Raw to text; bytes that are no UTF-8 become U+FFFD. */
export function showPath(path: RawPath): string {
  return Buffer.from(path, "latin1").toString("utf8");
}

/** A path below a root as text; the root itself is ".". */
export function showBelow(path: RawPath): string {
  return path === "" ? "." : showPath(path);
}
