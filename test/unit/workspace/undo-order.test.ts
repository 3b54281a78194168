import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { systemClock } from "../../../src/util/system.ts";
import { openAt, place } from "../../support/door.ts";

/** Three steps on one file, each on top of the one before. */
async function landed(now: () => number) {
  const at = place();
  const file = join(at.folder, "a");
  writeFileSync(file, "a0\n");
  const ws = await openAt(at, { clock: { ...systemClock, now } });
  const steps = ["op_1", "op_2", "op_3"];
  for (const id of steps) {
    const stage = await ws.stage(id, ws.view([]));
    await stage.put(file, Buffer.from(`${id}\n`));
    expect(await ws.land(await stage.finish())).toMatchObject({ ok: true });
  }
  return { ws, steps, text: () => readFileSync(file, "utf8") };
}

describe("which step was turned last", () => {
  it.each([
    ["stands still", () => 1_000_000],
    [
      "goes back",
      (
        (n) => () =>
          1_000_000_000 - ++n * 1000
      )(0),
    ],
  ])("W4: doesn't depend on a clock that %s", async (_, now) => {
    const { ws, steps, text } = await landed(now);
    for (let round = 0; round < 3; round++) {
      expect(await ws.turn({ kind: "undo", steps })).toMatchObject({ ok: true });
      expect(text()).toBe("a0\n");
      expect(await ws.turn({ kind: "redo", steps })).toMatchObject({ ok: true });
      expect(text()).toBe("op_3\n");
    }
    // One by one, and all of what is undone together.
    for (const id of steps.toReversed()) expect(await ws.undo(id)).toMatchObject({ ok: true });
    expect((await ws.previewTurn({ kind: "redo", steps })).alone).toMatchObject({ conflicts: [] });
    expect(await ws.turn({ kind: "redo", steps })).toMatchObject({ ok: true });
    expect(text()).toBe("op_3\n");
    await ws.close();
  });
});
