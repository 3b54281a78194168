import { type Check, type Checks, commandText } from "../loop/check.ts";
import type { SettingsFile } from "./settings-schema.ts";

type Written = NonNullable<SettingsFile["checks"]>[number];

const TIMEOUT_MS = 600_000;
const ROUNDS = 3;

/**
 * Completion checks of the person's settings, and those of the project's file behind them: they run in the copy without network, as any command of
 * the model's does unasked, and add to what has to hold; the project's commands run only where the folder is trusted, as all that it brings
 * (H5). Where the person wants to be asked before each command, a project's are not run.
 * @param project its checks, and how often at most it wants failures to go back to the model (it can only lower that).
 * @param before `permissions.commands` is "before".
 */
export function checksOf(
  own: Pick<SettingsFile, "checks" | "checkRounds">,
  project: Pick<SettingsFile, "checks" | "checkRounds"> & { file: string },
  before: boolean,
): { checks?: Checks; notices: string[] } {
  const mine = (own.checks ?? []).map(checkOf);
  const theirs = (project.checks ?? []).map(checkOf).map(brought);
  const added = before ? theirs.filter((c) => c.kind !== "command") : theirs;
  const fresh = added.filter((c) => !mine.some((m) => commandText(m) === commandText(c)));
  const list = named([...mine, ...fresh]);
  const rounds = Math.min(own.checkRounds ?? ROUNDS, project.checkRounds ?? Infinity);
  const notices = [
    ...(fresh.length === 0
      ? []
      : [
          `${project.file}: completion checks of the project run too, where you trust the folder (in the copy, without network): ${names(fresh)}`,
        ]),
    ...(added.length === theirs.length
      ? []
      : [
          `${project.file}: its completion checks are not run, since commands are asked about before they run; name them in your own settings: ${names(theirs.filter((c) => c.kind === "command"))}`,
        ]),
  ];
  return { notices, ...(list.length === 0 ? {} : { checks: { list, rounds } }) };
}

function names(checks: readonly Check[]): string {
  return checks.map(commandText).join("; ");
}

function checkOf({ name, command = "", timeoutSeconds, when, mustExist, mustNotChange }: Written): Check {
  if (mustExist !== undefined) return { name: name ?? "must exist", kind: "exists", paths: mustExist };
  if (mustNotChange !== undefined) return { name: name ?? "must not change", kind: "unchanged", paths: mustNotChange };
  return {
    name: name ?? command.trim().split("\n")[0]?.slice(0, 60) ?? "",
    kind: "command",
    command,
    timeoutMs: timeoutSeconds === undefined ? TIMEOUT_MS : Math.round(timeoutSeconds * 1000),
    ...(when === undefined ? {} : { when }),
  };
}

/** What only looks at files runs nothing, and needs no trust. */
function brought(check: Check): Check {
  return check.kind === "command" ? { ...check, brought: true } : check;
}

/** The name is what the log knows a check by. */
function named(checks: readonly Check[]): Check[] {
  const taken = new Set<string>();
  return checks.map((check) => {
    let { name } = check;
    for (let n = 2; taken.has(name); n++) name = `${check.name} (${n})`;
    taken.add(name);
    return { ...check, name };
  });
}
