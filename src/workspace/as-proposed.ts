import type { Fingerprint } from "./change.ts";

/** What a landing says of a step whose new content somebody changed since it was judged. */
export const NOT_AS_PROPOSED = "what was to land is not what was decided on any more";

/**
 * Whether new content is still what a change set says it is: what was judged, and shown where it was asked about, lands, or nothing
 * does. Without hashes (large sets) size and time tell; inodes and ctimes don't, since a landing that was taken back moved them.
 */
export function isAsProposed(now: Fingerprint, then: Fingerprint): boolean {
  if (now.type !== then.type) return false;
  if (now.type === "link") return then.target === undefined || now.target === then.target;
  if (now.type !== "file") return true;
  if (now.size !== then.size) return false;
  return now.hash !== undefined && then.hash !== undefined ? now.hash === then.hash : now.mtime === then.mtime;
}

/** Beyond doubt the same: kind, mode, and where a link leads or a file's hash. */
export function isEqual(a: Fingerprint, b: Fingerprint): boolean {
  if (a.type !== b.type || a.mode !== b.mode) return false;
  return a.type === "link" ? a.target === b.target : a.hash !== undefined && a.hash === b.hash;
}
