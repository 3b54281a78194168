import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { runWithTerminal } from "../../util/process.ts";
import { withoutServiceKeys } from "../../util/secrets/environment.ts";

/** What came back from the person's editor, or why nothing did. */
export type Edited = { text: string } | { failed: string };

export interface EditorPlace {
  env: Readonly<Record<string, string | undefined>>;
  cwd: string;
  /** A folder of the program's own; the text lies in a private one below it while the editor is open. */
  dir: string;
}

/** The command of the person's editor: read by a shell, as git does it, since it may hold arguments. */
export function editorOf(env: EditorPlace["env"]): string | undefined {
  return [env["VISUAL"], env["EDITOR"]].find((value) => (value ?? "").trim() !== "");
}

/**
 * Opens a text in `$VISUAL` or `$EDITOR` (IN-16). Call it while the screen has let go of the terminal. The file is the person's alone, and
 * gone afterwards; it is called as `path` is, as far as its name has plain letters.
 */
export async function editOutside(text: string, { env, cwd, dir }: EditorPlace, path?: string): Promise<Edited> {
  const editor = editorOf(env);
  if (editor === undefined) return { failed: NO_EDITOR };
  let own: string | undefined;
  try {
    mkdirSync(dir, { recursive: true, mode: 0o700 });
    own = mkdtempSync(join(dir, "edit-"));
    const file = join(own, nameFor(path ?? "draft.md"));
    writeFileSync(file, text, { mode: 0o600, flag: "wx" });
    const code = await runWithTerminal("/bin/sh", ["-c", `${editor} "$1"`, "sh", file], {
      cwd,
      env: withoutServiceKeys(env),
    });
    if (code !== 0)
      return { failed: `${reason(editor, code)}: the ${path === undefined ? "draft" : "file"} is as it was` };
    return { text: readFileSync(file, "utf8") };
  } catch (error) {
    return { failed: `${editor}: ${error instanceof Error ? error.message : String(error)}` };
  } finally {
    if (own !== undefined) rmSync(own, { recursive: true, force: true });
  }
}

/** An editor's own settings may lie in a file of any name: what begins with a dot or a dash, or is unusual, loses that. */
function nameFor(path: string): string {
  return (
    basename(path)
      .replaceAll(/[^\w.-]/g, "_")
      .replace(/^[.-]+/, "")
      .slice(-80) || "file"
  );
}

/** Opens a file itself, where it lies; one that is not there is the editor's to make. Gives why it did not. */
export async function editInPlace(path: string, { env, cwd }: EditorPlace): Promise<string | undefined> {
  const editor = editorOf(env);
  if (editor === undefined) return NO_EDITOR;
  try {
    const code = await runWithTerminal("/bin/sh", ["-c", `${editor} "$1"`, "sh", path], {
      cwd,
      env: withoutServiceKeys(env),
    });
    return code === 0 ? undefined : reason(editor, code);
  } catch (error) {
    return `${editor}: ${error instanceof Error ? error.message : String(error)}`;
  }
}

const NO_EDITOR = "No editor is set: put one into $VISUAL or $EDITOR, such as export EDITOR=nano";

function reason(editor: string, code: number | null): string {
  if (code === 127) return `${editor} is not there (see $VISUAL and $EDITOR)`;
  return code === null ? `${editor} was ended by a signal` : `${editor} ended with ${code}`;
}
