import { text } from "../../events/block.ts";
import { MODES } from "../../events/effect.ts";
import type { SessionEvent } from "../../events/event.ts";
import type { Session } from "../../session/session.ts";
import type { Clock } from "../../util/deps.ts";
import { commandIn } from "../commands/find.ts";
import type { CommandContext } from "../commands/command.ts";
import { drain } from "../query.ts";
import type { Store } from "../store/store.ts";
import { put } from "./composer-keys.ts";
import type { ScreenState } from "./state.ts";

export interface WorkDeps {
  store: Store<ScreenState>;
  clock: Clock;
  session: () => Session;
  onEvent(event: SessionEvent): void;
  notice(words: string): void;
  /** A command as it was typed, for the transcript. */
  echo(words: string): void;
  command: Omit<CommandContext, "session">;
  /** Runs the person's own shell command outside, with the terminal. */
  outside(command: string): Promise<number | null>;
  cols(): number;
}

/** What runs for the person, one thing at a time: queries, `!` lines, commands. */
export interface Work {
  send(words: string): void;
  sendLater(words: string): void;
  goOn(): void;
  stop(): void;
  takeBack(): readonly string[];
  nextMode(): Promise<void>;
  /** Resolves when nothing runs any more. */
  idle(): Promise<void>;
  /** Takes over what a session knows that no event told: its mode, its queue, its cost. */
  refresh(): void;
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

/** Runs what was sent against the session. Nothing typed is ever lost: it is steered, queued, sent, or back in the composer. */
export function createWork(deps: WorkDeps): Work {
  const { store, session } = deps;
  let running: { abort: AbortController; words?: string; answered: boolean } | undefined;
  let ended = Promise.resolve();

  const refresh = () =>
    store.setNow((state) => {
      const { mode, model } = session().state();
      const { usd } = session().cost();
      return { ...state, view: { ...state.view, mode, model }, queued: [...session().queued()], usd };
    });
  const failed = (error: unknown) => deps.notice(error instanceof Error ? error.message : String(error));

  /** Runs one generator to its end; then what was typed meanwhile has its turn. */
  const run = <R>(
    begin: (signal: AbortSignal) => AsyncGenerator<SessionEvent, R>,
    words?: string,
    after?: (result: R) => void,
  ) => {
    const abort = new AbortController();
    const mine = { abort, answered: false, ...(words === undefined ? {} : { words }) };
    running = mine;
    const now = deps.clock.now();
    store.setNow((state) => ({
      ...state,
      busy: true,
      stopping: false,
      now,
      view: { ...state.view, startedAt: now, lastSignAt: now },
    }));
    const onEvent = (event: SessionEvent) => {
      if (ANSWERS.has(event.type)) mine.answered = true;
      deps.onEvent(event);
    };
    ended = drain(begin(abort.signal), onEvent)
      .then((result) => after?.(result), failed)
      .then(() => finish(abort.signal.aborted, mine));
  };

  const finish = (stopped: boolean, mine: NonNullable<typeof running>) => {
    running = undefined;
    store.setNow((state) => ({ ...state, busy: false, stopping: false }));
    refresh();
    if (stopped) return giveBack(mine.answered ? undefined : mine.words);
    const [first, ...rest] = [...session().takeBack(), ...store.get().later];
    store.setNow((state) => ({ ...state, queued: [], later: rest }));
    if (first !== undefined) send(first);
  };

  /** After Esc the queued texts are in the composer again; so is a text that nothing answered yet. */
  const giveBack = (unanswered: string | undefined) => {
    const { later } = store.get();
    const texts = [...(unanswered === undefined ? [] : [unanswered]), ...session().takeBack(), ...later];
    store.setNow((state) => {
      const all = [...texts, ...(state.editor.text === "" ? [] : [state.editor.text])];
      const next: ScreenState = { ...state, queued: [], later: [] };
      return texts.length === 0 ? next : put(next, all.join("\n\n"), { at: deps.clock.now(), width: deps.cols() });
    });
  };

  const send = (words: string): void => {
    const found = commandIn(words);
    if (found !== undefined) return command(found, words);
    const shell = words.startsWith("!");
    if (running !== undefined) {
      if (shell) return sendLater(words);
      session().steer(words.trim());
      return refresh();
    }
    if (words.startsWith("!!")) return outside(words.slice(2).trim());
    if (shell)
      return run(
        (signal) => session().shell(words.slice(1).trim(), signal),
        undefined,
        ({ note }) => deps.notice(note),
      );
    run((signal) => session().submit([text(words.trim())], signal), words.trim());
  };
  const sendLater = (words: string) => store.setNow((state) => ({ ...state, later: [...state.later, words.trim()] }));

  const command = ({ command: known, name, args }: NonNullable<ReturnType<typeof commandIn>>, words: string): void => {
    if (known?.name !== "exit") deps.echo(words.trim());
    if (known === undefined) return deps.notice(`There is no command /${name}. /help lists them.`);
    if (running !== undefined && known.always !== true)
      return deps.notice(`/${name} waits for the end of what runs: Esc stops it.`);
    void known
      .run(args, { ...deps.command, session: session() })
      .catch(failed)
      .then(refresh);
  };

  const outside = (line: string): void => {
    if (line === "") return;
    void deps.outside(line).then((exit) => deps.notice(`!! ended with ${exit ?? "a signal"}`), failed);
  };

  return {
    send,
    sendLater,
    refresh,
    goOn() {
      if (running === undefined && session().unfinished() !== undefined) run((signal) => session().goOn(signal));
    },
    stop: () => running?.abort.abort(),
    takeBack() {
      const { later } = store.get();
      const back = [...session().takeBack(), ...later];
      if (back.length > 0) store.setNow((state) => ({ ...state, queued: [], later: [] }));
      return back;
    },
    async nextMode() {
      const at = MODES.indexOf(session().state().mode);
      const mode = MODES[(at + 1) % MODES.length] ?? "ask";
      await session().setMode(mode).catch(failed);
      refresh();
    },
    idle: () => ended,
  };
}
