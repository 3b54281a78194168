import { describe, expect, it } from "vitest";
import { fakeScreen } from "../../../support/fake-screen.ts";
import type { Script } from "../../../support/fake-session.ts";
import { streaming } from "../../../support/streaming.ts";

describe("what it costs", () => {
  it("TUI-B3: 20,000 words at once are few frames: hardly more bytes than the text, and nothing is wiped", async () => {
    const run = await streaming(100, 40, 2009);
    for (let n = 0; n < 10; n++) await run.step();
    await run.finish();
    const bytes = run.terminal.written.join("");
    const words = run.words();
    expect(words).toBe(20_090);
    // A word and its blank are six bytes, seven from 10,000 on.
    expect(bytes.length).toBeLessThan(1.3 * (words * 6 + 10_090));
    expect(bytes).not.toMatch(/\x1b\[[23]J/);
    expect(
      run.terminal.emulator
        .lines()
        .join(" ")
        .match(/\bw20089\b/g),
    ).toHaveLength(1);
    await run.leave();
  });
  it("TUI-B5: a key is drawn at once, and doesn't wait for the next frame of what streams", async () => {
    const waits = Promise.withResolvers<void>();
    const script: Script = async function* (stage) {
      yield { type: "text.delta", text: "some words" };
      await waits.promise;
      yield* stage.reply("some words");
      return "done";
    };
    const screen = fakeScreen({ script });
    await screen.type("go");
    await screen.type("\r");
    await screen.settle(() => screen.region().join().includes("some words"));
    const key = { kind: "key" as const, key: { name: "x", text: "x", ctrl: false, alt: false, shift: false } };
    screen.controller.input([{ ...key, chunk: 99, at: 9_000_000, alone: true }]);
    expect(screen.region()).toContain("› x");
    waits.resolve();
    await screen.settle(() => !screen.controller.store.get().busy);
    screen.controller.leave();
    await screen.ended;
  });
});
