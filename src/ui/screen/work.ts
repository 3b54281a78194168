import type { Mode } from "../../events/effect.ts";
import { MODES } from "../../events/mode.ts";
import type { SessionEvent } from "../../events/event.ts";
import { submitWords } from "../../session/attach.ts";
import type { Session } from "../../session/session.ts";
import { commandIn, isBuiltIn } from "../commands/find.ts";
import type { Command, CommandContext } from "../commands/command.ts";
import { addToMemory } from "../commands/memory.ts";
import { isSkill } from "../commands/skills.ts";
import { prefixMode } from "../input/editor/edit.ts";
import { followSkills } from "./skill-names.ts";
import { drain } from "../query.ts";
import { Completing } from "./completing.ts";
import { put } from "./composer-keys.ts";
import { Pictures } from "./pictures.ts";
import { type ShellDeps, ShellWork } from "./shell-work.ts";

export interface WorkDeps extends ShellDeps {
  /** After a stop what waits is sent, in place of coming back to the composer. */
  sendAfterStop?: boolean | undefined;
  /** The clipboard's picture, or why there is none. */
  clipboard?: (() => Promise<Buffer | string>) | undefined;
  onEvent: (event: SessionEvent) => void;
  command: Omit<CommandContext, "session">;
}

/** The first of these says that a prompt is being answered; stopped before that, its text goes back to the composer. */
const ANSWERS: ReadonlySet<SessionEvent["type"]> = new Set([
  "text.delta",
  "thinking.delta",
  "input.delta",
  "reply.completed",
  "reply.cut",
  "call.started",
]);

interface Running {
  abort: AbortController;
  /** The prompt, until something answers it. */
  words: string | undefined;
  /** Sent after it was stopped: these begin anew once it has ended. */
  next: string[];
  /** Words that wait for their files to be read. */
  steering?: Promise<void>;
  /** It is in the conversation; a hook may hold it back before. */
  sent?: boolean;
}

/**
 * What runs for the person, one thing at a time: queries, `!` lines, commands. Nothing typed is ever lost: it is steered,
 * queued, sent, or back in the composer.
 */
export class Work {
  readonly #deps: WorkDeps;
  readonly shell: ShellWork;
  readonly #completing: Completing;
  readonly #pictures: Pictures;
  #running: Running | undefined;
  #ended: Promise<void> = Promise.resolve();

  constructor(deps: WorkDeps) {
    this.#deps = deps;
    this.shell = new ShellWork(deps);
    this.#completing = new Completing(deps.store, deps.session, deps.clock);
    deps.store.subscribe(() => this.#completing.sync());
    followSkills(deps.store, deps.session, deps.clock);
    this.#pictures = new Pictures(deps);
    deps.store.subscribe(() => this.#pictures.sync());
  }

  /** A text that was sent: a command, a shell line, a prompt, or words that steer what runs. */
  send(words: string): void {
    const session = this.#deps.session();
    this.#deps.store.setNow((state) => ({ ...state, offer: undefined }));
    const found = commandIn(words);
    if (found !== undefined) return this.#command(found, words);
    if (prefixMode({ text: words }) === "memory") return this.#remember(words);
    this.#say(words, session);
  }

  #say(words: string, session: Session): void {
    const shell = words.startsWith("!");
    // "Stopped by you" may be on screen while the last of it still ends: what is sent then is no word to what was stopped.
    if (this.#running?.abort.signal.aborted === true) return void this.#running.next.push(words);
    if (this.#running !== undefined && shell) return this.sendLater(words);
    if (this.#running !== undefined) {
      this.#steer(words.trim(), this.#running);
      return this.refresh();
    }
    if (words.startsWith("!!")) return this.shell.run(words.slice(2).trim());
    if (shell) return this.#shell(words.slice(1).trim());
    const note = (text: string) => this.#deps.notice(text);
    const said = { words: words.trim(), pictures: this.#pictures.of(words) };
    this.#run((signal) => submitWords(session, said, signal, note), said.words);
  }

  /** `# words` for a file of notes (IN-13): nothing of it is lost where the person leaves the question. */
  #remember(words: string): void {
    const { command, session } = this.#deps;
    void addToMemory(words, { ...command, session: session() })
      .then((came) => {
        if (came === "message") this.#say(words, session());
        if (came === "left") command.draft(words);
      })
      .catch((error: unknown) => this.#failed(error));
  }

  /** Files that the words name are read first; what ended meanwhile isn't steered any more. */
  #steer(words: string, running: Running): void {
    const session = this.#deps.session();
    const pictures = this.#pictures.of(words);
    if (!words.includes("@") && pictures.length === 0 && running.steering === undefined) return session.steer(words);
    running.steering = (running.steering ?? Promise.resolve())
      .then(() => session.beside.attach(words, running.abort.signal))
      .then((said) => {
        for (const one of said.notes) this.#deps.notice(one);
        if (this.#running !== running || running.abort.signal.aborted) return this.send(words);
        session.steer({ ...said, content: [...said.content, ...pictures] });
        this.refresh();
      })
      .catch((error: unknown) => this.#failed(error));
  }

  /** For after what runs. */
  sendLater(words: string): void {
    this.#deps.store.setNow((state) => ({ ...state, later: [...state.later, words.trim()] }));
  }

  /** Goes on with what was left unfinished, if anything was. */
  goOn(): void {
    const session = this.#deps.session();
    if (this.#running === undefined && session.unfinished() !== undefined) this.#run((signal) => session.goOn(signal));
  }

  stop(): void {
    this.#completing.close();
    this.#running?.abort.abort();
  }

  /** Texts that were not read yet, given up by the session. */
  takeBack(): readonly string[] {
    const { store, session } = this.#deps;
    const back = [...session().takeBack(), ...store.get().later, ...(this.#running?.next.splice(0) ?? [])];
    if (back.length > 0) store.setNow((state) => ({ ...state, queued: [], later: [] }));
    return back;
  }

  /** The next mode of the cycle; gives the one that counts then. */
  async nextMode(): Promise<Mode> {
    const session = this.#deps.session();
    const at = MODES.indexOf(session.state().mode);
    const mode = MODES[(at + 1) % MODES.length] ?? "ask";
    await session.setMode(mode).catch((error: unknown) => this.#failed(error));
    this.refresh();
    return session.state().mode;
  }

  /** Resolves when nothing runs any more. */
  idle(): Promise<void> {
    return this.#ended;
  }

  /** Takes over what a session knows that no event told: its mode, its queue, its cost. */
  refresh(): void {
    const session = this.#deps.session();
    this.#deps.store.setNow((state) => {
      const { mode, model } = session.state();
      const { usd } = session.cost();
      const effort = session.effort();
      return { ...state, view: { ...state.view, mode, model, effort }, queued: [...session.queued()], usd };
    });
  }

  /** Runs one generator to its end; then what was typed meanwhile has its turn. */
  #run<R>(
    begin: (signal: AbortSignal) => AsyncGenerator<SessionEvent, R>,
    words?: string,
    after?: (result: R) => void,
  ): void {
    const running: Running = { abort: new AbortController(), words, next: [] };
    this.#running = running;
    const now = this.#deps.clock.now();
    this.#deps.store.setNow((state) => {
      const view = { ...state.view, startedAt: now, lastSignAt: now };
      return { ...state, busy: true, stopping: false, now, view };
    });
    const onEvent = (event: SessionEvent) => {
      if (ANSWERS.has(event.type)) running.words = undefined;
      if (event.type === "prompt.submitted") running.sent = true;
      if (event.type === "limit.warned" && event.words !== undefined) this.#toComposer([event.words]);
      this.#deps.onEvent(event);
    };
    this.#ended = drain(begin(running.abort.signal), onEvent)
      .then(after, (error: unknown) => this.#failed(error))
      .then(() => this.#finish(running));
  }

  #finish(ran: Running): void {
    const { store, session } = this.#deps;
    this.#running = undefined;
    store.setNow((state) => ({ ...state, busy: false, stopping: false }));
    this.refresh();
    const heldBack = ran.words !== undefined && ran.sent !== true;
    if (ran.abort.signal.aborted || heldBack) {
      const waiting = this.#deps.sendAfterStop === true && !heldBack ? together(this.takeBack()) : [];
      this.#giveBack(ran.words);
      const [next, ...more] = [...waiting, ...ran.next];
      store.setNow((state) => ({ ...state, later: [...state.later, ...more] }));
      return next === undefined ? undefined : this.send(next);
    }
    const [first, ...rest] = [...session().takeBack(), ...store.get().later];
    store.setNow((state) => ({ ...state, queued: [], later: rest }));
    if (first !== undefined) this.send(first);
  }

  /** After Esc the queued texts are in the composer again; so is a text that nothing answered yet. */
  #giveBack(unanswered: string | undefined): void {
    this.#toComposer([...(unanswered === undefined ? [] : [unanswered]), ...this.takeBack()]);
  }

  /** Ahead of what stands there. */
  #toComposer(texts: readonly string[]): void {
    const { store, clock, cols } = this.#deps;
    if (texts.length === 0) return;
    store.setNow((state) => {
      const all = [...texts, ...(state.editor.text === "" ? [] : [state.editor.text])];
      return put(state, all.join("\n\n"), { at: clock.now(), width: cols() });
    });
  }

  #command({ command, name, args }: NonNullable<ReturnType<typeof commandIn>>, words: string): void {
    if (command === undefined || !isBuiltIn(name)) return void this.#skill(name, words, command, args);
    this.#own(command, args, words);
  }

  #own(command: Command, args: string, words: string): void {
    const { notice, echo, session } = this.#deps;
    const { name } = command;
    if (command.name !== "exit") echo(words.trim());
    if (this.#running !== undefined && command.always !== true) {
      return notice(`/${name} waits for the end of what runs: Esc stops it.`);
    }
    void command
      .run(args, { ...this.#deps.command, builtIn: isBuiltIn, session: session() })
      .catch((error: unknown) => this.#failed(error))
      .then(() => this.refresh());
  }

  /** The name of a skill, or of a command of a file: the session loads it ahead of the message, so that it can't steer; what is sent while it works waits for its end. */
  async #skill(name: string, words: string, command: Command | undefined, args: string): Promise<void> {
    const { notice, echo, session } = this.#deps;
    const known = await isSkill(session(), name).catch(() => false);
    if (!known && command !== undefined) return this.#own(command, args, words);
    if (!known) echo(words.trim());
    if (!known) return notice(`There is no command /${name}. /help lists them, /skills what else there is.`);
    if (this.#running !== undefined) return this.sendLater(words);
    this.#say(words, session());
  }

  #shell(command: string): void {
    this.#run(
      (signal) => this.#deps.session().shell(command, signal),
      undefined,
      ({ note }) => this.#deps.notice(note),
    );
  }

  #failed(error: unknown): void {
    this.#deps.notice(error instanceof Error ? error.message : String(error));
  }
}

/** Words that stand beside each other are one message; a command or a shell line stays what it is. */
function together(texts: readonly string[]): string[] {
  const out: string[] = [];
  let open = false;
  for (const text of texts) {
    const plain = !/^[/!#]/.test(text);
    if (plain && open) out.push(`${out.pop() ?? ""}\n\n${text}`);
    else out.push(text);
    open = plain;
  }
  return out;
}
