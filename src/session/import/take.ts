import { visible } from "../../util/visible.ts";
import { addServer, namedIn } from "../mcp-write.ts";
import { addRule, type SaveDeps } from "../rules-write.ts";
import { layersOf } from "../settings-layers.ts";
import type { Found } from "./found.ts";

/** What can be written: a server, or a rule. */
export type Taken = Extract<Found, { kind: "server" | "rule" }>;

/** Why a thing need not be written; undefined: it is new. The first of several servers with one name is taken. */
export function thereAlready(one: Taken, before: readonly Taken[], deps: SaveDeps): string | undefined {
  if (one.kind === "server") {
    if (namedIn(one.name, deps).length > 0) return "your settings name a server so already";
    const first = before.find((other) => other.kind === "server" && other.name === one.name);
    return first === undefined ? undefined : `${first.from} has this name`;
  }
  const same = layersOf(deps).some(({ source, read }) =>
    source === one.scope || source === "user"
      ? read.rules.some((r) => r.action === one.action && r.text === one.text)
      : false,
  );
  return same ? "your settings have this rule already" : undefined;
}

/** Writes one into the person's settings, as `agent mcp add` and `agent permissions` do: comments and all else stay. @throws SettingsError, RuleError. */
export async function take(one: Taken, deps: SaveDeps): Promise<void> {
  if (one.kind === "server") await addServer({ name: one.name, setting: one.setting, source: one.scope }, deps);
  else await addRule({ action: one.action, text: one.text, source: one.scope }, deps);
}

/** What stands in a thing's place in the settings, literally. */
export function takenLines(one: Taken): string[] {
  if (one.kind === "rule") return [`permissions.${one.action}: ${visible(JSON.stringify(one.text), "")}`];
  return [
    `mcpServers.${one.name}: ${visible(JSON.stringify(one.setting), "")}`,
    ...one.notes.map((note) => `  ${visible(note, "")}`),
  ];
}
