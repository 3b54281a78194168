import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { LogEvent } from "../../src/events/event.ts";
import { deepRuns } from "../support/deep.ts";
import { fakeScreen } from "../support/fake-screen.ts";
import type { Script } from "../support/fake-session.ts";

const ENTER = "\r";
const LATER = "\x1b\r";
const ESC = "\x1b";
const UP = "\x1b[A";

const move = fc.oneof(
  { weight: 4, arbitrary: fc.constant("write" as const) },
  { weight: 4, arbitrary: fc.constant("send" as const) },
  { weight: 2, arbitrary: fc.constant("later" as const) },
  { weight: 3, arbitrary: fc.constant("stop" as const) },
  { weight: 2, arbitrary: fc.constant("take back" as const) },
  { weight: 2, arbitrary: fc.constant("wait" as const) },
);

/** Answers after a moment, reads what was typed meanwhile, and says a second thing. */
const slow: Script = async function* (stage) {
  await stage.sleep(2);
  yield* stage.reply("first thing", [], 1);
  yield* stage.steered();
  if (!stage.signal.aborted) yield* stage.reply("second thing", [], 1);
  return stage.signal.aborted ? "interrupted" : "done";
};

const wordsIn = (text: string) => text.match(/t\d+t/g) ?? [];

/** Words that the session answered, or was on its way to: a prompt that nothing answered before it was stopped is back in the composer. */
function taken(log: readonly LogEvent[]): string[] {
  const out: string[] = [];
  let open: string[] = [];
  for (const event of log) {
    if (event.type === "prompt.submitted") {
      const words = wordsIn(JSON.stringify(event.content));
      if (event.when === "steer") out.push(...words);
      else open = words;
    } else if (event.type === "reply.completed" || event.type === "reply.cut") {
      out.push(...open);
      open = [];
    }
  }
  return out;
}

describe("Enter, Esc and the queue", () => {
  it(
    "TUI-B17, UX-Q-2, UX-Q-4: in whatever order they come, each text is in exactly one place: with the model, in the queue, or in the composer",
    { timeout: 600_000 },
    async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(move, { minLength: 4, maxLength: 30 }),
          fc.boolean(),
          async (moves, sendAfterStop) => {
            const screen = fakeScreen({ script: slow, sendAfterStop });
            const { store } = screen.controller;
            let n = 0;
            for (const what of moves) {
              if (what === "write") await screen.type(`t${n++}t `, 1000);
              if (what === "send") await screen.type(ENTER, 1000);
              if (what === "later" && store.get().busy) await screen.type(LATER, 1000);
              if (what === "stop" && store.get().busy) await screen.type(ESC, 1000);
              if (what === "take back" && store.get().queued.length > 0) await screen.type(UP, 1000);
              if (what === "wait") await new Promise((resolve) => setTimeout(resolve, 6));
            }
            await screen.settle(() => !store.get().busy);
            const { editor, queued, later } = store.get();
            const places = [...taken(screen.session.log), ...wordsIn([editor.text, ...queued, ...later].join(" "))];
            screen.controller.leave();
            await screen.ended;
            expect(places.toSorted()).toEqual(Array.from({ length: n }, (_, at) => `t${at}t`).toSorted());
          },
        ),
        deepRuns(25, 2000),
      );
    },
  );
});
