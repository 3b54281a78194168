import { existsSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { describe, expect, it, onTestFinished } from "vitest";
import type { SandboxKind } from "../../src/sandbox/sandbox.ts";
import { ordinaryUser, startAs } from "../support/as-user.ts";
import { deep } from "../support/deep.ts";
import { missingTool, needs } from "../support/runnable.ts";
import { type Combination, playRandom, type Played } from "../support/sandbox-random.ts";

const root = process.getuid?.() === 0;
const account = ordinaryUser();
/** The layers on another file system than the folder, so that landing copies. */
const MEMORY = "/dev/shm";
const elsewhere = existsSync(MEMORY) && statSync(MEMORY).dev !== statSync(tmpdir()).dev ? MEMORY : undefined;
const SEED = deep(20_261_130, Math.trunc(Math.random() * 2 ** 31));

/** Twelve combinations, 504 scripts in `npm run deep`; in `npm test` each backend as root and as a user, the layers in turn here and there. */
function combinations(kinds: readonly SandboxKind[]): Combination[] {
  return kinds.flatMap((kind, k) =>
    [undefined, elsewhere].flatMap((stateIn, n) => {
      const runs = deep((k + n) % 2 === 0 ? 2 : 0, 42);
      const there = n === 0 || stateIn !== undefined;
      return runs > 0 && there
        ? [{ kind, variant: stateIn === undefined ? {} : { stateIn }, runs, seed: SEED + n }]
        : [];
    }),
  );
}

/** Nothing where all went right; the figures are printed. */
function problem({ kind, variant, runs, seed }: Combination, played: Played | undefined): string | undefined {
  const where = `${kind}, layers in ${variant.stateIn ?? "the folder's file system"}, seed ${seed}`;
  console.log(`${where}: ${played?.scripts} scripts, ${played?.known} of them with a listed difference`);
  if (played?.problem !== undefined) return `${where}: ${played.problem}`;
  // Most scripts must be compared in whole.
  const known = played?.known ?? runs;
  return played?.scripts === runs && known <= runs / 2 ? undefined : `${where}: too few scripts were compared`;
}

describe("random scripts: untouched before landing, as plain after it, undone as before", () => {
  const kinds: SandboxKind[] = ["overlay-root", "overlay-unshare", "copy-bind"];
  it.for(combinations(kinds))("W2 W3 W4: as root, $kind, $variant", { timeout: 3_600_000 }, async (one, ctx) => {
    needs(ctx, root ? (missingTool("bwrap") ?? missingTool("perl")) : "this user is not root");
    expect(problem(one, await playRandom(one))).toBeUndefined();
  });

  it("W2 W3 W4: as an ordinary user, every backend", { timeout: 3_600_000 }, async (ctx) => {
    needs(ctx, missingTool("bwrap") ?? missingTool("perl"));
    if (account === undefined) return needs(ctx, "there is no ordinary user");
    const all = combinations(["overlay-bwrap", "overlay-unshare", "copy-bind"]);
    const { child, remove } = startAs(account, "sandbox-random-child.ts", [JSON.stringify(all)]);
    onTestFinished(remove);
    let [out, errors] = ["", ""];
    child.stdout?.on("data", (chunk: Buffer) => (out += chunk.toString("utf8")));
    child.stderr?.on("data", (chunk: Buffer) => (errors += chunk.toString("utf8")));
    await new Promise((resolve) => child.once("close", resolve));
    expect(errors).toBe("");
    const lines = out.trim().split("\n");
    for (const [n, one] of all.entries()) expect(problem(one, JSON.parse(lines[n] ?? "{}") as Played)).toBeUndefined();
  });
});
