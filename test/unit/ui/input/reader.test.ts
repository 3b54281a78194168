import { PassThrough } from "node:stream";
import { describe, expect, it } from "vitest";
import type { InputEvent } from "../../../../src/ui/input/key.ts";
import { readInput } from "../../../../src/ui/input/reader.ts";
import { systemClock } from "../../../../src/util/system.ts";

const names = (events: readonly InputEvent[]) => events.map((e) => (e.kind === "key" ? e.key.name : e.kind));
const later = () => new Promise((resolve) => setImmediate(resolve));

describe("readInput", () => {
  it("UX-IN-18: what came while nobody listened comes first and in order", async () => {
    const source = new PassThrough();
    const reader = readInput(source, systemClock, () => undefined);
    const seen: string[] = [];
    source.write("a");
    await later();
    reader.listen((events) => seen.push(...names(events)));
    source.write("b");
    await later();
    reader.hold();
    source.write("c");
    await later();
    expect(seen).toEqual(["a", "b"]);
    reader.listen((events) => seen.push("next", ...names(events)));
    expect(seen).toEqual(["a", "b", "next", "c"]);
    reader.close();
  });
  it("UX-IN-18: Enter typed before raw mode came as a line feed is Enter, in the first read only", async () => {
    const source = new PassThrough();
    const reader = readInput(source, systemClock, () => undefined, { typedAhead: true });
    const seen: string[] = [];
    reader.listen((events) => seen.push(...names(events)));
    source.write("a\n");
    await later();
    source.write("\n");
    await later();
    expect(seen).toEqual(["a", "return", "j"]);
    reader.close();
  });
  it("UX-Q-5: a lone Esc comes by itself after a while", async () => {
    const source = new PassThrough();
    const reader = readInput(source, systemClock, () => undefined);
    const seen = new Promise((resolve) => reader.listen((events) => resolve(names(events))));
    source.write("\x1b");
    expect(await seen).toEqual(["escape"]);
    reader.close();
  });
  it("UX-N-10: tells when the terminal is gone, and closes without keeping the process", async () => {
    const source = new PassThrough();
    const ended = new Promise((resolve) => readInput(source, systemClock, () => resolve("gone")));
    source.end();
    expect(await ended).toBe("gone");
    const other = new PassThrough();
    const reader = readInput(other, systemClock, () => undefined);
    reader.close();
    expect(other.listenerCount("data") + other.listenerCount("end")).toBe(new PassThrough().listenerCount("end"));
  });
});
