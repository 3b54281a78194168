import { type EditorState, expanded } from "../input/editor/buffer.ts";
import { edit, type EditorEnv } from "../input/editor/edit.ts";
import type { Store } from "../store/store.ts";
import type { Edited } from "../term/editor.ts";
import type { ScreenState } from "./state.ts";

/** What stands below it in the file is no part of the draft. */
const CUT = "# ---- Below this line is the last answer; it is not sent. ----";

/** The draft as the file of an editor: pastes in full, the last answer as a comment below. */
export function draftFile(editor: EditorState, answer: string | undefined): string {
  const text = expanded(editor);
  if (answer === undefined || answer.trim() === "") return text;
  const quoted = answer
    .trimEnd()
    .split("\n")
    // What an editor would obey in a file's last lines is the model's here.
    .map((row) => `# ${row.replaceAll(/\b(vim?|ex|Local Variables)(?=[<=>]?\d*:)/gi, "$1 ")}`.trimEnd());
  return `${text}\n\n${[CUT, ...quoted].join("\n")}\n`;
}

/**
 * The draft that came back. Pastes that are in it unchanged are signs again; the line end that editors put behind the last line, and the
 * comment, are no part of it.
 */
export function draftBack(before: EditorState, file: string, env: EditorEnv): EditorState {
  const text = file.replace(/\r\n?/g, "\n");
  const cut = text.startsWith(CUT) ? 0 : text.indexOf(`\n${CUT}`);
  const whole = expanded(before);
  const body = cut < 0 ? text : text.slice(0, cut).replace(/\n$/, "");
  const bare = body === `${whole}\n` || !whole.endsWith("\n") ? body.replace(/\n$/, "") : body;
  if (bare === whole) return before;
  let left = bare;
  let kept = "";
  for (const char of before.text) {
    const chip = before.chips.get(char);
    const at = chip === undefined || chip.text === "" ? -1 : left.indexOf(chip.text);
    if (chip === undefined || at < 0) continue;
    kept += left.slice(0, at) + char;
    left = left.slice(at + chip.text.length);
  }
  return edit(before, { op: "set", text: kept + left }, env);
}

/** Ctrl-G: the draft in the person's own editor, one step of undo (IN-16). What is typed there is not sent. */
export async function editDraft(
  store: Store<ScreenState>,
  open: (text: string) => Promise<Edited>,
  answer: string | undefined,
  env: () => EditorEnv,
): Promise<void> {
  const { editor: before } = store.get();
  const edited = await open(draftFile(before, answer));
  store.setNow((state) => {
    if ("failed" in edited) return { ...state, toast: { text: edited.failed, until: env().at + 8000 } };
    const back = draftBack(before, edited.text, env());
    if (back === before) return state;
    const { text } = state.editor;
    // Texts that came back from the queue meanwhile stand before the draft.
    const head =
      text === before.text
        ? ""
        : text.endsWith(before.text)
          ? text.slice(0, -before.text.length || undefined)
          : `${text}\n\n`;
    const editor = edit(state.editor, { op: "set", text: head + back.text }, env());
    return { ...state, editor, menu: { closed: editor.text } };
  });
}
