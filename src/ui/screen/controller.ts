import type { SessionEvent } from "../../events/event.ts";
import type { Asker } from "../../permissions/asker.ts";
import type { Session } from "../../session/session.ts";
import type { FileDiff } from "../../workspace/workspace.ts";
import { helpLines } from "../commands/help.ts";
import { farewell } from "../farewell.ts";
import type { InputEvent } from "../input/key.ts";
import { DEFAULT_KEYMAP } from "../input/keymap.ts";
import { entryLines } from "../render/entry.ts";
import { loadHighlight } from "../render/highlight.ts";
import { type Line, paint } from "../render/spans.ts";
import { createStore, type Store } from "../store/store.ts";
import { createTranscript, type Transcript } from "../store/transcript.ts";
import { reduceView } from "../store/view-state.ts";
import type { Actions } from "./actions.ts";
import { aroundOf } from "./around.ts";
import { Covers, paintEntry } from "./covers.ts";
import { deskCommands, editHere, rewriteHere } from "./desk.ts";
import type { Display } from "./display.ts";
import { screenFrame } from "./frame.ts";
import { greeting } from "./greeting.ts";
import { onInput } from "./keys.ts";
import type { ControllerOptions } from "./options.ts";
import { lookOf } from "./look.ts";
import { leaveCalmly } from "./leaving.ts";
import { askPanel, offerDraft } from "./panel-keys.ts";
import { createPainter, shown } from "./painter.ts";
import { pickOther } from "./pick-other.ts";
import { type Questions, screenAsker } from "./questions.ts";
import { firstScreen, type ScreenState } from "./state.ts";
import { resizedAt } from "./resizing.ts";
import { tellFailedServers } from "./server-notice.ts";
import { shellActions } from "./shell-work.ts";
import { spillOver } from "./spill.ts";
import { followStatus } from "./status-facts.ts";
import { Ticking } from "./ticking.ts";
import { Work } from "./work.ts";

const STREAM_MS = 50;

/** Everything between keys, session and display. */
export class Controller {
  readonly store: Store<ScreenState>;
  readonly #options: ControllerOptions;
  readonly #questions: Questions;
  readonly #work: Work;
  readonly #covers: Covers;
  readonly #diffs = new Map<string, readonly FileDiff[]>();
  #transcript: Transcript;
  readonly #painted;
  #display: Display | undefined;
  #session: Session | undefined;
  #above: string[] = [];
  readonly #ticking: Ticking;
  #leave: (() => void) | undefined;
  #gone = false;

  constructor(options: ControllerOptions) {
    this.#options = options;
    this.store = createStore(firstScreen(options.history), { throttleMs: STREAM_MS });
    this.#ticking = new Ticking(this.store, options.clock);
    this.#painted = createPainter(options.theme);
    this.#questions = screenAsker(this.store, ({ callId, diffs }) => this.#diffs.set(callId, diffs));
    this.#transcript = this.#newTranscript();
    this.#covers = new Covers({
      store: this.store,
      options,
      display: () => this.#display,
      session: () => this.#here(),
      diffs: (callId) => this.#diffs.get(callId),
      say: (rows) => this.#say(rows),
      notice: (words) => this.notice(words),
      lend: this.#lend,
      suspend: () => this.suspend(),
      back: (resized) => resized && this.#repaint(),
    });
    this.#work = new Work({
      store: this.store,
      clock: options.clock,
      session: () => this.#here(),
      onEvent: (event) => this.#event(event),
      notice: (words) => this.notice(words),
      echo: (words) => this.#transcript.append([{ kind: "person", when: "start", text: words }]),
      outside: (command, cwd) => this.#lend(() => options.outside(command, cwd)),
      home: options.home,
      sendAfterStop: options.sendAfterStop,
      cols: () => this.#size().cols,
      clipboard: options.clipboard,
      command: {
        say: (rows) => this.#say(rows),
        resume: (id) => this.#resume(id),
        fork: (before) => this.#change(this.#here().id, before === undefined ? {} : { before }),
        exportTo: (format, file) => options.exportTo(this.#here(), format, file),
        choose: (panel) => askPanel(this.store, panel, options.clock.now()),
        draft: (text) => offerDraft(this.store, text, { at: options.clock.now(), width: this.#width() }),
        help: (width) => helpLines(options.keys?.keymap() ?? DEFAULT_KEYMAP, width, this.store.get().skills),
        ...lookOf(options),
        ...deskCommands(this.store, options, this.#lend),
        exit: () => this.#leave?.(),
        covers: this.#covers,
      },
    });
  }

  get asker(): Asker {
    return this.#questions.asker;
  }

  /** Takes input from the terminal. */
  input(events: readonly InputEvent[]): void {
    this.#session?.hooks.stirred();
    const around = { ...this.#size(), keymap: this.#options.keys?.keymap() ?? DEFAULT_KEYMAP };
    for (const event of events) {
      if (this.#covers.full.input(event)) continue;
      const at = "at" in event ? event.at : this.#options.clock.now();
      const context = { actions: this.#actions, at, ...around };
      const before = this.store.get().history.entries.at(-1);
      this.store.setNow((state) => onInput(state, event, context));
      const newest = this.store.get().history.entries.at(-1);
      if (newest !== undefined && newest !== before) this.#options.history?.add(newest);
    }
  }

  /** Shows a session until the person leaves; resolves with the session that was open then, closed by the caller. */
  async run(session: Session, display: Display): Promise<Session> {
    this.#display = display;
    this.#session = session;
    const left = new Promise<void>((resolve) => (this.#leave = resolve));
    if (this.#gone) this.#leave?.();
    this.#greet(session);
    const stopPainting = this.store.subscribe(() => this.#paint());
    this.#work.refresh();
    this.#paint();
    const stopStatus = followStatus(this.store, () => this.#here(), this.#options);
    void loadHighlight();
    if (this.#options.first !== undefined) this.#work.send(this.#options.first);
    await left;
    const rows = await leaveCalmly(this.#work, this.store, this.#options, this.#present);
    this.store.flushNow();
    stopPainting();
    stopStatus();
    this.store.close();
    this.#ticking.close();
    const last = this.#here();
    const width = this.#width();
    display.close(paint([...rows(width), [], ...farewell(last, width, this.#options.next)], this.#options.theme));
    return last;
  }

  /** The terminal is gone or the program is to end: as if the person left. */
  leave(): void {
    this.#gone = true;
    this.store.get().panel?.resolve(undefined);
    this.#leave?.();
  }

  /** To the shell, as Ctrl-Z. */
  suspend(): void {
    this.#display?.suspend();
  }

  /** The terminal's size changed: everything is laid out anew. */
  resized(spilt = false): void {
    this.store.setNow((state) => resizedAt(state, this.#options.clock.now(), spilt));
  }

  readonly #actions: Actions = {
    send: (text) => this.#later(() => this.#work.send(text)),
    sendLater: (text) => this.#later(() => this.#work.sendLater(text)),
    goOn: () => this.#later(() => this.#work.goOn()),
    stop: () => this.#later(() => this.#work.stop()),
    answer: (open, answer) => this.#later(() => this.#questions.answer(open, answer)),
    openFile: (open, at) => this.#later(() => void this.#questions.openFile(open, at)),
    explain: (open) => this.#later(() => this.#questions.explain(open, this.#here())),
    runSelf: (open) => this.#later(() => void this.#questions.runSelf(open, this.#work.shell)),
    rewrite: (open) => this.#later(() => void rewriteHere(open, this.#questions, this.#options, this.#lend)),
    ...shellActions(
      () => this.#work.shell,
      (act) => this.#later(act),
    ),
    answerPerson: (open, answer) => this.#later(() => this.#questions.answerPerson(open, answer)),
    nextMode: () =>
      this.#later(() => void this.#work.nextMode().then((mode) => mode === "plan" && this.#questions.planned())),
    takeBack: () => this.#work.takeBack(),
    review: (open) => this.#later(() => void this.#covers.question(open, () => this.#actions.rewrite?.(open))),
    expand: () => this.#later(() => void this.#covers.transcript()),
    editDraft: () => this.#later(() => void editHere(this.store, this.#options, this.#lend, this.#here())),
    repaint: () => this.#later(() => this.#repaint()),
    suspend: () => this.#later(() => this.suspend()),
    exit: () => this.#later(() => this.#leave?.()),
    exitHard: () => this.#options.exitHard(),
  };

  /** Why later: a key makes a new state first; what it brings about changes the state again. */
  #later(act: () => void): void {
    queueMicrotask(act);
  }

  /** Entries are drawn out of the fold of the session that they came from: another session, another transcript. */
  #newTranscript(): Transcript {
    const facts = { state: () => this.#here().state(), diffs: (callId: string) => this.#diffs.get(callId) };
    return createTranscript((entry, width) => paintEntry(entry, entryLines(entry, facts, width), this.#options));
  }

  #here(): Session {
    if (this.#session === undefined) throw new Error("no session is open");
    return this.#session;
  }

  #present = () => (this.#gone ? undefined : this.#session);
  #size(): { cols: number; rows: number } {
    return this.#display?.size() ?? { cols: 80, rows: 24 };
  }
  #width(): number {
    return Math.max(1, this.#size().cols - 1);
  }

  #greet(session: Session): void {
    tellFailedServers(session, this.notice);
    session.onBackground(() => this.store.set((state) => ({ ...state })));
    const { rows, change } = greeting(session, this.#options, this.#width());
    this.store.set(change);
    this.#above.push(...paint(rows, this.#options.theme));
  }

  #event(event: SessionEvent): void {
    const at = this.#options.clock.now();
    this.store.set((state) => {
      const step = reduceView(state.view, event, at);
      this.#transcript.append(step.entries);
      return { ...state, view: step.view, queued: [...this.#here().queued()], now: at };
    });
  }

  /** A row of the program in the transcript. */
  notice = (words: string): void => {
    if (words.trim() === "") return;
    this.#transcript.append([{ kind: "notice", text: words }]);
    this.store.setNow((state) => ({ ...state }));
  };

  #say(rows: (width: number) => Line[]): void {
    const width = this.#width();
    this.#above.push(...this.#transcript.take(width), ...paint([[], ...rows(width)], this.#options.theme));
    this.store.setNow((state) => ({ ...state }));
  }

  async #resume(id: string | undefined): Promise<void> {
    const chosen = id ?? (await pickOther(this.store, this.#options, this.#session?.id));
    if (chosen === undefined || chosen === this.#session?.id) return;
    await this.#change(chosen);
  }

  async #change(id: string, fork?: { before?: number }): Promise<void> {
    const next = await this.#options.openOther(id, fork);
    await this.#session?.close();
    this.#above.push(...this.#transcript.take(this.#width()), "");
    this.#transcript = this.#newTranscript();
    this.#session = next;
    this.#greet(next);
    this.#work.refresh();
  }

  readonly #lend = <R>(run: () => Promise<R>): Promise<R> => {
    // What was typed for it stands above what it prints.
    this.#paint();
    return this.#display === undefined ? run() : this.#display.lend(run);
  };

  readonly #frame = () => {
    const { cols, rows } = this.#size();
    const state = this.store.get();
    return screenFrame(state, aroundOf(this.#here(), this.#options, state.view.model), cols, rows);
  };

  #paint(): void {
    if (this.#display === undefined || this.#session === undefined) return;
    if (this.#covers.full.paint()) return this.#ticking.goOn();
    const frame = spillOver(this.store, this.#transcript, this.#frame, this.#width());
    const above = [...this.#above, ...this.#transcript.take(this.#width())];
    this.#above = [];
    this.#display.paint(above, this.#painted(frame));
    this.#ticking.goOn();
  }

  #repaint(): void {
    const { rows } = this.#size();
    this.#display?.repaint(this.#transcript.newest(this.#width(), rows), this.#painted(this.#frame()));
  }

  /** The frame is with the terminal: what of a question was in it is shown. */
  written(at: number): void {
    if (this.#covers.full.isOpen) return;
    const { cols, rows } = this.#size();
    this.store.set((state) => shown(state, cols, rows, at));
  }
}
