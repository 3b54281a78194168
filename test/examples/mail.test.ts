import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { defineTool, scriptedModel, ToolError, z, type Asker, type Question } from "../../src/index.ts";
import { exitCode } from "../../src/session/exit-code.ts";
import { startApi } from "../support/api-server.ts";
import { logOf, played, resultsOf, tableOf } from "../support/example.ts";
import { agentEnv } from "../support/run-agent.ts";
import { place, type ScriptInput } from "../support/session.ts";

/** A mail account in this process, and the tools that act on it. */
function account() {
  const sent: { operationId: string; to: string }[] = [];
  const Mail = z.object({ to: z.email(), subject: z.string(), text: z.string() });
  const mailTool = (name: string, accepts: (to: string) => boolean) =>
    defineTool({
      name,
      description: "Puts a mail into the account.",
      input: Mail,
      run: ({ to }, { operationId }) => {
        if (!accepts(to)) throw new ToolError(`No mailbox ${to}. Look the address up, or ask the person.`);
        sent.push({ operationId, to });
        return `Kept for ${to}.`;
      },
    });
  return {
    sent,
    draft: mailTool("draft_mail", () => true),
    full: mailTool("draft_mail", () => false),
    send: mailTool("send_mail", () => true),
    weather: defineTool({
      name: "weather",
      description: "The weather of a city today.",
      input: z.object({ city: z.string() }),
      effects: "none",
      run: ({ city }) => ({ city, sky: "rain", celsius: 7 }),
    }),
    notes: defineTool({
      name: "search_notes",
      description: "Finds notes by a word.",
      input: z.object({ word: z.string() }),
      effects: "none",
      run: ({ word }) => `meeting.md: ${word} moved to Friday, tell Anna`,
    }),
  };
}

/** Says yes to every question and answers the model's; remembers the questions. */
function person(answer?: string): Asker & { asked: Question[] } {
  const asked: Question[] = [];
  return {
    asked,
    ask: (question) => (asked.push(question), Promise.resolve({ kind: "yes" })),
    askPerson: () => Promise.resolve(answer),
  };
}

const mail = (to: string) => ({ to, subject: "Moved", text: "The review is on Friday." });

describe("weather, then a mail", () => {
  it("L4, P3: three turns, every call with its own result by id, the mail asked about with all that it says", async () => {
    const at = place("weather");
    const { weather, send, sent } = account();
    const usage = (input: number) => ({ input, output: 40 });
    const api = await startApi([
      { turn: { usage: usage(1400), calls: [{ id: "toolu_w", name: "weather", input: { city: "Bergen" } }] } },
      { turn: { usage: usage(1480), calls: [{ id: "toolu_m", name: "send_mail", input: mail("anna@example.com") }] } },
      { turn: { usage: usage(1560), text: "It rains in Bergen; Anna knows." } },
    ]);
    const asker = person();
    const { id, result } = await played(
      at,
      {
        env: { ...agentEnv(at), ANTHROPIC_BASE_URL: api.url, ANTHROPIC_API_KEY: "sk-test" },
        tools: [weather, send],
        builtins: [],
        program: "mail-app",
        asker,
      },
      (session) => session.submit("Tell Anna the weather in Bergen."),
    );
    expect(result).toMatchObject({ reason: "done", turns: 3 });
    expect(await tableOf(at, id)).toMatchInlineSnapshot(`
      "turn   context   cached  written     out     cost  the model

      > Tell Anna the weather in Bergen.
         1     1,400        0        0      40  $0.0032  1 call
          weather {"city":"Bergen"}
            ran unasked, low risk
            ok, 42 characters
         2     1,480        0        0      40  $0.0034  1 call
          send_mail {"to":"anna@example.com","subject":"Moved","text":"The review is …
            before: asked, yes (high): uses the tool send_mail of mail-app, whose
              effects can't be seen beforehand
            ok, 26 characters
         3     1,560        0        0      40  $0.0035  text
          "It rains in Bergen; Anna knows."
      = done after 3 turns

         3     4,440        0        0     120  $0.0101  in all
      2 calls, asked 1 (1 yes, 0 no), nothing landed; ended: done"
    `);
    const last = api.requests[2]?.body["messages"] as { role: string; content: Record<string, unknown>[] }[];
    const ids = last.flatMap(({ role, content }) =>
      content.flatMap((b) => (b["type"] === "text" ? [] : [`${role} ${String(b["id"] ?? b["tool_use_id"])}`])),
    );
    expect(ids).toEqual(["assistant toolu_w", "user toolu_w", "assistant toolu_m", "user toolu_m"]);
    expect(api.breaches).toEqual([]);
    expect(asker.asked.map((q) => q.effect.subject)).toEqual([JSON.stringify(mail("anna@example.com"))]);
    expect(sent.map(({ to }) => to)).toEqual(["anna@example.com"]);
  });
});

describe("notes, a new note, a mail that needs an address", () => {
  it("S4, S6, P3: six turns, 34,240 tokens sent, and the failure is forgotten once the draft works", async () => {
    const at = place("notes");
    const { notes, draft, sent } = account();
    const turn = (input: number, name: string, what: Record<string, unknown>) => ({
      usage: { input, output: 60 },
      calls: [{ name, input: what }],
    });
    const model = scriptedModel({
      turns: [
        turn(3000, "search_notes", { word: "review" }),
        turn(5450, "Write", { file_path: "notes/friday.md", content: "# Friday\n\nReview, with Anna.\n" }),
        turn(6080, "draft_mail", mail("Anna")),
        turn(6420, "AskUser", { question: "Which address has Anna?" }),
        turn(6480, "draft_mail", mail("anna@example.com")),
        { usage: { input: 6810, output: 40 }, text: "The note is written, and a mail to Anna lies in your drafts." },
      ],
    });
    const asker = person("anna@example.com");
    const failures: unknown[] = [];
    const { id, result } = await played(
      at,
      { model, tools: [notes, draft], program: "mail-app", asker, maxTurns: 8 },
      async function* (session) {
        const run = session.submit("Note that the review moved, and tell Anna.");
        for (;;) {
          const step = await run.next();
          if (step.done === true) return step.value;
          if (step.value.type === "turn.started") failures.push(session.state().failures.get("draft_mail") ?? 0);
          yield step.value;
        }
      },
    );
    expect(await tableOf(at, id)).toMatchInlineSnapshot(`
      "turn   context   cached  written     out     cost  the model

      > Note that the review moved, and tell Anna.
         1     3,000        0        0      60        0  1 call
          search_notes {"word":"review"}
            ran unasked, low risk
            ok, 45 characters
         2     5,450        0        0      60        0  1 call
          Write {"file_path":"notes/friday.md","content":"# Friday\\n\\nReview, with An…
            changes: asked, yes (medium): changes 1 file: notes/friday.md
            ok, landed 1 file, 79 characters
         3     6,080        0        0      60        0  1 call
          draft_mail {"to":"Anna","subject":"Moved","text":"The review is on Friday."}
            not run
            error, 70 characters
         4     6,420        0        0      60        0  1 call
          AskUser {"question":"Which address has Anna?"}
            ran unasked, low risk
            ok, 16 characters
         5     6,480        0        0      60        0  1 call
          draft_mail {"to":"anna@example.com","subject":"Moved","text":"The review is…
            before: asked, yes (high): uses the tool draft_mail of mail-app, whose
              effects can't be seen beforehand
            ok, 26 characters
         6     6,810        0        0      40        0  text
          "The note is written, and a mail to Anna lies in your drafts."
      = done after 6 turns

         6    34,240        0        0     340        0  in all
      5 calls, asked 2 (2 yes, 0 no), 1 failed, landed 1 file in 1 step; ended: done"
    `);
    expect(await resultsOf(at, id)).toMatchInlineSnapshot(`
      [
        "search_notes ok: meeting.md: review moved to Friday, tell Anna",
        "Write ok: Made notes/friday.md (29 bytes).
      [Landed in the folder: create notes/friday.md.]",
        "draft_mail error: Invalid input for draft_mail; nothing ran.
      - to: Invalid email address",
        "AskUser ok: anna@example.com",
        "draft_mail ok: Kept for anna@example.com.",
      ]
    `);
    expect(failures).toEqual([0, 0, 0, 1, 1, 0]);
    expect(result.usage.input).toBe(3000 + 5450 + 6080 + 6420 + 6480 + 6810);
    expect(asker.asked.map(({ gate, effect }) => `${effect.tool} ${gate}`)).toEqual([
      "Write changes",
      "draft_mail needs",
    ]);
    expect(sent.map(({ to }) => to)).toEqual(["anna@example.com"]);
    expect(readFileSync(join(at.folder, "notes/friday.md"), "utf8")).toBe("# Friday\n\nReview, with Anna.\n");
  });

  it("S4: the same draft failing in turns 3, 4 and 5 ends in turn 5, not at the limit of 15", async () => {
    const at = place("notes");
    writeFileSync(join(at.folder, "todo.md"), "- tell Anna\n");
    const { notes, full, sent } = account();
    const usage = { input: 3000, output: 60 };
    const script: ScriptInput = {
      turns: [
        { usage, calls: [{ name: "search_notes", input: { word: "review" } }] },
        { usage, calls: [{ name: "Read", input: { file_path: "todo.md" } }] },
        ...Array.from({ length: 13 }, () => ({
          usage,
          calls: [{ name: "draft_mail", input: mail("anna@example.com") }],
        })),
      ],
    };
    const { id, result } = await played(at, {
      model: scriptedModel(script),
      tools: [notes, full],
      program: "mail-app",
      asker: person(),
      maxTurns: 15,
    });
    expect(await tableOf(at, id)).toMatchInlineSnapshot(`
      "turn   context   cached  written     out     cost  the model

      > go
         1     3,000        0        0      60        0  1 call
          search_notes {"word":"review"}
            ran unasked, low risk
            ok, 45 characters
         2     3,000        0        0      60        0  1 call
          Read {"file_path":"todo.md"}
            ran unasked, low risk
            ok, 13 characters
         3     3,000        0        0      60        0  1 call
          draft_mail {"to":"anna@example.com","subject":"Moved","text":"The review is…
            before: asked, yes (high): uses the tool draft_mail of mail-app, whose
              effects can't be seen beforehand
            error, 68 characters
         4     3,000        0        0      60        0  1 call
          draft_mail {"to":"anna@example.com","subject":"Moved","text":"The review is…
            before: asked, yes (high): uses the tool draft_mail of mail-app, whose
              effects can't be seen beforehand
            error, failure 2 in a row, 68 characters
         5     3,000        0        0      60        0  1 call
          draft_mail {"to":"anna@example.com","subject":"Moved","text":"The review is…
            before: asked, yes (high): uses the tool draft_mail of mail-app, whose
              effects can't be seen beforehand
            error, failure 3 in a row, 68 characters
      = tool-failing after 5 turns: draft_mail failed 3 times in a row in turn 5: No
        mailbox anna@example.com. Look the address up, or ask the person.

         5    15,000        0        0     300        0  in all
      5 calls, asked 3 (3 yes, 0 no), 3 failed, nothing landed; ended: tool-failing"
    `);
    expect(result).toMatchObject({ reason: "tool-failing", turns: 5 });
    expect(exitCode(result.reason)).toBe(5);
    expect((await logOf(at, id)).state.failures.get("draft_mail")).toBe(3);
    expect(sent).toEqual([]);
  });
});
