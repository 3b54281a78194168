import { parseJsonc } from "./jsonc.ts";
import { entryOf, indentOf, insertFirst } from "./mcp-edit.ts";
import { userSettingsFile } from "./rules-files.ts";
import { write, type SaveDeps } from "./rules-write.ts";
import { checkSettings } from "./settings-file.ts";

/**
 * Sets a text of the person's settings for everywhere; comments and every other byte stay. Gives the file.
 * @throws SettingsError where the file, or it with this in it, can't be used: nothing is written then.
 */
export async function saveSetting(key: "theme", value: string, deps: SaveDeps): Promise<string> {
  await write("user", deps, (before, file) => {
    const text = before?.text ?? "{}\n";
    const tree = before?.tree ?? parseJsonc(text);
    const known = entryOf(tree, key)?.value;
    const quoted = JSON.stringify(value);
    const after =
      known === undefined
        ? insertFirst(text, tree, `"${key}": ${quoted}`, indentOf(text, tree))
        : text.slice(0, known.start) + quoted + text.slice(known.end);
    checkSettings(file, after, "user", deps.home);
    return after;
  });
  return userSettingsFile(deps.configDir);
}
