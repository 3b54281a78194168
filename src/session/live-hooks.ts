import { join } from "node:path";
import type { LogEvent, LogEventOf, SessionEvent } from "../events/event.ts";
import type { EventLog } from "../events/log.ts";
import { type Hook, isBrought } from "../hooks/hook.ts";
import { concerned, hookSet, lineOf } from "../hooks/hook-set.ts";
import type { Hooks } from "../hooks/hooks.ts";
import { type Common, type HookEvent, type HookInput, PERMISSION_MODE } from "../hooks/moment.ts";
import { type Ran, runHook } from "../hooks/run-hook.ts";
import type { ReadHooks } from "./hook-files.ts";
import { HookFiles } from "./hook-unchanged.ts";
import type { OpenOptions } from "./options.ts";
import type { ChangeReport } from "./session.ts";
import { SettingsError } from "./settings-file.ts";

/** A hook as /hooks shows it. */
export interface HookRow {
  event: HookEvent;
  matcher: string;
  name: string;
  /** Its whole command line; "" for a function of the program's. */
  command: string;
  source: Hook["source"];
  file: string;
  timeoutMs: number;
  inCopy: boolean;
  /** It waits for trust in the folder. */
  held: boolean;
  last?: { at: string; exit: number | null; failed?: string; durationMs?: number };
}

export interface HookReport {
  /** Those of the session, in the order in which their answers count. */
  rows: readonly HookRow[];
  hash: string;
  /** What the files say now, where that is another set. */
  changed?: { added: readonly HookRow[]; removed: readonly HookRow[] };
  /** Why the files can't be read. */
  problem?: string;
  /** What of the files can't be used. */
  notices: readonly string[];
}

/** The hooks of a session, as the person looks at and approves them. */
export interface SessionHooks {
  /** Those that count, and what their files say by now. */
  report(): HookReport;
  /** What the files say, as the person was shown it, counts from here on (H3). */
  approve(shown: HookReport): Promise<ChangeReport>;
  /** The person did something (a key): nobody waits for them in vain. */
  stirred(): void;
}

/** Of a session that reads no settings. */
export const NO_SESSION_HOOKS: SessionHooks = {
  report: () => ({ rows: [], hash: "", notices: [] }),
  approve: () => Promise.resolve({ ok: true, text: "There are no hooks.", paths: [] }),
  stirred: () => {},
};

/**
 * The hooks of an open session: those that were found when it opened (H3), until the person approves others. What a folder brings counts only
 * while it is trusted (H5), and is read anew when it comes to be.
 */
export class LiveHooks implements Hooks, SessionHooks {
  readonly #log: EventLog;
  readonly #options: OpenOptions;
  readonly #read: () => ReadHooks;
  #set: ReadHooks;
  readonly #files: HookFiles;
  #trusted: boolean;
  #told = "";
  /** When the person last did something, in milliseconds of the clock. */
  stirredAt = 0;

  /** Throws SettingsError for a file of the person's that can't be used. */
  constructor(log: EventLog, options: OpenOptions, read: () => ReadHooks) {
    this.#log = log;
    this.#options = options;
    this.#read = read;
    this.#set = read();
    this.#trusted = log.state.trusted;
    const above = this.#set.files;
    this.#files = above ?? new HookFiles(log);
    above?.join(log);
    this.#set = { ...this.#set, files: this.#files };
    if (this.#trusted && above === undefined) this.#files.trust(this.#set.hooks);
  }

  /** Those that count: what a sub-agent's session has too, whatever files say by then. */
  get set(): ReadHooks {
    return this.#set;
  }

  get notices(): readonly string[] {
    return this.#set.notices;
  }

  stirred(): void {
    this.stirredAt = this.#options.clock.now();
  }

  /** Says in the log which hooks there are, and that those which a crash left in the middle are not run again (E3). */
  async begin(): Promise<void> {
    for (const { event, name, callId } of this.#log.state.hooks ?? []) {
      const failed = "the program ended while it ran; what it did is unknown, and it is not run again";
      await this.#log.append({
        type: "hook.ran",
        event,
        name,
        ...(callId === undefined ? {} : { callId }),
        exit: null,
        failed,
        ...(event === "PreToolUse" ? { decision: "ask" as const, reason: failed } : {}),
      });
    }
    if (this.#set.hooks.length > 0) await this.#tell("start");
  }

  concerned(event: HookEvent, subject: string): readonly Hook[] {
    const { trusted } = this.#log.state;
    if (trusted && !this.#trusted) this.#trustedNow();
    if (!trusted) this.#trusted = false;
    return concerned(this.#set, event, subject, trusted);
  }

  run(hook: Hook, input: HookInput, signal: AbortSignal): Promise<Ran> {
    const failed = this.#files.changed(hook);
    if (failed !== undefined) return Promise.resolve({ exit: null, durationMs: 0, failed });
    const { machine, clock, makeId } = this.#options;
    return runHook(hook, input, { folder: this.#log.state.folder, env: machine.env, clock, makeId }, signal);
  }

  common(): Common {
    const { id, folder, mode } = this.#log.state;
    const transcript_path = join(this.#options.store.sessions, `${id}.jsonl`);
    const { agent } = this.#options;
    const of = agent === undefined ? {} : { agent_id: agent.id, agent_type: agent.above.agent };
    return { session_id: id, transcript_path, cwd: folder, permission_mode: PERMISSION_MODE[mode], mode, ...of };
  }

  stopRounds(): number {
    return this.#set.stopRounds;
  }

  news(): string | undefined {
    const fresh = this.#fresh();
    const state = typeof fresh === "string" ? fresh : fresh.hash;
    if (state === this.#set.hash || state === this.#told) return undefined;
    this.#told = state;
    return typeof fresh === "string"
      ? `Hooks: ${fresh} Those of the start stay as they are.`
      : "The hooks in the settings have changed. Those of the start stay as they are until you look at the others and approve them: /hooks.";
  }

  report(): HookReport {
    const fresh = this.#fresh();
    const rows = this.#set.hooks.map((hook) => this.#row(hook));
    const known = { rows, hash: this.#set.hash, notices: this.#set.notices };
    if (typeof fresh === "string") return { ...known, problem: fresh };
    if (fresh.hash === this.#set.hash) return known;
    const without = (of: readonly Hook[], other: readonly Hook[]): HookRow[] => {
      const lines = new Set(other.map(lineOf));
      return of.filter((hook) => !lines.has(lineOf(hook))).map((hook) => this.#row(hook));
    };
    const changed = {
      added: without(fresh.hooks, this.#set.hooks),
      removed: without(this.#set.hooks, fresh.hooks),
    };
    return { ...known, changed };
  }

  /** The set that the person was shown takes effect; another one meanwhile doesn't. */
  async approve(shown: HookReport): Promise<ChangeReport> {
    const fresh = this.#fresh();
    if (typeof fresh === "string") return { ok: false, text: fresh, paths: [] };
    if (fresh.hash === this.#set.hash) return { ok: true, text: "The hooks are as you approved them.", paths: [] };
    const added = fresh.hooks.filter((h) => !this.#set.hooks.some((s) => lineOf(s) === lineOf(h))).map(lineOf);
    const seen = new Set((shown.changed?.added ?? []).map(rowLine));
    if (added.some((line) => !seen.has(line)))
      return {
        ok: false,
        text: "The hooks changed again while you looked: see them once more with /hooks.",
        paths: [],
      };
    this.#set = { ...fresh, files: this.#files };
    this.#files.trust(fresh.hooks);
    await this.#tell("person");
    const count = fresh.hooks.length === 1 ? "1 hook counts" : `${fresh.hooks.length} hooks count`;
    return { ok: true, text: `From now on ${count}.`, paths: [] };
  }

  /** What the person trusts is what the folder brings now, not what it brought when the session opened. */
  #trustedNow(): void {
    this.#trusted = true;
    const fresh = this.#fresh();
    if (typeof fresh === "string") return;
    const own = this.#set.hooks.filter((h) => !isBrought(h));
    this.#set = { ...this.#set, ...hookSet([...own, ...fresh.hooks.filter(isBrought)]), notices: fresh.notices };
    this.#files.trust(this.#set.hooks);
  }

  #fresh(): ReadHooks | string {
    try {
      return this.#read();
    } catch (error) {
      if (error instanceof SettingsError) return error.message;
      throw error;
    }
  }

  #row(hook: Hook): HookRow {
    const { event, matcher, name, run, source, file, timeoutMs, inCopy } = hook;
    const ran = this.#log.events.findLast(
      (e): e is LogEventOf<"hook.ran"> => e.type === "hook.ran" && e.event === event && e.name === name,
    );
    return {
      event,
      matcher,
      name,
      command: run.kind === "command" ? run.command : "",
      source,
      file,
      timeoutMs,
      inCopy,
      held: isBrought(hook) && !this.#log.state.trusted,
      ...(ran === undefined ? {} : { last: lastOf(ran) }),
    };
  }

  async #tell(by: "start" | "person"): Promise<SessionEvent> {
    const hooks = this.#set.hooks.map(({ event, matcher, name, source }) => ({ event, matcher, name, source }));
    return this.#log.append({ type: "hooks.set", hash: this.#set.hash, by, hooks });
  }
}

/** Tells the person once that the files say something else by now (H3). */
export async function hookNews(log: EventLog, hooks: LiveHooks | undefined): Promise<LogEvent[]> {
  const text = hooks?.news();
  return text === undefined ? [] : [await log.append({ type: "limit.warned", limit: "hooks", text })];
}

function lastOf({ at, exit, failed, durationMs }: LogEventOf<"hook.ran">): NonNullable<HookRow["last"]> {
  return {
    at,
    exit,
    ...(failed === undefined ? {} : { failed }),
    ...(durationMs === undefined ? {} : { durationMs }),
  };
}

/** As `lineOf` says it of the hook. */
function rowLine({ event, matcher, command, name, source, file, timeoutMs, inCopy }: HookRow): string {
  return JSON.stringify([event, matcher, command === "" ? name : command, source, file, timeoutMs, inCopy]);
}
