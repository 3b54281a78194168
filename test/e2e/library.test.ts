import { execFile } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { startApi } from "../support/api-server.ts";
import type { ApiTurn } from "../support/api-sse.ts";
import { deep } from "../support/deep.ts";
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
  timeoutMs: 5000,
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

/** Each example, what the model says in it, what it prints, and what of it the model reads at last. */
const EXAMPLES: readonly [string, ApiTurn[], RegExp, string][] = [
  [
    "multiply",
    [{ calls: [{ name: "multiply", input: { a: 23, b: 19 } }] }, { text: "23 × 19 = 437" }],
    /^23 × 19 = 437\n\(done after 2 turns\)\n$/,
    '"content":[{"type":"text","text":"437"}]',
  ],
  [
    "headings",
    [{ calls: [{ name: "set_heading", input: { path: "notes.md", words: "Notes" } }] }, { text: "It has it." }],
    /notes\.md[^]*# Notes[^]*It has it\. \(done\)\n$/,
    "It has the heading now.",
  ],
  [
    "reviewer",
    [
      { calls: [{ name: "Task", input: { agent: "reviewer", description: "review", prompt: "Look at src/." } }] },
      { text: "src/a.ts:1 could break." },
      { text: "One thing could break." },
    ],
    /^One thing could break\. \(done\)\n$/,
    "src/a.ts:1 could break.",
  ],
  [
    "no-pushes",
    [{ calls: [{ name: "Bash", input: { command: "git push" } }] }, { text: "You have to push." }],
    /^You have to push\. \(done\)\n$/,
    "a person pushes",
  ],
];
const NOTES: Readonly<Record<string, string>> = { headings: "# Notes\n\nwords\n", "as it was": "# Old\n\nwords\n" };

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

  it.each(EXAMPLES.slice(0, deep(2, EXAMPLES.length)))(
    "U3: the example %s runs on the built library",
    { timeout: 120_000 },
    async (name, turns, told, left) => {
      const at = place("library");
      writeFileSync(join(at.folder, "notes.md"), "# Old\n\nwords\n");
      const api = await startApi(turns.map((turn) => ({ turn })));
      const env = agentEnv(at, { ANTHROPIC_BASE_URL: api.url, ANTHROPIC_API_KEY: "sk-test" });
      const { stdout, stderr } = await run(process.execPath, [join(root, `examples/${name}.ts`)], {
        cwd: at.folder,
        env,
      });
      expect([stdout, stderr]).toEqual([expect.stringMatching(told), ""]);
      expect(api.breaches).toEqual([]);
      const results = api.requests.flatMap(({ body }) => JSON.stringify(body["messages"]));
      expect(results.at(-1)).toContain(left);
      expect(readFileSync(join(at.folder, "notes.md"), "utf8")).toBe(NOTES[name] ?? NOTES["as it was"]);
    },
  );
});
