import { readdir } from "node:fs/promises";
import { resolve } from "node:path";
import { completedPath, type PathName, typedPath } from "../input/complete/shell-path.ts";
import { edit, prefixMode, type EditorEnv } from "../input/editor/edit.ts";
import { cleanRow } from "../render/clean.ts";
import type { Store } from "../store/store.ts";
import type { ScreenState } from "./state.ts";

const TOAST_MS = 4000;
/** Names that are told where several fit. */
const TOLD = 12;

/** Tab in a `!` line: completes the path before the cursor, or tells which there are (IN-12). What was typed meanwhile stays as it is. */
export async function completeShellPath(
  store: Store<ScreenState>,
  { cwd, home }: { cwd: string; home: string },
  env: EditorEnv,
): Promise<void> {
  const { editor } = store.get();
  const { text, cursor } = editor;
  const typed = typedPath(text, cursor);
  if (typed === undefined) return;
  // In the copy the home folder is another one, so only the person's own shell has this one.
  const outside = prefixMode(editor) === "outside";
  const folder = outside ? typed.folder.replace(/^~(?=\/)/, home) : typed.folder;
  const found = completedPath(typed, await namesIn(resolve(cwd, folder)));
  store.setNow((state) => {
    if (state.editor.text !== text || state.editor.cursor !== cursor || found === undefined) return state;
    const whole = text.slice(0, typed.from) + found.word + text.slice(cursor);
    const put = edit(state.editor, { op: "set", text: whole }, env);
    const next = { ...state, editor: { ...put, cursor: typed.from + found.word.length } };
    return found.names.length === 0 ? next : { ...next, toast: { text: told(found.names), until: env.at + TOAST_MS } };
  });
}

async function namesIn(folder: string): Promise<PathName[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    return entries.map((entry) => ({ name: entry.name, folder: entry.isDirectory() }));
  } catch {
    return [];
  }
}

function told(names: readonly string[]): string {
  const more = names.length > TOLD ? ` and ${names.length - TOLD} more` : "";
  return `${names.slice(0, TOLD).map(cleanRow).join("  ")}${more}`;
}
