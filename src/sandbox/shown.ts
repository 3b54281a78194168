import { realpathSync } from "node:fs";
import { isBelow, rootOf } from "../workspace/roots.ts";
import { secretsOf } from "./home.ts";
import type { OutsidePath, SandboxOptions } from "./sandbox.ts";

type Place = Pick<SandboxOptions, "shown" | "roots" | "personHome" | "stateDir" | "configDir">;

/** Made by the copy itself, or part of it with its private files covered: shown as they are, they would open what is closed. */
const OF_THE_COPY = ["/etc", "/proc", "/sys", "/dev", "/run", "/tmp", "/var/tmp"];

/** What settings show to commands beside the roots (W1): read-only, at its own path, as far as it is there now. */
export function shownNow(place: Place): OutsidePath[] {
  const paths = (place.shown ?? []).flatMap((named) => readShown(named, place).path ?? []);
  return [...new Set(paths)].map((path) => ({ path, access: "read" }));
}

/** Why something of the list is not shown, a sentence each. */
export function notShown(place: Place): string[] {
  return (place.shown ?? []).flatMap((named) => {
    const { why } = readShown(named, place);
    return why === undefined ? [] : [`bash.show: commands don't see ${named}: ${why}.`];
  });
}

/** Its real path, or why it can't be shown. Neither: a root shows it. */
function readShown(named: string, place: Place): { path?: string; why?: string } {
  let path: string;
  try {
    path = realpathSync(named);
  } catch {
    return { why: "it is not there" };
  }
  const own = [place.stateDir, place.configDir].flatMap((dir) => dir ?? []);
  if (rootOf(place.roots, path) >= 0) return {};
  if (OF_THE_COPY.some((dir) => isBelow(path, dir))) return { why: "the copy has one of its own there" };
  if (isBelow("/etc", path)) return { why: "what everybody may read in /etc is there, and nothing else of it" };
  if (isBelow(path, place.personHome)) return { why: "it holds your whole home; name the folders in it" };
  if (own.some((dir) => isBelow(dir, path))) return { why: "it belongs to this program" };
  if (secretsOf(place.personHome).some((secret) => isBelow(secret, path))) return { why: "it holds keys of yours" };
  return { path };
}
