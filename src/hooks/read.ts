import { HOOK_TIMEOUT_MS, type Hook, type HookFunction, type HookSource } from "./hook.ts";
import { matcherOf } from "./matcher.ts";
import { HOOK_EVENTS, type HookEvent, type HookInput } from "./moment.ts";
import { PatternError } from "./pattern.ts";
import { ForeignGroup, type HooksSetting } from "./schema.ts";
import { z } from "zod";

interface From {
  source: HookSource;
  file: string;
}

/** The hooks of a settings file that was checked, in the order in which they are written. */
export function hooksOf(setting: HooksSetting, from: From): Hook[] {
  return HOOK_EVENTS.flatMap((event) =>
    (setting[event] ?? []).flatMap(({ matcher = "", hooks }) =>
      hooks.map(({ command, timeout, name, inCopy }) =>
        commandHook({ event, matcher, command, timeout, name, inCopy: inCopy ?? setting.inCopy ?? false }, from),
      ),
    ),
  );
}

interface Written {
  event: HookEvent;
  matcher: string;
  command: string;
  timeout?: number | undefined;
  name?: string | undefined;
  inCopy: boolean;
}

/** Throws PatternError for a matcher that can't be read. */
function commandHook({ event, matcher, command, timeout, name, inCopy }: Written, { source, file }: From): Hook {
  return {
    event,
    name: name ?? nameOf(command),
    matcher,
    matches: matcherOf(matcher),
    source,
    file,
    timeoutMs: timeout === undefined ? HOOK_TIMEOUT_MS : Math.round(timeout * 1000),
    inCopy,
    run: { kind: "command", command },
  };
}

/** Enough of a command to know it again. */
function nameOf(command: string): string {
  const line = command.trim().split("\n")[0] ?? "";
  return line.length <= 60 ? line : `${line.slice(0, 59)}…`;
}

/**
 * Hooks of a file that is not written for this program alone, or that a project brings: what can't be used is told and left out, the rest
 * is used.
 * @param value what stands at its key `hooks`.
 */
export function foreignHooks(value: unknown, from: From): { hooks: Hook[]; problems: string[] } {
  const hooks: Hook[] = [];
  const problems: string[] = [];
  if (value === undefined) return { hooks, problems };
  const events = z.record(z.string(), z.unknown()).safeParse(value);
  if (!events.success) return { hooks, problems: ["hooks: is no object, and is not used"] };
  for (const [name, groups] of Object.entries(events.data)) {
    const event = HOOK_EVENTS.find((e) => e === name);
    const inCopy = events.data["inCopy"] === true;
    if (event !== undefined) readGroups(groups, { event, inCopy }, from, hooks, problems);
    else if (name !== "inCopy" && name !== "stopRounds") problems.push(`hooks.${name}: no such event here; not used`);
  }
  return { hooks, problems };
}

function readGroups(
  value: unknown,
  at: Pick<Written, "event" | "inCopy">,
  from: From,
  hooks: Hook[],
  problems: string[],
): void {
  const groups = z.array(ForeignGroup).max(100).safeParse(value);
  if (!groups.success) return void problems.push(`hooks.${at.event}: can't be understood, and is not used`);
  for (const { matcher = "", hooks: written } of groups.data) {
    for (const { type, command, timeout } of written.slice(0, 50)) {
      try {
        if (type !== "command" || command === undefined)
          problems.push(`hooks.${at.event}: a hook of type ${type} is not known here, and not used`);
        else hooks.push(commandHook({ ...at, matcher, command, timeout }, from));
      } catch (error) {
        if (!(error instanceof PatternError)) throw error;
        problems.push(`hooks.${at.event}: the matcher ${matcher} is not used: ${error.message}`);
      }
    }
  }
}

/** A hook of a program that uses the library. */
export interface ProgramHook<E extends HookEvent> {
  /** As in settings; default: all. */
  matcher?: string;
  /** How it is named to people and the model; default: "program". */
  name?: string;
  /** Milliseconds; default 60,000. */
  timeoutMs?: number;
  /** Gives nothing, or an answer as a command prints it. It is told to stop by the signal. */
  run(input: HookInput<E>, signal: AbortSignal): unknown;
}
/** Hooks of a program that uses the library, by event. */
export type ProgramHooks = { readonly [E in HookEvent]?: readonly ProgramHook<E>[] };

/** Throws PatternError for a matcher that can't be read. */
export function programHooks(written: ProgramHooks): Hook[] {
  return HOOK_EVENTS.flatMap((event) => {
    const of: readonly Omit<ProgramHook<never>, never>[] = written[event] ?? [];
    return of.map(({ matcher = "", name = "program", timeoutMs = HOOK_TIMEOUT_MS, run }): Hook => ({
      event,
      name,
      matcher,
      matches: matcherOf(matcher),
      source: "program",
      file: "",
      timeoutMs,
      inCopy: false,
      run: { kind: "function", call: run as HookFunction },
    }));
  });
}
