import { existsSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { SandboxKind } from "../../src/sandbox/sandbox.ts";
import { ordinaryUser, startAs } from "../support/as-user.ts";
import { deep } from "../support/deep.ts";
import { missingTool, needs } from "../support/runnable.ts";
import { useVariant, type Variant } from "../support/sandbox-bench.ts";
import { casesFor, type Part } from "../support/sandbox-cases.ts";
import { WALL_WORDS } from "../support/sandbox-walls.ts";

interface Backend {
  name: string;
  kind: SandboxKind;
  tool: string;
  variant?: Variant;
  /** Which part of the cases it runs; absent: all. */
  part?: Part;
}

const account = ordinaryUser();
const root = process.getuid?.() === 0;
/** The state on another file system than the folder, so that landing copies. */
const MEMORY = "/dev/shm";
const elsewhere = existsSync(MEMORY) && statSync(MEMORY).dev !== statSync(tmpdir()).dev ? MEMORY : undefined;
const PLAIN: Variant = { without: ["bwrap"] };

/** Every backend that Linux has; as root and as a user, the state beside the folder and elsewhere. */
function backends(main: SandboxKind): Backend[] {
  const apart: Variant | undefined = elsewhere === undefined ? undefined : { stateIn: elsewhere };
  const asRoot = main === "overlay-root";
  // Root's backends and the user's share the cases; who is not root runs all of them as a user.
  const turn = (n: number): Part => (root ? { turn: asRoot ? n : n + 3, of: 6 } : { turn: n, of: 3 });
  const half = { turn: asRoot ? 0 : 1, of: 2 };
  const here: Backend[] = [
    { name: main, kind: main, tool: "bwrap", part: { ...turn(0), words: { turn: 0, of: 1 } } },
    { name: "overlay-unshare", kind: "overlay-unshare", tool: "perl", part: { ...turn(1), words: half } },
    { name: "copy-bind", kind: "copy-bind", tool: "bwrap", part: { ...turn(2), clones: half } },
  ];
  const more: Backend[] = [
    { name: "copy-bind without bubblewrap", kind: "copy-bind", tool: "perl", variant: PLAIN },
    ...here.map((each) => ({ ...each, name: `${each.name}, state elsewhere`, variant: apart ?? {} })),
  ];
  return deep(0, 1) === 1 ? [...here, ...more] : here.slice(0, 1);
}

describe.each(backends("overlay-root"))("$name as root", ({ kind, tool, variant, part }) => {
  const missing = root ? missingTool(tool) : "this user is not root";
  beforeAll(() => useVariant(variant ?? {}));
  afterAll(() => useVariant({}));
  it.for(casesFor(part))("$title", async (one, ctx) => {
    needs(ctx, missing);
    // The cases assert by themselves; here that none of it threw.
    await expect(one.run(kind)).resolves.toBeUndefined();
  });
});

it("W1: each word of the walls has a case that shows its denial, on the main backends; each case runs somewhere", () => {
  const titles = (part?: Part): string[] => casesFor(part).map((one) => one.title);
  const [rootMain, userMain] = [backends("overlay-root"), backends("overlay-bwrap")].map((list) => list[0]?.part);
  for (const list of [titles(), titles(rootMain), titles(userMain)])
    for (const [word, title] of WALL_WORDS)
      expect([word, list.filter((each) => title.test(each)).length]).toEqual([word, 1]);
  const run = [...(root ? backends("overlay-root") : []), ...backends("overlay-bwrap")].flatMap((b) => titles(b.part));
  // `npm test` has the main backends alone.
  expect(titles().filter((title) => deep(0, 1) === 1 && !run.includes(title))).toEqual([]);
});

/** The same cases in a process of an ordinary user's: one process for all, since each start costs. */
describe.each(backends("overlay-bwrap"))("$name as an ordinary user", ({ kind, tool, variant, part }) => {
  const missing = account === undefined ? "there is no ordinary user" : missingTool(tool);
  const results = new Map<string, string | undefined>();
  let [errors, end] = ["", ""];
  let remove = (): void => {};

  beforeAll(
    async () => {
      if (missing !== undefined || account === undefined) return;
      const started = startAs(account, "sandbox-child.ts", [kind, JSON.stringify({ ...variant, part })]);
      remove = started.remove;
      let out = "";
      started.child.stdout?.on("data", (chunk: Buffer) => (out += chunk.toString("utf8")));
      started.child.stderr?.on("data", (chunk: Buffer) => (errors += chunk.toString("utf8")));
      await new Promise<void>((resolve) => {
        started.child.once("close", (code, signal) => {
          end = signal ?? `code ${code}`;
          resolve();
        });
      });
      for (const line of out.split("\n").filter((l) => l !== "")) {
        const { title, problem } = JSON.parse(line) as { title: string; problem?: string };
        results.set(title, problem);
      }
    },
    deep(600_000, 3_600_000),
  );
  afterAll(() => remove());

  it.for(casesFor(part))("$title", (one, ctx) => {
    needs(ctx, missing);
    if (!results.has(one.title)) throw new Error(`not among the child's ${results.size}, ended by ${end}: ${errors}`);
    expect(results.get(one.title)).toBeUndefined();
  });
});
