import { textOf, type ContentBlock } from "../events/block.ts";
import type { Mode } from "../events/effect.ts";
import type { Effort, SessionEvent } from "../events/event.ts";
import type { RateLimit } from "../events/live-event.ts";
import type { SessionState } from "../events/state.ts";
import { budgetsOf, ledgerNow } from "../loop/limits.ts";
import type { LimitName, Scope } from "../loop/ledger.ts";
import { openQuestions } from "./questions.ts";
import type { LoopDeps, Prompt, Stop } from "../loop/deps.ts";
import { goOn } from "../loop/query.ts";
import { maskDeep } from "../util/secrets/deep.ts";
import type { TurnKind } from "../workspace/workspace.ts";
import { type SessionAgents, sessionAgents } from "./agents-live.ts";
import { promptOf } from "./attach.ts";
import { besideOf, type Beside } from "./beside.ts";
import { endBackground, openPort, stopShell } from "./background.ts";
import { HookMoments } from "./hook-moments.ts";
import { NO_SESSION_HOOKS, type SessionHooks } from "./live-hooks.ts";
import type { LiveParts } from "./live-parts.ts";
import { noticesOf } from "./notices.ts";
import { contextOf, type SessionContext } from "./context.ts";
import { listSteps, previewStep, turnStep } from "./changes.ts";
import { withTexts } from "./command-text.ts";
import { CostFold, type CostReport } from "./cost.ts";
import { drained, hearing } from "./hearing.ts";
import { maskedLive } from "./live-keys.ts";
import { type LongWork, longWork } from "./long-work.ts";
import { loopDeps } from "./loop-deps.ts";
import { looksOf, type Looks } from "./looks.ts";
import { afterServers, NO_SERVERS, type SessionServers } from "./mcp-live.ts";
import { ownShell, type OwnShell } from "./outside.ts";
import { permissionsOf, type Permissions } from "./policy-permissions.ts";
import { resultOf } from "./result.ts";
import { sessionName } from "./rename.ts";
import { previewRewind, rewind, rewindPoints } from "./rewind.ts";
import type {
  ChangeReport,
  LimitsReport,
  QueryResult,
  RewindPoint,
  RewindPreview,
  RewindWhat,
  Session,
  StepPreview,
  StepRow,
  UndoHow,
} from "./session.ts";
import { land, setRehearsal } from "./rehearse.ts";
import type { LandHow } from "./rehearse-land.ts";
import { refuseLooser } from "./settings-managed.ts";
import { runShell } from "./shell.ts";
import { sessionSettings, type SessionSettings } from "./session-settings.ts";
import { sessionTrust, type SessionTrust } from "./session-trust.ts";
import { unfinishedWords } from "./unfinished.ts";
import { effortNow, switchEffort, switchModel } from "./switch.ts";

/** A session that is open: the only holder of its log, its workspace and its sandbox. */
export class LiveSession implements Session {
  readonly #parts: LiveParts;
  readonly #deps: LoopDeps;
  readonly #moments: HookMoments;
  readonly #queue: Prompt[] = [];
  #running = false;
  readonly #cost: CostFold;
  #limits: readonly RateLimit[] = [];
  /** An undo, redo or rewind on its way: a message waits for its end. */
  #turning: Promise<unknown> = Promise.resolve();

  constructor(parts: LiveParts) {
    this.#parts = parts;
    this.#cost = new CostFold(parts.options.config.prices);
    this.#deps = loopDeps(parts, {
      take: () => this.#queue.splice(0).map((said) => maskDeep(said, parts.log.secrets)),
    });
    const source = parts.options.resume === undefined ? "startup" : "resume";
    this.#moments = new HookMoments(this.#deps, source, () => parts.hooks?.stirredAt ?? 0);
  }

  get id(): string {
    return this.#parts.log.state.id;
  }
  get beside(): Beside {
    return besideOf(this.#parts, this.#deps);
  }
  get context(): SessionContext {
    return contextOf(this.#deps, (work) => this.#withoutQuery(() => this.#alone(work)));
  }
  get looks(): Looks {
    return looksOf(this.#parts);
  }
  get sandbox(): Session["sandbox"] {
    const { kind, contained, why } = this.#parts.sandbox;
    return { kind, contained, why };
  }
  get notices(): readonly string[] {
    return noticesOf(this.#parts);
  }
  state(): SessionState {
    return this.#parts.log.state;
  }

  unfinished(): string | undefined {
    return unfinishedWords(this.state());
  }

  async *submit(
    content: string | readonly ContentBlock[] | Prompt,
    signal: AbortSignal = new AbortController().signal,
  ): AsyncGenerator<SessionEvent, QueryResult> {
    await this.#turning;
    // What a crash left is closed first, so that the new message stands behind whole turns.
    if (this.unfinished() !== undefined) yield* this.#run(goOn(this.#deps, AbortSignal.abort()));
    // Masked before anything sees it, hooks too.
    const said = maskDeep(promptOf(content), this.#parts.log.secrets);
    const { texts, options } = this.#parts;
    const run = withTexts(said, { deps: this.#deps, texts, home: options.machine.home }, signal);
    return yield* this.#run(this.#moments.around(run, signal));
  }

  goOn(...[signal = new AbortController().signal, answers]: Parameters<Session["goOn"]>): ReturnType<Session["goOn"]> {
    const answered = goOn(this.#deps, signal, typeof answers === "string" ? [answers] : answers);
    const run = afterServers(this.#parts, answered, signal);
    return this.#run(this.#moments.around(run, signal));
  }
  questions(): ReturnType<Session["questions"]> {
    return openQuestions(this.state());
  }
  limits(): LimitsReport {
    return { budgets: budgetsOf(this.#deps), used: ledgerNow(this.#deps) };
  }
  async setLimit(scope: Scope, limit: LimitName, value: number | undefined): Promise<void> {
    refuseLooser(this.#parts.options.config.managed, scope, limit, value);
    await this.#parts.log.append({ type: "limit.changed", scope, limit, value: value ?? null });
  }

  async *#run(events: AsyncGenerator<SessionEvent, Stop>): AsyncGenerator<SessionEvent, QueryResult> {
    if (this.#running) throw new Error("a query runs already; steer it, or wait for its end");
    this.#running = true;
    const before = this.state().seq;
    try {
      const stop = yield* hearing(maskedLive(events, this.#parts.log.secrets), (limits) => (this.#limits = limits));
      return resultOf(
        maskDeep(stop, this.#parts.log.secrets),
        this.state(),
        this.#parts.log.events.filter((e) => e.seq > before),
      );
    } finally {
      this.#running = false;
    }
  }

  /** What the person is shown of files. */
  async #masked<T>(shown: Promise<T>): Promise<T> {
    return maskDeep(await shown, this.#parts.log.secrets);
  }

  /** No query may run on layers that a review takes away, none begin meanwhile. */
  async #withoutQuery<T>(work: () => Promise<T>): Promise<T> {
    if (this.#running) throw new Error("a query runs: stop it, or wait for its end");
    this.#running = true;
    try {
      return await work();
    } finally {
      this.#running = false;
    }
  }

  steer(said: string | Prompt): void {
    this.#queue.push(promptOf(said));
  }
  takeBack(): readonly string[] {
    return this.#queue.splice(0).map(({ content }) => textOf(content));
  }
  queued(): readonly string[] {
    return this.#queue.map(({ content }) => textOf(content));
  }

  async setMode(mode: Mode): Promise<void> {
    const before = this.state().mode;
    if (mode === before) return;
    await this.#parts.log.append({ type: "mode.changed", mode, by: "person" });
    this.#moments.modeChanged(before, mode);
  }
  setModel(model: string): Promise<string> {
    return switchModel(this.#parts, model);
  }
  setEffort(effort?: Effort): Promise<string> {
    return switchEffort(this.#parts, effort);
  }
  permissions(): Permissions {
    return permissionsOf(this.#parts);
  }
  effort(): Effort | undefined {
    return effortNow(this.#parts);
  }
  get agents(): SessionAgents {
    return sessionAgents(this.#parts);
  }
  get trust(): SessionTrust {
    return sessionTrust(this.#parts);
  }
  get settings(): SessionSettings {
    return sessionSettings(this.#parts);
  }
  get longWork(): LongWork | undefined {
    return longWork(this, this.#deps);
  }
  async rename(wanted: string): Promise<void> {
    const name = sessionName(wanted, this.#parts.options.store.sessions, this.id);
    await this.#parts.log.append({ type: "session.named", name });
  }
  async clear(): Promise<void> {
    await this.#parts.log.append({ type: "context.reset" });
    await this.#moments.cleared();
  }

  shell(command: string, signal: AbortSignal): ReturnType<Session["shell"]> {
    return maskedLive(runShell(command, this.#deps, signal), this.#parts.log.secrets);
  }
  get own(): OwnShell {
    return ownShell(this.#deps);
  }
  undo(operationId?: string, how?: UndoHow): Promise<ChangeReport> {
    return this.#alone(() => turnStep(this.#parts, "undo", operationId, how));
  }
  redo(operationId?: string, how?: UndoHow): Promise<ChangeReport> {
    return this.#alone(() => turnStep(this.#parts, "redo", operationId, how));
  }
  previewStep(kind: TurnKind, operationId?: string): Promise<StepPreview | undefined> {
    return this.#masked(previewStep(this.#parts, kind, operationId));
  }
  steps(): Promise<readonly StepRow[]> {
    return listSteps(this.#parts);
  }
  rewindPoints(): readonly RewindPoint[] {
    return rewindPoints(this.#parts);
  }
  previewRewind(to: number): Promise<RewindPreview> {
    return this.#masked(previewRewind(this.#parts, to));
  }
  rewind(to: number, what: RewindWhat, how?: UndoHow): Promise<ChangeReport> {
    return this.#alone(async () => {
      if (this.#running) throw new Error("a query runs: stop it before you rewind");
      // What a crash left open is closed first, so that nothing of it goes on behind the person's back.
      if (what !== "files" && this.unfinished() !== undefined)
        await drained(this.#run(goOn(this.#deps, AbortSignal.abort())));
      return rewind(this.#parts, to, what, how);
    });
  }
  #alone<R>(work: () => Promise<R>): Promise<R> {
    const done = this.#turning.then(work);
    this.#turning = done.catch(() => undefined);
    return done;
  }
  land(how: LandHow = {}, signal: AbortSignal = new AbortController().signal): Promise<ChangeReport> {
    return this.#withoutQuery(() => this.#alone(() => land(this.#parts, this.#deps, how, signal)));
  }
  setRehearsal(on: boolean): Promise<ChangeReport> {
    return setRehearsal(this.#parts, on, "person");
  }
  background(): Session["background"] extends () => infer R ? R : never {
    const { groups } = this.#parts.sandbox;
    return {
      shells: groups?.living().map(({ info }) => ({ id: info.id, command: info.command })) ?? [],
      ports: groups?.ports() ?? [],
    };
  }
  onBackground(listener: () => void): void {
    this.#parts.sandbox.groups?.onChange(listener);
  }
  stopShell(id: string): Promise<ChangeReport> {
    return stopShell(this.#parts.sandbox, id);
  }
  openPort(port?: number): Promise<ChangeReport> {
    return openPort(this.#parts.sandbox, port);
  }
  cost(): CostReport {
    this.#cost.catchUp(this.#parts.log.events);
    return this.#cost.report(this.#limits);
  }

  get hooks(): SessionHooks {
    return this.#parts.hooks ?? NO_SESSION_HOOKS;
  }
  get servers(): SessionServers {
    return this.#parts.servers ?? NO_SERVERS;
  }

  async close(): Promise<void> {
    this.#parts.agents.endAll();
    await this.#moments.end("other");
    await Promise.all([endBackground(this.#parts), this.#parts.servers?.set.close()]);
    await this.#parts.sandbox.close();
    await this.#parts.workspace.close();
    await this.#parts.log.close();
  }
}
