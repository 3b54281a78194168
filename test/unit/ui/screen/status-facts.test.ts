import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { branchNow } from "../../../../src/session/branch.ts";
import { createStore } from "../../../../src/ui/store/store.ts";
import { NO_SCREEN, type ScreenState } from "../../../../src/ui/screen/state.ts";
import { followStatus } from "../../../../src/ui/screen/status-facts.ts";
import { Ticking } from "../../../../src/ui/screen/ticking.ts";
import { runStatusScript } from "../../../../src/ui/term/status-script.ts";
import { systemClock } from "../../../../src/util/system.ts";
import { fakeSession } from "../../../support/fake-session.ts";
import { playScript } from "../../../support/fake-script.ts";
import { denyAll } from "../../../../src/permissions/asker.ts";
import { scratch } from "../../../support/scratch.ts";

const session = fakeSession({ asker: denyAll("nobody"), script: playScript });
const states = () => createStore<ScreenState>(NO_SCREEN, { throttleMs: 0 });

function following(statusScript: (facts: string) => Promise<string | undefined>) {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const store = states();
  const stop = followStatus(store, () => session, { clock: systemClock, statusScript });
  onTestFinished(stop);
  const mode = (to: "plan" | "ask" | "auto") =>
    store.setNow((state) => ({ ...state, view: { ...state.view, mode: to } }));
  return { store, stop, mode };
}

describe("the status row's own script", () => {
  it("UX-F-2: it is asked 300 ms after facts rest, with the newest, and not again while they stay", async () => {
    const asked: string[] = [];
    const { store, mode } = following(async (facts) => (asked.push(facts), "ok"));
    await vi.advanceTimersByTimeAsync(200);
    mode("plan");
    mode("auto");
    await vi.advanceTimersByTimeAsync(299);
    expect(asked).toEqual([]);
    await vi.advanceTimersByTimeAsync(2);
    expect(asked.map((facts) => JSON.parse(facts) as unknown)).toMatchObject([{ mode: "auto", session_id: "s_fake" }]);
    store.setNow((state) => ({ ...state, tick: state.tick + 1 }));
    await vi.advanceTimersByTimeAsync(5000);
    expect(asked).toHaveLength(1);
    expect(vi.getTimerCount()).toBe(0);
  });
  it("UX-F-2: what it says is one row, nothing of it reaches the terminal raw; a failure leaves none", async () => {
    const says = ["\x1b[2Jdone\x07\nsecond", undefined];
    const { store, mode } = following(async () => says.shift());
    await vi.advanceTimersByTimeAsync(400);
    expect(store.get().statusWords).toBe("done");
    mode("plan");
    await vi.advanceTimersByTimeAsync(400);
    expect(store.get().statusWords).toBeUndefined();
  });
  it("UX-F-2: it has a second and no key of a service, and may not end well", async () => {
    const place = { cwd: "/", env: { PATH: "/usr/bin:/bin", ANTHROPIC_API_KEY: "sk-secret" } };
    expect(await runStatusScript("cat; echo $ANTHROPIC_API_KEY", "{}", place)).toBe("{}\n");
    expect(await runStatusScript("echo no; exit 1", "{}", place)).toBeUndefined();
    expect(await runStatusScript("sleep 20; echo late", "{}", place)).toBeUndefined();
  });
});

describe("the branch", () => {
  it("UX-F-2: is told with a star where a tracked file is not as git saw it; git is not run", async () => {
    const folder = scratch("branch");
    const git = (...args: string[]) => execFileSync("git", ["-C", folder, ...args], { stdio: "ignore" });
    expect(await branchNow(folder)).toBeUndefined();
    git("init", "-b", "main");
    writeFileSync(join(folder, "a"), "one\n");
    git("add", "a");
    expect(await branchNow(folder)).toBe("main");
    writeFileSync(join(folder, "new"), "");
    expect(await branchNow(folder)).toBe("main");
    writeFileSync(join(folder, "a"), "other text\n");
    expect(await branchNow(folder)).toBe("main*");
  });
});

describe("motion", () => {
  it("UX-F-4 UX-F-6 TUI-B6: eight steps a second while something goes on, one with less motion, none when idle; a toast goes after its time", async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const store = states();
    const ticking = new Ticking(store, systemClock);
    store.subscribe(() => ticking.goOn());
    ticking.goOn();
    expect(vi.getTimerCount()).toBe(0);
    store.setNow((state) => ({ ...state, busy: true }));
    await vi.advanceTimersByTimeAsync(1000);
    expect(store.get().tick).toBe(8);
    store.setNow((state) => ({ ...state, calm: true }));
    await vi.advanceTimersByTimeAsync(200);
    let drawn = 0;
    store.subscribe(() => void drawn++);
    await vi.advanceTimersByTimeAsync(3000);
    expect([drawn, store.get().tick]).toEqual([3, 0]);
    store.setNow((state) => ({ ...state, busy: false, toast: { text: "x", until: systemClock.now() + 4000 } }));
    await vi.advanceTimersByTimeAsync(3500);
    expect(store.get().toast).toBeDefined();
    await vi.advanceTimersByTimeAsync(1500);
    expect(store.get().toast).toBeUndefined();
    expect(vi.getTimerCount()).toBe(0);
  });
});
