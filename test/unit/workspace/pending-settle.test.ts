import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openAt, place } from "../../support/door.ts";

const lines = (change: Record<number, string> = {}): string =>
  Array.from({ length: 12 }, (_, n) => `${change[n] ?? `line ${n}`}\n`).join("");

/** One layer that changed lines 2 and 8, on a folder that changed line 8 since. */
async function clashed() {
  const at = place();
  const file = join(at.folder, "a");
  writeFileSync(file, lines());
  const ws = await openAt(at);
  const stage = await ws.stage("op_1", ws.view([]));
  await stage.put(file, Buffer.from(lines({ 2: "ours 2", 8: "ours 8" })), undefined, Buffer.from(lines()));
  const set = await ws.pending(() => false).freeze(await stage.finish(), ws.view([]));
  writeFileSync(file, lines({ 8: "mine 8" }));
  return { at, file, ws, layers: [{ operationId: set.operationId, pended: true }] };
}

describe("a conflict that is settled", () => {
  it("W6 E3: is read back by the next process as it was settled, landed, and what waits is a layer in conflict", async () => {
    const { at, file, ws, layers } = await clashed();
    const pending = ws.pending(() => false);
    const sum = await pending.sum("op_sum", layers);
    expect((await pending.clashes(sum)).map((c) => [c.path, c.ways, c.hunks.map((h) => h.was)])).toEqual([
      ["a", ["take", "beside"], [undefined, ["line 8"]]],
    ]);
    const settled = await pending.settle(sum, [{ root: 0, path: "a", how: { take: [0], drop: [] } }]);
    expect([settled.set.changes.length, settled.stuck, settled.rest.length]).toEqual([1, [], 1]);
    expect(readFileSync(file, "utf8")).toBe(lines({ 8: "mine 8" }));
    // The process dies here; the next one goes on with what was saved.
    const next = await openAt(at);
    const read = next.pending(() => false).readSum("op_sum");
    expect(read).toEqual(settled);
    expect(await next.land(settled.set)).toMatchObject({ ok: true });
    expect(readFileSync(file, "utf8")).toBe(lines({ 2: "ours 2", 8: "mine 8" }));
    const rest = await next.pending(() => false).relayer("op_rest", settled.set, settled.rest);
    const again = await next.pending(() => false).sum("op_again", [{ operationId: rest.operationId, pended: true }]);
    expect([again.set.changes, again.conflicts.map((c) => c.path)]).toEqual([[], ["a"]]);
    const [clash] = await next.pending(() => false).clashes(again);
    expect(clash?.hunks.map((h) => h.was)).toEqual([["line 8"]]);
    await next.close();
  });

  it("W6: that changed once more since lands nothing: the door looks for itself", async () => {
    const { file, ws, layers } = await clashed();
    const pending = ws.pending(() => false);
    const sum = await pending.sum("op_sum", layers);
    const settled = await pending.settle(sum, [{ root: 0, path: "a", how: "take" }]);
    writeFileSync(file, lines({ 8: "mine again" }));
    expect(await ws.land(settled.set)).toMatchObject({ ok: false, conflicts: [{ path: "a" }] });
    expect(readFileSync(file, "utf8")).toBe(lines({ 8: "mine again" }));
    // In other lines both sides' stay.
    writeFileSync(file, lines({ 8: "mine 8", 0: "mine 0" }));
    expect(await ws.land(settled.set)).toMatchObject({ ok: true });
    expect(readFileSync(file, "utf8")).toBe(lines({ 0: "mine 0", 2: "ours 2", 8: "ours 8" }));
    await ws.close();
  });

  it("W6: is refused where it names nothing, or what is not there to choose", async () => {
    const { ws, layers } = await clashed();
    const pending = ws.pending(() => false);
    const sum = await pending.sum("op_sum", layers);
    const settle = (path: string, how: Parameters<typeof pending.settle>[1][number]["how"]): Promise<string> =>
      pending.settle(sum, [{ root: 0, path, how }]).then(
        () => "settled",
        (error: unknown) => String(error),
      );
    expect(await settle("b", "take")).toBe("SettleError: nothing in conflict is at b");
    expect(await settle("a", { take: [2], drop: [] })).toBe("SettleError: a has hunks 1 to 2");
    expect(await settle("a", "drop")).toBe("settled");
    await ws.close();
  });
});
