import type { SessionEvent } from "../../events/event.ts";
import type { Asker } from "../../permissions/asker.ts";
import { submitWords } from "../../session/attach.ts";
import type { Session } from "../../session/session.ts";
import type { CommandContext } from "../commands/command.ts";
import { commandIn, isBuiltIn } from "../commands/find.ts";
import { addToMemory } from "../commands/memory.ts";
import { isSkill } from "../commands/skills.ts";
import { prefixMode } from "../input/editor/edit.ts";
import { plainHelp } from "./help.ts";
import { drain } from "../query.ts";
import type { PanelText } from "../prompt/panel.ts";
import { cleanRow } from "../render/clean.ts";
import { farewell } from "../farewell.ts";
import { sessionWords } from "../render/menu.ts";
import { historyLines } from "../render/transcript.ts";
import { welcomeLines } from "../render/welcome.ts";
import { Asking } from "./asking.ts";
import { readLines, type TypedLine } from "./lines.ts";
import type { PlainOptions } from "./options.ts";
import { Teller } from "./teller.ts";
import { Voice } from "./voice.ts";

/**
 * The front-end for screen readers and TERM=dumb: it only appends lines with a label before them, takes numbers and Enter,
 * and writes no escape but, where the terminal takes them, marks and a bell (UX N-4).
 */
export function createPlain(options: PlainOptions): { asker: Asker; run(session: Session): Promise<number> } {
  const screen = new PlainScreen(options);
  return { asker: screen.asker, run: (session) => screen.run(session) };
}

/** Whoever waited that long may have turned to something else. */
const LONG_MS = 10_000;

class PlainScreen {
  readonly #options: PlainOptions;
  readonly #asking: Asking;
  readonly #voice: Voice;
  readonly #teller: Teller;
  #startedAt = 0;
  #session: Session | undefined;
  #running: AbortController | undefined;
  #leave: (() => void) | undefined;
  #lastBreak = -Infinity;

  constructor(options: PlainOptions) {
    this.#options = options;
    this.#voice = new Voice(options.stdout, options.marks === true);
    this.#teller = new Teller(this.#voice);
    this.#asking = new Asking({
      clock: options.clock,
      voice: this.#voice,
    });
  }

  get asker(): Asker {
    return this.#asking.asker;
  }

  /** Runs until the person leaves; gives the exit code. */
  async run(session: Session): Promise<number> {
    this.#session = session;
    const left = new Promise<void>((resolve) => (this.#leave = resolve));
    this.#greet(session);
    const stop = readLines(
      this.#options.stdin,
      this.#options.clock,
      (typed) => this.#line(typed),
      () => this.#leave?.(),
    );
    const onBreak = () => this.#interrupt();
    process.on("SIGINT", onBreak);
    if (this.#options.first !== undefined) this.#submit(this.#options.first);
    else this.#prompt();
    await left;
    this.#running?.abort();
    stop();
    process.off("SIGINT", onBreak);
    this.#voice.rows(farewell(this.#session, this.#voice.width, this.#options.next));
    // With it end its servers and what else would keep the program alive.
    await this.#session.close();
    return 0;
  }

  #greet(session: Session): void {
    const state = session.state();
    const { contained, why } = session.sandbox;
    const { folder, model, mode, bypass } = state;
    const facts = { folder, model, mode, bypass, contained, why, modeKey: "/mode" };
    this.#voice.rows(welcomeLines({ ...this.#options.welcome, ...facts }, this.#voice.width));
    for (const notice of session.notices) this.#voice.say(`note: ${cleanRow(notice)}`);
    if (state.items.length > 0) this.#voice.rows(historyLines(state, this.#voice.width, 20));
    const unfinished = session.unfinished();
    if (unfinished !== undefined) this.#voice.say(`note: ${cleanRow(unfinished)} Enter goes on.`);
  }

  #line(typed: TypedLine): void {
    if (this.#asking.waits) return this.#asking.answer(typed);
    const words = typed.text.trim();
    if (this.#running !== undefined) {
      if (words === "") return;
      void this.#steer(words);
      return;
    }
    if (words === "" && this.#session?.unfinished() !== undefined) return this.#start((s, signal) => s.goOn(signal));
    if (words === "") return this.#prompt();
    const command = commandIn(words);
    if (command !== undefined) return void this.#command(command);
    if (prefixMode({ text: words }) === "memory") return void this.#remember(words);
    if (words.startsWith("!!")) return void this.#outside(words.slice(2));
    if (words.startsWith("!")) return this.#shell(words.slice(1));
    this.#submit(words);
  }

  async #steer(words: string): Promise<void> {
    const said = await this.#session?.beside.attach(words);
    for (const note of said?.notes ?? []) this.#voice.say(`note: ${cleanRow(note)}`);
    if (said !== undefined) this.#session?.steer(said);
    this.#voice.say("queued: the agent reads it after its running step");
  }

  #submit(words: string): void {
    this.#start((session, signal) =>
      submitWords(session, { words }, signal, (note) => this.#voice.say(`note: ${cleanRow(note)}`)),
    );
  }

  #start(query: (session: Session, signal: AbortSignal) => AsyncGenerator<SessionEvent, unknown>): void {
    const session = this.#session;
    if (session === undefined) return;
    const running = new AbortController();
    this.#running = running;
    this.#startedAt = this.#options.clock.now();
    this.#voice.mark("C");
    void drain(query(session, running.signal), (event) => this.#teller.event(session, event))
      .catch((error: unknown) => this.#failed(error))
      .then(() => {
        this.#running = undefined;
        this.#voice.mark("D");
        if (this.#options.clock.now() - this.#startedAt > LONG_MS) this.#voice.bell();
        this.#prompt();
      });
  }

  async #command({ command, name, args }: NonNullable<ReturnType<typeof commandIn>>): Promise<void> {
    const session = this.#session;
    if (session === undefined) return;
    if (!isBuiltIn(name) && (await isSkill(session, name))) return this.#submit(`/${name} ${args}`.trim());
    if (command === undefined) this.#voice.say(`error: no command /${name}; /help lists them`);
    await command?.run(args, this.#context(session)).catch((error: unknown) => this.#failed(error));
    if (command?.name !== "exit" && this.#running === undefined) this.#prompt();
  }

  #context(session: Session): CommandContext {
    return {
      session,
      say: (rows) => this.#voice.rows(rows(this.#voice.width)),
      resume: (id) => this.#resume(id),
      fork: (before) => this.#change(session.id, before === undefined ? {} : { before }),
      doctor: this.#options.doctor,
      exportTo: (format, file) => this.#options.exportTo(session, format, file),
      choose: (panel) => this.#choose(panel),
      draft: (text) => this.#voice.say(`note: the message was: ${cleanRow(text)}`),
      send: (text) => this.#submit(text),
      builtIn: isBuiltIn,
      help: plainHelp,
      exit: () => this.#leave?.(),
    };
  }

  /** `# words` for a file of notes (IN-13). */
  async #remember(words: string): Promise<void> {
    const session = this.#session;
    if (session === undefined) return;
    const came = await addToMemory(words, this.#context(session)).catch((error: unknown) => this.#failed(error));
    if (came === "message") return this.#submit(words);
    this.#prompt();
  }

  #failed(error: unknown): void {
    this.#voice.say(`error: ${cleanRow(error instanceof Error ? error.message : String(error))}`);
  }

  /** Everything to read, then numbered choices. */
  async #choose(panel: PanelText): Promise<string | undefined> {
    const { title, choices } = panel;
    this.#voice.rows(panel.body(this.#voice.width));
    const leave = "leave it";
    const labels = choices.map(({ label, more }) => (more === undefined ? label : `${label} (${more})`));
    const options = [...labels, leave].map((label) => ({ label }));
    const signal = new AbortController().signal;
    const answer = await this.asker.askPerson({ question: title, options }, signal);
    return choices[labels.indexOf(answer ?? leave)]?.id;
  }

  /** Without an id the newest sessions as numbers. */
  async #resume(id: string | undefined): Promise<void> {
    if (id !== undefined) return this.#change(id);
    const all = (await this.#options.sessions?.()) ?? [];
    const list = all.filter((row) => row.id !== this.#session?.id).slice(0, 20);
    if (list.length === 0) return this.#voice.say("There is no other session yet.");
    const chosen = await this.#choose({
      title: "Which session?",
      body: () => [],
      choices: list.map((row) => ({ id: row.id, label: sessionWords(row) })),
    });
    if (chosen !== undefined) await this.#change(chosen);
  }

  async #change(id: string, fork?: { before?: number }): Promise<void> {
    const old = this.#session;
    this.#session = await this.#options.openOther(id, fork);
    await old?.close();
    this.#greet(this.#session);
  }

  #shell(command: string): void {
    this.#start((session, signal) => session.shell(command, signal));
  }

  async #outside(command: string): Promise<void> {
    const { exit } = await this.#options.outside(command);
    this.#voice.say(`tool: ended with ${exit ?? "a signal"}`);
    this.#prompt();
  }

  #interrupt(): void {
    if (this.#running !== undefined) return this.#running.abort();
    const at = this.#options.clock.now();
    if (at - this.#lastBreak <= 1500) return this.#leave?.();
    this.#lastBreak = at;
    this.#voice.write("\nCtrl-C again to exit\n");
    this.#prompt();
  }

  #prompt(): void {
    if (this.#running !== undefined || this.#asking.waits) return;
    this.#voice.mark("A");
    this.#voice.write(this.#session?.state().bypass === true ? "you (BYPASS): " : "you: ");
    this.#voice.mark("B");
  }
}
