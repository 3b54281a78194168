import type { Readable } from "node:stream";
import type { Clock } from "../../util/deps.ts";
import type { InputEvent } from "./key.ts";
import { createTokenizer } from "./tokenizer.ts";

export interface InputReader {
  /** Takes over: events kept since nobody listened come first, in order. The listener before gets nothing more. */
  listen(listener: (events: readonly InputEvent[]) => void): void;
  /** Nobody listens: events are kept for the next listener. */
  hold(): void;
  /** Stops reading, for a program that gets the terminal (editor, shell); `resume` goes on. */
  pause(): void;
  resume(): void;
  close(): void;
}

/**
 * Reads a terminal's bytes, with the timers that the tokenizer wants. One reader owns stdin from the first paint to the
 * end, so that nothing typed is lost while the screen behind it is exchanged. `onEnd`: the terminal is gone. `typedAhead`: raw
 * mode was switched on just now, so that what was typed before has its Enters as line feeds.
 */
export function readInput(
  source: Readable,
  clock: Pick<Clock, "now">,
  onEnd: () => void,
  options: { typedAhead?: boolean } = {},
): InputReader {
  const tokenizer = createTokenizer();
  const kept: InputEvent[] = [];
  let listener: ((events: readonly InputEvent[]) => void) | undefined;
  let timer: NodeJS.Timeout | undefined;
  const deliver = (events: readonly InputEvent[]) => {
    if (events.length === 0) return;
    if (listener === undefined) kept.push(...events);
    else listener(events);
  };
  const arm = () => {
    clearTimeout(timer);
    const due = tokenizer.due();
    if (due === undefined) return;
    timer = setTimeout(
      () => {
        deliver(tokenizer.flush(clock.now()));
        arm();
      },
      Math.max(1, due - clock.now()),
    );
  };
  let first = options.typedAhead === true;
  const onData = (chunk: Uint8Array) => {
    // A lone line feed is more likely a Ctrl-J pressed since.
    const cooked = first && chunk.length > 1;
    first = false;
    deliver(tokenizer.feed(cooked ? chunk.map((byte) => (byte === 0x0a ? 0x0d : byte)) : chunk, clock.now()));
    arm();
  };
  source.on("data", onData);
  // Who read before may have paused it.
  source.resume();
  for (const event of ["end", "close", "error"] as const) source.on(event, onEnd);
  return {
    listen(next) {
      listener = next;
      deliver(kept.splice(0));
    },
    hold: () => void (listener = undefined),
    pause: () => void source.pause(),
    resume: () => void source.resume(),
    close() {
      clearTimeout(timer);
      source.off("data", onData);
      for (const event of ["end", "close", "error"]) source.off(event, onEnd);
      source.pause();
    },
  };
}
