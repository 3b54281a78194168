import type { ChangeSummary, Effect } from "./effect.ts";
import type { SessionState } from "./state.ts";

/** More names than these are only counted. */
const MOST_NAMES = 20;

/**
 * The files that earlier calls of the same tool changed in the same turn, each once and without those of `summary`, for the sum that P4
 * counts. A person's yes covers all up to the call that was asked about; the count starts anew behind it. undefined: none.
 */
export function earlierFiles(
  { calls, query }: Pick<SessionState, "calls" | "query">,
  callId: string,
  summary: ChangeSummary,
): Effect["earlier"] {
  const call = calls.get(callId);
  if (call === undefined) return undefined;
  // Turns are counted in each query anew.
  const from = query?.startSeq ?? 0;
  const same = [...calls.values()].filter((c) => c.replySeq >= from && c.turn === call.turn && c.tool === call.tool);
  const landed = same.filter((c) => c.landed === true && c.callId !== callId);
  const since = landed.slice(landed.findLastIndex((c) => c.answered === true) + 1);
  const now = new Set(namesIn(summary).map(({ key }) => key));
  const before = new Map<string, string>();
  let unnamed = 0;
  for (const { proposed } of since) {
    const names = proposed === undefined ? [] : namesIn(proposed.summary);
    for (const { key, path } of names) if (!now.has(key)) before.set(key, path);
    unnamed += Math.max(0, (proposed?.summary.files ?? 0) - names.length);
  }
  const files = before.size + unnamed;
  return files === 0 ? undefined : { files, paths: [...before.values()].slice(0, MOST_NAMES) };
}

function namesIn({ entries }: ChangeSummary): { key: string; path: string }[] {
  return entries.filter((e) => e.type !== "folder").map(({ root, path }) => ({ key: `${root}/${path}`, path }));
}
