import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { SandboxKind } from "../../src/sandbox/sandbox.ts";
import { ordinaryUser, startAs } from "../support/as-user.ts";
import { missingTool, needs } from "../support/runnable.ts";
import { casesFor } from "../support/sandbox-cases.ts";

const account = ordinaryUser();
const root = process.getuid?.() === 0;

describe("overlay-root", () => {
  const missing = root ? missingTool("bwrap") : "this user is not root";
  it.for(casesFor("overlay-root"))("$title", async (one, ctx) => {
    needs(ctx, missing);
    // The cases assert by themselves; here that none of it threw.
    await expect(one.run("overlay-root")).resolves.toBeUndefined();
  });
});

/** The same cases in a process of an ordinary user's: one process for all, since each start costs. */
describe.each<[SandboxKind, string | undefined]>([
  ["overlay-bwrap", missingTool("bwrap")],
  ["overlay-unshare", missingTool("unshare")],
])("%s as an ordinary user", (kind, tool) => {
  const missing = account === undefined ? "there is no ordinary user" : tool;
  const results = new Map<string, string | undefined>();
  let errors = "";
  let remove = (): void => {};

  beforeAll(async () => {
    if (missing !== undefined || account === undefined) return;
    const started = startAs(account, "sandbox-child.ts", [kind]);
    remove = started.remove;
    let out = "";
    started.child.stdout?.on("data", (chunk: Buffer) => (out += chunk.toString("utf8")));
    started.child.stderr?.on("data", (chunk: Buffer) => (errors += chunk.toString("utf8")));
    await new Promise((resolve) => started.child.once("close", resolve));
    for (const line of out.split("\n").filter((l) => l !== "")) {
      const { title, problem } = JSON.parse(line) as { title: string; problem?: string };
      results.set(title, problem);
    }
  }, 600_000);
  afterAll(() => remove());

  it.for(casesFor(kind))("$title", (one, ctx) => {
    needs(ctx, missing);
    if (!results.has(one.title)) throw new Error(`the child ended before this: ${errors}`);
    expect(results.get(one.title)).toBeUndefined();
  });
});
