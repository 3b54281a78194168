import { SettingsError } from "../session/settings-file.ts";
import { bypassPlace, managedOf, readManaged, type ManagedPlace } from "../session/settings-managed.ts";

/** What the machine's settings decide, or why they stop every start. */
export function managedLines(place: ManagedPlace, home: string): string[] {
  try {
    const read = readManaged(place, home);
    if (read === undefined) return [`no settings of the machine (${place.file})`];
    const { locked } = managedOf(read);
    const rules = read.rules.length === 1 ? "1 rule" : `${read.rules.length} rules`;
    const keys = locked.size === 0 ? "" : `, locks ${[...locked].join(", ")}`;
    const bypass = bypassPlace(read).length === 0 ? "" : ", forbids --bypass";
    return [`${place.file}: ${rules}${keys}${bypass}`];
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    return ["nothing starts until this is mended:", ...error.problems];
  }
}
