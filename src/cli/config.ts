import { existsSync, mkdirSync, realpathSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { programDirs, homeOf } from "../session/environment.ts";
import { personSettingsFile, userSettingsFile } from "../session/rules-files.ts";
import { checkSettings, readSettingsText } from "../session/settings-file.ts";
import {
  keyProblem,
  type Layer,
  layersOf,
  type Placed,
  placedLine,
  setValue,
  valuesOf,
  valueTyped,
} from "../session/settings-layers.ts";
import { openStore } from "../session/store.ts";
import { editInPlace } from "../ui/term/editor.ts";
import { randomId, systemClock } from "../util/system.ts";
import { visible } from "../util/visible.ts";
import { say, tell, tellJson } from "./diff-text.ts";
import { UsageError } from "./usage-error.ts";

export type ConfigOptions =
  | { act: "list"; json: boolean }
  | { act: "get"; key: string; json: boolean }
  | { act: "set"; key: string; value?: string; here: boolean }
  | { act: "edit"; here: boolean };

/** `agent config`. Gives the exit code. */
export async function configVerb(options: ConfigOptions): Promise<number> {
  const dirs = programDirs(process.env);
  openStore(dirs);
  const folder = realpathSync(process.cwd());
  const home = homeOf(process.env);
  const deps = { configDir: dirs.config, folder, home, clock: systemClock, makeId: randomId };
  switch (options.act) {
    case "list": {
      const placed = layersOf(deps).flatMap((layer) => valuesOf(layer));
      for (const one of placed) row(one, options.json);
      if (placed.length === 0 && !options.json) tell("Nothing is set. agent config set KEY VALUE sets something.");
      return 0;
    }
    case "get":
      return get(options.key, options.json, layersOf(deps));
    case "set": {
      const { key, value } = options;
      const source = options.here ? "person" : "user";
      const file = await setValue(key, value === undefined ? undefined : valueTyped(value), source, deps);
      tell(`${key} is ${value === undefined ? "no longer set" : "set"} in ${visible(file, "")}.`);
      return 0;
    }
    case "edit": {
      const source = options.here ? "person" : "user";
      const file = options.here ? personSettingsFile(dirs.config, folder) : userSettingsFile(dirs.config);
      if (!existsSync(file)) {
        mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
        writeFileSync(file, options.here ? `${JSON.stringify({ folder }, undefined, 2)}\n` : "{}\n", { mode: 0o600 });
      }
      const failed = await editInPlace(file, { env: process.env, cwd: folder, dir: dirs.state });
      if (failed !== undefined) throw new UsageError(failed);
      checkSettings(file, readSettingsText(file, true) ?? "{}", source, home);
      return 0;
    }
  }
}

/** The strongest comes first; a folder's own value counts where it is stricter. */
function get(key: string, json: boolean, layers: readonly Layer[]): number {
  const problem = keyProblem(key);
  if (problem !== undefined) throw new UsageError(problem);
  const found = layers.flatMap((layer) => valuesOf(layer, key));
  for (const placed of found) row(placed, json);
  if (found.length === 0) say(`${key} is not set`);
  return found.length === 0 ? 1 : 0;
}

function row(placed: Placed, json: boolean): void {
  if (!json) return tell(placedLine(placed));
  const { key, source, file, line, value } = placed;
  tellJson({ key, value, source, file, line });
}
