import { execFile } from "node:child_process";
import { cpSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { startApi } from "../support/api-server.ts";
import { agentEnv } from "../support/run-agent.ts";
import { scratch } from "../support/scratch.ts";
import { place } from "../support/session.ts";

const root = resolve(import.meta.dirname, "../..");
const run = promisify(execFile);

/** What another program has that installed the package: the built library, its types, and the packages that these name. */
function installed(): string {
  const dir = scratch("consumer");
  const at = join(dir, "node_modules");
  mkdirSync(join(at, "understudy"), { recursive: true });
  mkdirSync(join(at, "@types"));
  for (const part of ["package.json", "dist"])
    cpSync(join(root, part), join(at, "understudy", part), { recursive: true });
  for (const name of ["zod", "@types/node", "undici-types"])
    symlinkSync(join(root, "node_modules", name), join(at, name));
  writeFileSync(join(dir, "package.json"), '{"type":"module"}');
  return dir;
}

/** What the compiler says of it; it exits with an error then. */
async function compiled(dir: string): Promise<string> {
  try {
    return (await run(join(root, "node_modules/.bin/tsc"), ["-p", dir], { cwd: dir })).stdout;
  } catch (error) {
    return String(Object(error).stdout);
  }
}

const PROGRAM = `
import { defineTool, openSession, query, z, type Asker, type QueryResult, type Session } from "understudy";
const tool = defineTool({
  name: "double",
  description: "Doubles a number.",
  input: z.object({ n: z.number() }),
  effects: ({ n }) => (n > 9 ? "outside" : "none"),
  run: ({ n }, { operationId }) => ({ twice: n * 2, operationId: operationId.trim() }),
});
const asker: Asker = { ask: async ({ decision }) => ({ kind: decision.risk === "high" ? "no" : "yes" }), askPerson: async () => undefined };
const session: Session = await openSession({ folder: ".", env: process.env, tools: [tool], asker, maxTurns: 3 });
for await (const event of session.submit("go")) if (event.type === "text.delta") process.stdout.write(event.text);
export const result: IteratorResult<unknown, QueryResult> = await query("go", { folder: ".", env: {} }).next();
`;
const WRONG = `
defineTool({ name: "x", description: "x", input: z.object({ n: z.number() }), run: ({ m }) => m });
await openSession({ folder: ".", tools: [tool] });
`;

describe("the library, as another program has it", () => {
  it("U3: its types are those of the package, and tell mistakes", { timeout: 120_000 }, async () => {
    const dir = installed();
    const compilerOptions = { module: "nodenext", target: "es2024", strict: true, noEmit: true, types: ["node"] };
    writeFileSync(join(dir, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["right.ts", "wrong.ts"] }));
    writeFileSync(join(dir, "right.ts"), PROGRAM);
    writeFileSync(join(dir, "wrong.ts"), PROGRAM + WRONG);
    const lines = (await compiled(dir)).split("\n").filter((line) => /^\S+\(\d/.test(line));
    expect(lines.map((line) => line.replace(/\(\d+,\d+\).*?'(\w+)'.*/, " $1"))).toEqual(["wrong.ts m", "wrong.ts env"]);
  });

  it("U3: the example program runs on the built library", { timeout: 120_000 }, async () => {
    const at = place("library");
    const api = await startApi([
      { turn: { calls: [{ name: "multiply", input: { a: 23, b: 19 } }] } },
      { turn: { text: "23 × 19 = 437" } },
    ]);
    const env = agentEnv(at, { ANTHROPIC_BASE_URL: api.url, ANTHROPIC_API_KEY: "sk-test" });
    const { stdout, stderr } = await run(process.execPath, [join(root, "examples/multiply.ts")], {
      cwd: at.folder,
      env,
    });
    expect([stdout, stderr]).toEqual(["23 × 19 = 437\n(done after 2 turns)\n", ""]);
    expect(api.breaches).toEqual([]);
    expect(JSON.stringify(api.requests[1]?.body["messages"])).toContain('"content":[{"type":"text","text":"437"}]');
  });
});
