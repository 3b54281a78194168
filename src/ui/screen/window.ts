import type { InputEvent } from "../input/key.ts";
import type { Clock } from "../../util/deps.ts";
import { ASK_TERMINAL, readReply, type TerminalWord } from "../term/background.ts";
import type { Modes } from "../term/modes.ts";
import { callersOf } from "../term/notify.ts";
import type { Out } from "../term/out.ts";
import { type Attention, createAttention } from "./attention.ts";

/** What settings say about the window (`terminal`). */
export interface WindowSettings {
  title?: boolean | undefined;
  progress?: boolean | undefined;
  notify?: "unfocused" | "always" | "never" | undefined;
  notifyBy?: "auto" | "bell" | "osc9" | "osc99" | "osc777" | undefined;
}

/** So long an answer of the terminal's is waited for before the screen comes; keys are echoed meanwhile. */
const ANSWER_MS = 150;

/** Questions to the terminal and what it tells by itself. */
export interface TerminalTalk {
  /** Resolves when the terminal has answered, or is not going to. */
  answered: Promise<void>;
  /** Takes replies and reports out of what came. */
  hear(events: readonly InputEvent[]): void;
}

/** Asks the terminal about itself, once; what it says goes to `tell`, whenever it comes. */
export function askTerminal(out: Pick<Out, "aside">, clock: Clock, tell: (word: TerminalWord) => void): TerminalTalk {
  const over = new AbortController();
  out.aside(ASK_TERMINAL);
  return {
    answered: clock.sleep(ANSWER_MS, over.signal),
    hear(events) {
      for (const event of events) {
        const word = event.kind === "reply" ? readReply(event.text) : undefined;
        if (word === undefined) continue;
        tell(word);
        if (word.done === true) over.abort();
      }
    },
  };
}

/** What the window is told, by settings and what the terminal understands. */
export function windowAttention(
  settings: WindowSettings,
  env: Readonly<Record<string, string | undefined>>,
  { out, modes, clock }: { out: Pick<Out, "aside">; modes: Modes; clock: Clock },
): Attention {
  const callers = callersOf(env);
  const { notifyBy = "auto" } = settings;
  return createAttention({
    title: settings.title !== false,
    progress: settings.progress !== false,
    when: settings.notify ?? "unfocused",
    callers: notifyBy === "auto" ? callers : { ...callers, by: notifyBy },
    clock,
    aside: (sequence) => out.aside(sequence),
    enable: (mode) => modes.enable(mode),
    disable: (mode) => modes.disable(mode),
  });
}
