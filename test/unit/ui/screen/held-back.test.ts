import { describe, expect, it } from "vitest";
import type { LogEvent } from "../../../../src/events/event.ts";
import { NO_USAGE } from "../../../../src/events/usage.ts";
import { fakeScreen } from "../../../support/fake-screen.ts";

const refused: LogEvent = {
  v: 1,
  seq: 2,
  at: "2026-11-30T10:00:00.000Z",
  mac: "",
  type: "hook.ran",
  event: "UserPromptSubmit",
  name: "no secrets",
  exit: 2,
  decision: "deny",
  reason: "there is a key in it",
};

describe("a message that a hook holds back", () => {
  it("H1: is in the composer again, and the screen says why", async () => {
    const screen = fakeScreen();
    screen.session.submit = async function* () {
      yield refused;
      await Promise.resolve();
      return { reason: "denied", text: "", turns: 0, usage: NO_USAGE, durationMs: 0, denials: [] };
    };
    await screen.type("my key is x");
    await screen.type("\r");
    await screen.settle(() => !screen.controller.store.get().busy);
    expect(screen.controller.store.get().editor.text).toBe("my key is x");
    expect(screen.above.join(" ")).toContain("hook no secrets (UserPromptSubmit) held your message back");
    screen.controller.leave();
    await screen.ended;
  });
  it("H1: typed while it works, it is in the composer again, ahead of what stands there", async () => {
    const screen = fakeScreen();
    const typed = Promise.withResolvers<void>();
    screen.session.submit = async function* () {
      yield { ...refused, type: "prompt.submitted", when: "start", content: [{ type: "text", text: "go" }] };
      await typed.promise;
      yield {
        ...refused,
        type: "limit.warned",
        limit: "hooks.prompt",
        text: "Not sent: a key.",
        words: "the key is x",
      };
      return { reason: "done", text: "", turns: 0, usage: NO_USAGE, durationMs: 0, denials: [] };
    };
    await screen.type("go");
    await screen.type("\r");
    await screen.type("more");
    typed.resolve();
    await screen.settle(() => !screen.controller.store.get().busy);
    expect(screen.controller.store.get().editor.text).toBe("the key is x\n\nmore");
    screen.controller.leave();
    await screen.ended;
  });
});
