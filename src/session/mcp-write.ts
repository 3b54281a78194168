import { readOne } from "../mcp/config.ts";
import { withoutServer, withServer } from "./mcp-edit.ts";
import { parseJsonc } from "./jsonc.ts";
import type { WritableSource } from "./rules-edit.ts";
import { personSettingsFile, userSettingsFile } from "./rules-files.ts";
import { write, type SaveDeps } from "./rules-write.ts";
import { checkSettings, readSettingsText, SettingsError } from "./settings-file.ts";

/** Where a server of this source is written. */
export function serversFile(
  { configDir, folder }: Pick<SaveDeps, "configDir" | "folder">,
  source: WritableSource,
): string {
  return source === "user" ? userSettingsFile(configDir) : personSettingsFile(configDir, folder);
}

/**
 * Names a server in the person's settings, in the place of one of that name; comments and all else of the file stay. Gives the file.
 * @throws SettingsError that says what is wrong with it, or with the file.
 */
export async function addServer(
  { name, setting, source }: { name: string; setting: object; source: WritableSource },
  deps: SaveDeps,
): Promise<string> {
  const read = readOne(name, setting);
  if (typeof read === "string") throw new SettingsError([`server ${JSON.stringify(name)}: ${read}`]);
  await write(source, deps, (before, file) => {
    const text =
      before?.text ?? (source === "user" ? "{}\n" : `${JSON.stringify({ folder: deps.folder }, undefined, 2)}\n`);
    const after = withServer(text, before?.tree ?? parseJsonc(text), name, setting);
    checkSettings(file, after, source, deps.home);
    return after;
  });
  return serversFile(deps, source);
}

/** The person's settings that name a server. */
export function namedIn(name: string, deps: Pick<SaveDeps, "configDir" | "folder">): WritableSource[] {
  return (["user", "person"] as const).filter((source) => {
    const text = readSettingsText(serversFile(deps, source), true);
    return text !== undefined && withoutServer(text, parseJsonc(text), name) !== undefined;
  });
}

/** Takes a server out of the person's settings. @throws SettingsError where it is not named there. */
export async function removeServer(name: string, source: WritableSource, deps: SaveDeps): Promise<string> {
  await write(source, deps, (before, file) => {
    const after = before === undefined ? undefined : withoutServer(before.text, before.tree, name);
    if (after === undefined)
      throw new SettingsError([
        `${file}: there is no server ${JSON.stringify(name)}; agent mcp list names those that there are.`,
      ]);
    checkSettings(file, after, source, deps.home);
    return after;
  });
  return serversFile(deps, source);
}
