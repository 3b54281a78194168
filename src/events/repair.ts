import type { LogBody } from "./event.ts";
import type { LoadedLog } from "./load.ts";

/**
 * What has to be recorded when a log that was read is opened for writing: what was left out of it or counts otherwise, and that
 * nothing before is trusted.
 * The chain starts anew with `session.foreign`, so it comes first.
 */
export function repairs(loaded: LoadedLog): LogBody[] {
  const bodies: LogBody[] = [];
  if (loaded.foreign !== undefined) bodies.push({ type: "session.foreign", reason: loaded.foreign });
  const torn = loaded.torn > 0 ? [`a last line that was cut short (${loaded.torn} bytes) was left out`] : [];
  const notes = [...torn, ...loaded.repaired];
  if (notes.length > 0) bodies.push({ type: "session.repaired", notes });
  return bodies;
}
