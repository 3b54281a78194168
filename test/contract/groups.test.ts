import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Account, ordinaryUser, startAs } from "../support/as-user.ts";
import { deep } from "../support/deep.ts";
import { FD_CASES } from "../support/group-fd-cases.ts";
import { COPY_NODE, GROUP_CASES as CASES, WATCH_CASES } from "../support/group-cases.ts";
import { missingTool, needs } from "../support/runnable.ts";

const root = process.getuid?.() === 0;
const account = ordinaryUser();
const tool = missingTool("bwrap") ?? missingTool("nsenter") ?? missingTool("python3");
const noNode = COPY_NODE === undefined ? "the copy shows no node" : undefined;

/** `npm test` runs a case as root or as a user, by turns; `npm run deep`, and who is not root, each as both. */
const turn = <C>(list: readonly C[], of: 0 | 1): C[] =>
  list.filter((_, n) => !root || deep(0, 1) === 1 || n % 2 === of);
const GROUP_CASES = [...CASES, ...FD_CASES];
const watching = WATCH_CASES(COPY_NODE ?? "");
const asUser = [...turn(GROUP_CASES, 1), ...turn(watching, 0)];

/** The cases in a process of an ordinary user's, meanwhile. */
const other = { missing: account === undefined ? "there is no ordinary user" : tool, errors: "", remove: () => {} };
let ended: Promise<Map<string, string | undefined>> | undefined;

beforeAll(() => {
  if (other.missing === undefined && account !== undefined) ended = runAs(account);
});
afterAll(() => other.remove());

const literal = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

async function runAs(user: Account): Promise<Map<string, string | undefined>> {
  const { child, remove } = startAs(user, "group-child.ts", [
    "overlay-bwrap",
    `^(${asUser.map((one) => literal(one.title)).join("|")})$`,
  ]);
  other.remove = remove;
  let out = "";
  child.stdout?.on("data", (chunk: Buffer) => (out += chunk.toString("utf8")));
  child.stderr?.on("data", (chunk: Buffer) => (other.errors += chunk.toString("utf8")));
  await new Promise((resolve) => child.once("close", resolve));
  const lines = out.split("\n").filter((l) => l !== "");
  return new Map(
    lines.map((line) => {
      const { title, problem } = JSON.parse(line) as { title: string; problem?: string };
      return [title, problem];
    }),
  );
}

describe("background shells on overlay-root", () => {
  const missing = root ? tool : "this user is not root";
  it.for(turn(GROUP_CASES, 0))("$title", async (one, ctx) => {
    needs(ctx, missing);
    // The cases assert by themselves; here that none of it threw.
    await expect(one.run("overlay-root")).resolves.toBeUndefined();
  });
  it.for(turn(watching, 1))("$title", async (one, ctx) => {
    needs(ctx, missing ?? noNode);
    await expect(one.run("overlay-root")).resolves.toBeUndefined();
  });
});

describe("background shells on overlay-bwrap as an ordinary user", () => {
  it.for(asUser)("$title", { timeout: 120_000 }, async (one, ctx) => {
    needs(ctx, other.missing ?? (GROUP_CASES.includes(one) ? undefined : noNode));
    const results = (await ended) ?? new Map<string, string | undefined>();
    if (!results.has(one.title)) throw new Error(`the child ended before this: ${other.errors}`);
    expect(results.get(one.title)).toBeUndefined();
  });
});
