import { afterEach, describe, expect, it, vi } from "vitest";
import { createStore } from "../../../../src/ui/store/store.ts";
import { createTranscript } from "../../../../src/ui/store/transcript.ts";

describe("createStore", () => {
  afterEach(() => void vi.useRealTimers());
  it("TUI-6: many changes are told once per throttle, a key's change at once, nothing when idle", () => {
    vi.useFakeTimers();
    const store = createStore(0, { throttleMs: 50 });
    let told = 0;
    store.subscribe(() => told++);
    for (let i = 0; i < 1000; i++) store.set((n) => n + 1);
    expect([store.get(), told]).toEqual([1000, 0]);
    vi.advanceTimersByTime(49);
    expect(told).toBe(0);
    vi.advanceTimersByTime(1);
    expect(told).toBe(1);
    expect(vi.getTimerCount()).toBe(0);
    store.set((n) => n);
    expect(vi.getTimerCount()).toBe(0);
    store.set((n) => n + 1);
    store.setNow((n) => n + 1);
    expect([told, vi.getTimerCount()]).toEqual([2, 0]);
    store.flushNow();
    expect(told).toBe(2);
  });
  it("TUI-B10: telling happens inside `around`, and not at all after close", () => {
    const order: string[] = [];
    const store = createStore(0, {
      throttleMs: 0,
      around: (tell) => {
        order.push("cork");
        tell();
        order.push("uncork");
      },
    });
    const off = store.subscribe(() => order.push("frame"));
    store.setNow((n) => n + 1);
    expect(order).toEqual(["cork", "frame", "uncork"]);
    off();
    store.close();
    store.setNow((n) => n + 1);
    expect(order.length).toBe(3);
  });
});

describe("createTranscript", () => {
  it("hands rows out once, keeps the newest for painting anew, counts all", () => {
    const transcript = createTranscript((e) => (e.kind === "notice" ? ["", e.text] : []));
    const notice = (n: number) => ({ kind: "notice", text: `n${n}` }) as const;
    transcript.append([notice(0), notice(1)]);
    expect(transcript.take(80)).toEqual(["", "n0", "", "n1"]);
    expect(transcript.take(80)).toEqual([]);
    transcript.append(Array.from({ length: 500 }, (_, i) => notice(i + 2)));
    transcript.take(80);
    expect(transcript.newest(80, 3)).toEqual(["n500", "", "n501"]);
    expect(transcript.newest(80, 10_000).length).toBe(400);
    expect(transcript.size).toBe(502);
  });
});
