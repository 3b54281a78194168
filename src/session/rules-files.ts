import { createHash } from "node:crypto";
import { join } from "node:path";
/** The settings of the person, everywhere. */
export function userSettingsFile(configDir: string): string {
  return join(configDir, "settings.json");
}

/** What the project itself says; it can only tighten. */
export function projectSettingsFile(folder: string): string {
  return join(folder, ".agent", "settings.json");
}

/** The person's own rules for a folder, outside it. `folder`: its real path. */
export function personSettingsFile(configDir: string, folder: string): string {
  return join(configDir, "projects", `${createHash("sha256").update(folder).digest("hex").slice(0, 16)}.json`);
}

/** The machine's own settings, which stand above all others. */
export const MANAGED_FILE = "/etc/understudy/settings.json";
