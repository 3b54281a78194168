import { describe, expect, it } from "vitest";
import { z } from "zod";
import { scriptedModel } from "../../../src/model/scripted.ts";
import { programQuery, programSession, toEnd, type ProgramOptions } from "../../../src/session/program-session.ts";
import { programTool } from "../../../src/tools/program-tool.ts";
import { libraryOptions } from "../../support/library.ts";
import { talkingModel } from "../../support/agents.ts";
import { place } from "../../support/session.ts";

/** One call of a tool with outside effects, then the end; what the query came to, and whether the tool ran. */
async function charged(more: Partial<ProgramOptions> = {}) {
  const ran: number[] = [];
  const charge = programTool({
    name: "charge",
    description: "Charges.",
    input: z.object({ eur: z.number() }),
    run: ({ eur }) => void ran.push(eur),
  });
  const model = scriptedModel({ turns: [{ calls: [{ name: "charge", input: { eur: 5 } }] }, { text: "done" }] });
  const options = { model, tools: [charge], program: "shop", ...more };
  const result = await toEnd(programQuery("go", libraryOptions(place("program"), options)));
  return { ran, denials: result.denials, reason: result.reason };
}

const refusal = async (more: Partial<ProgramOptions>): Promise<unknown> =>
  programSession(libraryOptions(place("program"), more)).then(
    (session) => session.close(),
    (error: unknown) => (error instanceof Error ? error.message : error),
  );
const named = (name: string) => programTool({ name, description: "Does it.", input: z.object({}), run: () => "done" });

describe("a session of a program's", () => {
  it("P3: with nobody to ask a tool with outside effects does not run, and the rule that would let it is told", async () => {
    expect(await charged()).toMatchObject({
      ran: [],
      reason: "done",
      denials: [{ tool: "charge", subject: '{"eur":5}', by: "nobody", rules: ["mcp__shop__charge"] }],
    });
  });
  it("P3: it runs by a yes, or by a rule that names it and its program; in auto mode no sooner", async () => {
    const asker = { ask: () => Promise.resolve({ kind: "yes" as const }), askPerson: () => Promise.resolve(undefined) };
    expect(await charged({ asker })).toMatchObject({ ran: [5], denials: [] });
    expect(await charged({ allow: ["mcp__shop__charge"] })).toMatchObject({ ran: [5], denials: [] });
    expect(await charged({ allow: ["mcp__other__charge"] })).toMatchObject({ ran: [] });
    expect(await charged({ mode: "auto" })).toMatchObject({ ran: [] });
  });
  it("P1, P6: plan mode refuses it without asking, and a deny wins over an allow", async () => {
    const asker = { ask: () => Promise.reject(new Error("asked")), askPerson: () => Promise.resolve(undefined) };
    expect(await charged({ mode: "plan", asker })).toMatchObject({ ran: [], denials: [{ by: "policy" }] });
    const rules = { allow: ["mcp__shop__charge"], deny: ["mcp__shop"] };
    expect(await charged({ ...rules, asker })).toMatchObject({ ran: [], denials: [{ by: "rule" }] });
  });

  it("U3: what is wrong with the options is one line, and nothing is open then", async () => {
    const model = scriptedModel({ turns: [] });
    expect(await refusal({ model, tools: [named("Bash")], builtins: [] })).toMatch(/tool Bash: a built-in tool/);
    expect(await refusal({ model, tools: [named("a"), named("a")] })).toMatch(/tool a: .*take another/);
    expect(await refusal({ model, tools: [{ ...named("a"), description: "" }] })).toMatch(/description is empty/);
    expect(await refusal({ model, builtins: ["Bush"] })).toMatch(/there is no tool Bush; there are AskUser, /);
    expect(await refusal({ model, program: "a__b" })).toMatch(/^program "a__b"/);
    expect(await refusal({ model, deny: ["Edit()"] })).toMatch(/--deny: rule "Edit\(\)"/);
    expect(await refusal({})).toMatch(/^No key for /);
    expect(await refusal({ model })).toBeUndefined();
  });
  it("U3: a kind of sub-agent that it defines is told to the model, and works with the tools that it names", async () => {
    const tidy = { name: "tidier", description: "tidies one thing", prompt: "You tidy.", tools: ["sweep"] };
    const model = talkingModel(({ agent, turn }) => {
      if (agent === "tidier") return turn === 0 ? { calls: [{ name: "sweep", input: {} }] } : { text: "All is tidy." };
      const input = { agent: "tidier", description: "tidy", prompt: "tidy it" };
      return turn === 0 ? { calls: [{ name: "Task", input }] } : { text: "done" };
    });
    const swept: string[] = [];
    const sweep = programTool({ ...named("sweep"), effects: "none", run: () => void swept.push("swept") });
    const options = { model, tools: [sweep], agents: [tidy] };
    expect((await toEnd(programQuery("go", libraryOptions(place("program"), options)))).reason).toBe("done");
    expect(swept).toEqual(["swept"]);
    const [first, ...others] = model.asked;
    expect(JSON.stringify(first?.request)).toContain("tidier (tidies one thing)");
    const child = others.find(({ agent }) => agent === "tidier");
    expect(child?.request.tools.map(({ name }) => name)).toEqual(["sweep"]);
    expect(JSON.stringify(child?.request.system)).toContain("You tidy.");
  });
  it.each([
    ["a name has small", { name: "Two Words" }],
    ["description is empty", { description: "" }],
    ["prompt is empty", { prompt: " " }],
    ["there is no tool Bush", { tools: ["Bush"] }],
    ["without a tool", { tools: [] }],
    ["turns is a whole number", { turns: 0 }],
    ["mode is one of", { mode: "all" as "ask" }],
  ])("U3: what is wrong with a kind of sub-agent is told: %s", async (words, wrong) => {
    const agents = [{ name: "a", description: "does", prompt: "Do.", ...wrong }];
    expect(await refusal({ model: scriptedModel({ turns: [] }), agents })).toContain(words);
  });
  it("U3: only the built-in tools that it names are there", async () => {
    const names: string[] = [];
    const model = scriptedModel({ turns: [{ text: "hi" }] });
    const watching: typeof model = {
      ...model,
      stream(request, signal) {
        names.push(...request.tools.map(({ name }) => name));
        return model.stream(request, signal);
      },
    };
    await toEnd(
      programQuery(
        "hi",
        libraryOptions(place("program"), { model: watching, tools: [named("zip")], builtins: ["Read", "Grep"] }),
      ),
    );
    expect(names).toEqual(["Grep", "Read", "zip"]);
  });
});
