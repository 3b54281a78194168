import type { SessionState } from "./state.ts";

/** Regenerable output that the session's copy keeps (P9), as far as the steps' summaries tell: files, and the folders that they lie in. */
export function keptOutput({ steps }: Pick<SessionState, "steps">): { files: number; folders: readonly string[] } {
  const folders = new Map<string, number>();
  for (const { kept, left, summary } of steps)
    for (const { root, path, files } of kept ? (left ?? summary?.regenerable ?? []) : []) {
      const name = root === 0 ? path : `${path} (folder ${root + 1})`;
      // Built again it is the same output.
      folders.set(name, Math.max(folders.get(name) ?? 0, files));
    }
  return { files: [...folders.values()].reduce((sum, n) => sum + n, 0), folders: [...folders.keys()] };
}

/** "8,613 regenerable files (node_modules, dist)"; undefined: the copy keeps none. */
export function keptWords(state: Pick<SessionState, "steps">): string | undefined {
  const { files, folders } = keptOutput(state);
  if (files === 0) return undefined;
  const more = folders.length > 3 ? ` and ${folders.length - 3} more` : "";
  const what = files === 1 ? "1 regenerable file" : `${files.toLocaleString("en-US")} regenerable files`;
  return `${what} (${folders.slice(0, 3).join(", ")}${more})`;
}
