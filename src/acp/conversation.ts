import type { ContentBlock, PromptResponse } from "@agentclientprotocol/sdk";
import type { SessionEvent } from "../events/event.ts";
import { submitWords } from "../session/attach.ts";
import { questionLines } from "../session/questions.ts";
import type { QueryResult, Session } from "../session/session.ts";
import { availableCommands, commandIn, type Place } from "./commands.ts";
import type { Editor } from "./editor.ts";
import { answersIn, stopReason } from "./ending.ts";
import { historyOf } from "./history.ts";
import { saidBy } from "./said.ts";
import { Teller, type TellerDeps } from "./teller.ts";

/** A message is on its way already. */
export class BusyError extends Error {
  override name = "BusyError";
}
/** The service could not be had: the editor is told so as an error. */
export class ServiceError extends Error {
  override name = "ServiceError";
}

/** An open session with the editor that has it. */
export class Conversation {
  readonly session: Session;
  readonly #editor: Editor;
  readonly #teller: Teller;
  readonly #looked: Place["looked"] = {};
  readonly #warnings: string[] = [];
  #greeted = false;
  #running: AbortController | undefined;
  #ended: Promise<unknown> = Promise.resolve();

  constructor(deps: TellerDeps) {
    this.session = deps.session;
    this.#editor = deps.editor;
    this.#teller = new Teller(deps);
  }

  /** Commands that the editor may offer. Behind the answer that names the session. */
  async offer(): Promise<void> {
    const commands = await availableCommands(this.session);
    await this.#editor.tell({ sessionUpdate: "available_commands_update", availableCommands: commands });
  }

  /** Said with the session's own notices, ahead of its first answer. */
  warn(problems: readonly string[]): void {
    this.#warnings.push(...problems);
  }

  /** What was said and done before. */
  async replay(): Promise<void> {
    for (const update of historyOf(this.session.state())) await this.#editor.tell(update);
  }

  /** One message to its end. @throws BusyError; ServiceError. */
  async prompt(blocks: readonly ContentBlock[], signal: AbortSignal): Promise<PromptResponse> {
    if (this.#running !== undefined)
      throw new BusyError("a message is being worked on; cancel it, or wait for its end");
    const stop = new AbortController();
    this.#running = stop;
    const all = AbortSignal.any([stop.signal, signal, this.#editor.gone]);
    const work = this.#work(blocks, all);
    this.#ended = work.catch(() => undefined);
    try {
      return await work;
    } finally {
      this.#running = undefined;
    }
  }

  cancel(): void {
    this.#running?.abort();
  }

  async close(): Promise<void> {
    this.cancel();
    await this.#ended;
    await this.session.close();
  }

  async #work(blocks: readonly ContentBlock[], signal: AbortSignal): Promise<PromptResponse> {
    await this.#greet();
    const { words, beside, notes } = await saidBy(blocks, this.session.state().folder);
    for (const note of notes) await this.#teller.words(note);
    const command = beside.length === 0 ? commandIn(words) : undefined;
    if (command !== undefined) return this.#command(command, signal);
    const run = await this.#run(words, beside, signal);
    if (run === undefined) return { stopReason: "end_turn" };
    const result = await this.#drain(run);
    return this.#end(result);
  }

  async #run(
    words: string,
    beside: Awaited<ReturnType<typeof saidBy>>["beside"],
    signal: AbortSignal,
  ): Promise<ReturnType<Session["submit"]> | undefined> {
    if (this.session.questions().length > 0) {
      const read = answersIn(this.session, words);
      if ("answers" in read) return this.session.goOn(signal, read.answers);
      await this.#teller.words(read.problem);
      return undefined;
    }
    const note = (text: string) => void this.#teller.words(text);
    return submitWords(this.session, { words, pictures: beside }, signal, note);
  }

  async #drain(run: AsyncGenerator<SessionEvent, QueryResult>): Promise<QueryResult> {
    for (;;) {
      const step = await run.next();
      if (step.done === true) return step.value;
      await this.#teller.event(step.value);
    }
  }

  async #end(result: QueryResult): Promise<PromptResponse> {
    const { reason, detail, questions = [], unverified } = result;
    if (reason === "api-error") throw new ServiceError(detail ?? "the model could not be had");
    if (reason === "waiting") await this.#teller.words(questions.flatMap(questionLines).join("\n"));
    else if (reason !== "done" && reason !== "interrupted" && detail !== undefined) await this.#teller.words(detail);
    if (unverified !== undefined)
      await this.#teller.words(`unverified: "${unverified}", but no test ran since the last change`);
    return { stopReason: stopReason(reason) };
  }

  async #command(
    { command, args }: NonNullable<ReturnType<typeof commandIn>>,
    signal: AbortSignal,
  ): Promise<PromptResponse> {
    try {
      await this.#teller.words(await command.run(args, this.session, { signal, looked: this.#looked }));
    } catch (error) {
      await this.#teller.words(error instanceof Error ? error.message : String(error));
    }
    return { stopReason: signal.aborted ? "cancelled" : "end_turn" };
  }

  /** What is to be known of the session, once, ahead of its first answer. */
  async #greet(): Promise<void> {
    if (this.#greeted) return;
    this.#greeted = true;
    for (const notice of [...this.session.notices, ...this.#warnings]) await this.#teller.words(notice);
  }
}
