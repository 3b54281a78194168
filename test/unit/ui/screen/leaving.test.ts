import { describe, expect, it } from "vitest";
import { keptWords } from "../../../../src/events/kept-output.ts";
import { initialState } from "../../../../src/events/reduce.ts";
import type { SessionState, StepState } from "../../../../src/events/state.ts";
import { makeKey } from "../../../../src/ui/input/key.ts";
import { DEFAULT_KEYMAP } from "../../../../src/ui/input/keymap.ts";
import { textOfLine } from "../../../../src/ui/render/spans.ts";
import { farewellLines } from "../../../../src/ui/render/welcome.ts";
import { leaveCalmly } from "../../../../src/ui/screen/leaving.ts";
import { panelKeys } from "../../../../src/ui/screen/panel-keys.ts";
import { NO_SCREEN, type ScreenState } from "../../../../src/ui/screen/state.ts";
import { createStore } from "../../../../src/ui/store/store.ts";
import { systemClock } from "../../../../src/util/system.ts";
import { fakeSession } from "../../../support/fake-session.ts";
import { playScript } from "../../../support/fake-script.ts";
import { answers } from "../../../support/session.ts";
import { summary } from "../../../support/questions.ts";

const kept = (path: string, files: number, more: Partial<StepState> = {}): StepState => ({
  operationId: `op_${path}`,
  at: "",
  status: "kept",
  kept: true,
  summary: summary([], { files: 0, regenerable: [{ root: 0, path, files, bytes: 1 }] }),
  ...more,
});

/** Leaves a session with these steps, then presses keys 2 s later. */
async function leave(
  steps: readonly StepState[],
  keys: readonly string[],
  more: { next?: string; gone?: boolean; mode?: SessionState["mode"] } = {},
) {
  const store = createStore<ScreenState>(NO_SCREEN, { throttleMs: 0 });
  const calls: string[] = [];
  const session = {
    ...fakeSession({ script: playScript, asker: answers() }),
    state: (): SessionState => ({ ...initialState("s"), mode: more.mode ?? "ask", steps }),
    land: (how: unknown) => {
      calls.push(JSON.stringify(how));
      return Promise.resolve({ ok: true, text: "Landed: 12 files.", paths: [] });
    },
  };
  const work = { stop: () => void calls.push("stop"), idle: () => Promise.resolve() };
  const clock = { ...systemClock, now: () => 1000, sleep: () => Promise.resolve() };
  const left = leaveCalmly(work, store, { clock, ...(more.next === undefined ? {} : { next: more.next }) }, () =>
    more.gone === true ? undefined : session,
  );
  await new Promise((resolve) => setTimeout(resolve, 1));
  const title = store.get().panel?.panel.text.title;
  for (const name of keys) {
    const [key = "", at] = name.split("@");
    const event = {
      kind: "key",
      key: makeKey(key, {}),
      at: at === undefined ? 3000 : Number(at),
      alone: true,
      chunk: 1,
    } as const;
    store.setNow((state) => panelKeys(state, event, DEFAULT_KEYMAP));
  }
  const rows = await Promise.race([
    left,
    new Promise<undefined>((resolve) => setTimeout(() => resolve(undefined), 20)),
  ]);
  return { title, calls, rows: rows?.(80).map(textOfLine) };
}

describe("leaving with kept output", () => {
  it("P9: one key lands it, Enter and Esc leave it; a key of before the question counts for nothing", async () => {
    const steps = [kept("node_modules", 8613), kept("dist", 2), kept("dist", 3)];
    const landed = await leave(steps, ["l"]);
    expect(landed.title).toBe("8,616 regenerable files (node_modules, dist) kept in the copy");
    expect(landed.calls).toEqual(["stop", '{"yes":true,"withRegenerable":true}']);
    expect(landed.rows).toEqual(["Landed: 12 files."]);
    for (const key of ["return", "escape"])
      expect(await leave(steps, [key])).toMatchObject({ calls: ["stop"], rows: [] });
    expect(await leave(steps, ["l@1399"])).toMatchObject({ calls: ["stop"], rows: undefined });
    expect((await leave(steps, ["x", "1", "space"])).rows).toBeUndefined();
  });
  it("P9: nothing is asked where nothing is kept, a review waits, nobody is there, or nothing is left behind", async () => {
    const step = kept("dist", 3);
    expect((await leave([], [])).rows).toEqual([]);
    expect((await leave([{ ...step, kept: false }], [])).rows).toEqual([]);
    expect((await leave([step, kept("dist", 3, { status: "pended" })], [])).rows).toEqual([]);
    expect((await leave([step], [], { gone: true })).rows).toEqual([]);
    expect((await leave([step], [], { next: "npm start" })).rows).toEqual([]);
    expect((await leave([step], [], { mode: "plan" })).rows).toEqual([]);
  });
  it("P9: the summary at the end says what is kept and how it lands later", () => {
    const state = { steps: [kept("a", 1), kept("b", 1), kept("c", 1), kept("d", 1)] };
    expect(keptWords(state)).toBe("4 regenerable files (a, b, c and 1 more)");
    const facts = {
      sessionId: "s_1",
      durationMs: 0,
      usd: 0,
      input: 0,
      output: 0,
      cached: 0,
      added: 0,
      removed: 0,
      files: 0,
      prompts: 1,
    };
    const rows = farewellLines({ ...facts, kept: keptWords(state) }, 100).map(textOfLine);
    expect(rows).toContain("Land them with agent land s_1 --with-regenerable");
  });
});
