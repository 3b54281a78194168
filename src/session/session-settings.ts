import type { LiveParts } from "./live-parts.ts";
import { keyProblem, layersOf, placedLine, setValue, valuesOf, valueTyped } from "./settings-layers.ts";
import { SettingsError } from "./settings-file.ts";

/** The settings files, looked at and changed from within a session, as `agent config` does. */
export interface SessionSettings {
  /** A line for each value, the strongest file first; those of one key. Throws a SettingsError. */
  rows(key?: string): readonly string[];
  /** Sets a value as it was typed in the person's settings (`here`: in those for this folder), or takes it out. Gives one line. Throws a SettingsError. */
  set(key: string, value: string | undefined, here: boolean): Promise<string>;
}

export function sessionSettings({ options, log }: Pick<LiveParts, "options" | "log">): SessionSettings {
  const { store, machine, clock, makeId } = options;
  const deps = { configDir: store.config, folder: log.state.folder, home: machine.home, clock, makeId };
  return {
    rows(key) {
      const problem = key === undefined ? undefined : keyProblem(key);
      if (problem !== undefined) throw new SettingsError([problem]);
      return layersOf(deps).flatMap((layer) => valuesOf(layer, key).map(placedLine));
    },
    async set(key, value, here) {
      const problem = keyProblem(key);
      if (problem !== undefined) throw new SettingsError([problem]);
      const typed = value === undefined ? undefined : valueTyped(value);
      const file = await setValue(key, typed, here ? "person" : "user", deps);
      const rest = /^(permissions|hooks)\b/.test(key)
        ? "/permissions reload takes rules into this session."
        : "New sessions begin with it; this one goes on as it is (/model, /effort, /mode and /limits change it).";
      return `${key} is ${value === undefined ? "no longer set" : "set"} in ${file}. ${rest}`;
    },
  };
}
