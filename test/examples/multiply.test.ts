import { describe, expect, it } from "vitest";
import { defineTool, z } from "../../src/index.ts";
import { startApi } from "../support/api-server.ts";
import { played, resultsOf, tableOf } from "../support/example.ts";
import { agentEnv } from "../support/run-agent.ts";
import { place } from "../support/session.ts";

const multiply = defineTool({
  name: "multiply",
  description: "Multiplies two numbers, exactly.",
  input: z.object({ a: z.number(), b: z.number() }),
  effects: "none",
  run: ({ a, b }) => a * b,
});
const divide = defineTool({
  name: "divide",
  description: "Divides one number by another.",
  input: z.object({ a: z.number(), b: z.number() }),
  effects: "none",
  run: ({ a, b }) => {
    if (b === 0) throw new RangeError("division by zero\n    at divide (calculator.ts:3)");
    return a / b;
  },
});

describe("23 × 19 through a tool of five lines", () => {
  it("U3, L8, L10: an unknown tool, a bad argument and a failing tool are seen by the model, which then gets 437", async () => {
    const at = place("multiply");
    const call = (name: string, input: Record<string, unknown>) => ({ turn: { calls: [{ name, input }] } });
    const api = await startApi([
      call("Multiply", { a: 23, b: 19 }),
      call("multiply", { a: 23, b: "nineteen" }),
      call("divide", { a: 23, b: 0 }),
      call("multiply", { a: 23, b: 19 }),
      { turn: { text: "23 × 19 = 437" } },
    ]);
    const env = { ...agentEnv(at), ANTHROPIC_BASE_URL: api.url, ANTHROPIC_API_KEY: "sk-test" };
    const options = { env, tools: [multiply, divide], builtins: [], maxTurns: 8 };
    const { id, result } = await played(at, options, (session) => session.submit("What is 23 × 19?"));
    expect(result).toMatchObject({ reason: "done", text: "23 × 19 = 437", turns: 5 });
    expect(await tableOf(at, id)).toMatchInlineSnapshot(`
      "turn   context   cached  written     out     cost  the model

      > What is 23 × 19?
         1        10        0        0      20  $0.0002  1 call
          Multiply {"a":23,"b":19}
            not run
            error, 84 characters
         2        10        0        0      20  $0.0002  1 call
          multiply {"a":23,"b":"nineteen"}
            not run
            error, 93 characters
         3        10        0        0      20  $0.0002  1 call
          divide {"a":23,"b":0}
            ran unasked, low risk
            error, 33 characters
         4        10        0        0      20  $0.0002  1 call
          multiply {"a":23,"b":19}
            ran unasked, low risk
            ok, 3 characters
         5        10        0        0      20  $0.0002  text
          "23 × 19 = 437"
      = done after 5 turns

         5        50        0        0     100  $0.0011  in all
      4 calls, asked nothing, 3 failed, nothing landed; ended: done"
    `);
    expect(await resultsOf(at, id)).toMatchInlineSnapshot(`
      [
        "Multiply error: There is no tool "Multiply". Did you mean multiply? The tools are: divide, multiply.",
        "multiply error: Invalid input for multiply; nothing ran.
      - b: Invalid input: expected number, received string",
        "divide error: The tool failed: division by zero",
        "multiply ok: 437",
      ]
    `);
    // What was recorded is what went over the wire, each result marked as what it is.
    const sent = api.requests.map(({ body }) => JSON.stringify(body["messages"]));
    expect(sent.map((messages) => messages.split('"is_error":true').length - 1)).toEqual([0, 1, 2, 3, 3]);
    expect(api.breaches).toEqual([]);
  });
});
