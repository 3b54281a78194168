import { describe, expect, it } from "vitest";
import { denyAll } from "../../../../src/permissions/asker.ts";
import { contextLines } from "../../../../src/ui/commands/context.ts";
import { addToMemory } from "../../../../src/ui/commands/memory.ts";
import { statusLines } from "../../../../src/ui/commands/status.ts";
import type { CommandContext } from "../../../../src/ui/commands/command.ts";
import { commandNamed } from "../../../../src/ui/commands/find.ts";
import type { PanelText } from "../../../../src/ui/prompt/panel.ts";
import { lineWidth, textOfLine } from "../../../../src/ui/render/spans.ts";
import { playScript } from "../../../support/fake-script.ts";
import { fakeSession } from "../../../support/fake-session.ts";

/** A front-end that answers panels with the ids given, in turn. */
function front(...chosen: (string | undefined)[]) {
  const session = fakeSession({ asker: denyAll("test"), script: playScript });
  const said: string[] = [];
  const panels: (PanelText & { shown: string })[] = [];
  const context: CommandContext = {
    session,
    say: (rows) => void said.push(...rows(80).map(textOfLine)),
    resume: async () => {},
    fork: async () => {},
    exportTo: async () => "",
    help: () => [],
    choose: async (panel) => {
      panels.push({ ...panel, shown: panel.body(80).map(textOfLine).join("\n") });
      return chosen.shift();
    },
    draft: () => {},
    exit: () => {},
  };
  const run = async (name: string, args = "") => commandNamed(name)?.run(args, context);
  return { session, said, panels, context, run };
}

describe("views", () => {
  it("/context: a picture with a sign for each part, figures, and what is an estimate", async () => {
    const { said, run } = front();
    await run("context");
    expect(said[0]).toBe("50,000 of 200,000 tokens (25 %)");
    expect(said[1]).toBe("◆◆▲▲▲■■■■■■■■■■■■■■■■■■■■·························");
    expect(said).toContain("■    40k  20 %  results of calls");
    expect(said).toContain("·   150k  75 %  free");
    expect(said.join(" ")).toContain("the parts are an estimate by length.");
    const sizes = { window: 1000, parts: [{ name: "messages" as const, tokens: 1500 }] };
    for (const width of [80, 40, 20, 8])
      for (const row of contextLines(sizes, width)) expect(lineWidth(row)).toBeLessThanOrEqual(width);
    expect(contextLines(sizes, 80).map(textOfLine).join("\n")).toContain("nothing was sent yet");
  });

  it("/status, /todo and /btw say what they are for", async () => {
    const { session, said, run } = front();
    const rows = statusLines(session, 80).map(textOfLine).join("\n");
    for (const part of ["s_fake", "/home/p/project", "fake-1", "ask", "in a copy", "$0.01"])
      expect(rows).toContain(part);
    await run("todo");
    expect(said.join()).toContain("no list of steps");
    await run("btw");
    expect(said.join()).toContain("/btw QUESTION");
    await run("btw", "why so?");
    expect(said.slice(-2)).toEqual(["beside the conversation: why so?", "Beside: why so?"]);
  });

  it("/shells: a roster that shows the output of one, and ends it", async () => {
    const { session, said, panels, run } = front("bg_1", "again", "stop");
    session.setShells([{ id: "bg_1", command: "npm run dev\nevil" }]);
    session.stopShell = async (id) => {
      session.setShells([]);
      return { ok: true, text: `${id} was ended, with all that it started.`, paths: [] };
    };
    await run("shells");
    expect(panels[0]?.choices).toEqual([{ id: "bg_1", label: "bg_1", more: "npm run dev⏎evil" }]);
    expect(panels.slice(1).map((panel) => panel.shown)).toEqual(["listening", "listening"]);
    expect(said).toEqual(["bg_1 was ended, with all that it started.", "No background shell runs."]);
  });

  it("IN-13: # asks which file, with the line as it will stand there; it may be a message instead, or be left", async () => {
    const added = front("AGENTS.md");
    expect(await addToMemory("#  always   run\tthe tests", added.context)).toBe("added");
    expect(added.panels[0]?.shown).toBe("+ - always run the tests");
    expect(added.panels[0]?.choices.map((c) => c.label)).toEqual([
      "AGENTS.md",
      "/home/p/.config/understudy/AGENTS.md",
      "none: send it as a message",
    ]);
    expect(added.said).toEqual(["landed: AGENTS.md: - always run the tests"]);
    expect(await addToMemory("#12 is broken", front("#message").context)).toBe("message");
    expect(await addToMemory("# x", front(undefined).context)).toBe("left");
    const blank = front();
    expect(await addToMemory("#", blank.context)).toBe("added");
    expect(blank.panels).toEqual([]);
  });
});
