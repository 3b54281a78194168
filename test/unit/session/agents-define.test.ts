import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { AgentBook } from "../../../src/session/agents-book.ts";
import { agentOf } from "../../../src/session/agents-define.ts";
import { scratch } from "../../support/scratch.ts";
import { openAt, place } from "../../support/session.ts";

const known = ["Bash", "Edit", "Glob", "Grep", "Read", "Task"];
const read = (head: string, body = "You review.") =>
  agentOf(`---\n${head}\n---\n${body}\n`, { file: "r.md", source: "user", known });

describe("definitions of agents", () => {
  it("C5: name, description, tools, model, mode, turns and isolation are read", () => {
    const { kind, problems } = read(
      "name: reviewer\ndescription: Reviews a diff\ntools: Read, Grep\nmodel: haiku\nmode: plan\nturns: 12\nisolation: layer",
    );
    expect(problems).toEqual([]);
    expect(kind).toMatchObject({
      name: "reviewer",
      tools: ["Read", "Grep"],
      mode: "plan",
      turns: 12,
      isolation: "layer",
    });
    expect(kind?.model).toMatch(/^claude-haiku-/);
    expect(kind?.prompt).toBe("You review.");
  });

  it.each([
    ["name: a b\ndescription: d", 'r.md:2: name "a b"'],
    ["name: a", "r.md:1: it needs a description"],
    ["name: a\ndescription: d\ntools: Fly", "r.md:4: tools: there is no Fly"],
    ["name: a\ndescription: d\nmode: bypass", "r.md:4: mode is plan, ask, auto"],
    ["name: a\ndescription: d\npermissionMode: bypassPermissions", "r.md:4: bypassPermissions is not taken over"],
    ["name: a\ndescription: d\nturns: none", "r.md:4: turns is a whole number"],
    ["name: a\ndescription: d\nflies: true", "r.md:4: there is no flies"],
    ["name: [a\ndescription: d", "r.md:"],
  ])("C5: what is wrong in %j is told with file and line", (head, words) => {
    expect(read(head).problems.join("\n")).toContain(words);
  });

  it("C5: an agent whose tools are all unknown is not used, rather than given all", () => {
    expect(read("name: a\ndescription: d\ntools: Fly").kind).toBeUndefined();
  });

  it("H5: what a folder brings counts only while it is trusted, goes before the person's, and is read as it was then", () => {
    const base = scratch("agents");
    const [folder, config] = [join(base, "project"), join(base, "config")];
    for (const dir of [`${folder}/.claude/agents`, `${folder}/.agent/agents`, `${config}/agents`])
      mkdirSync(dir, { recursive: true });
    const file = (path: string, name: string, words: string) =>
      writeFileSync(path, `---\nname: ${name}\ndescription: ${words}\n---\nGo.\n`);
    file(`${config}/agents/mine.md`, "mine", "the person's");
    file(`${config}/agents/both.md`, "both", "the person's");
    file(`${folder}/.claude/agents/both.md`, "both", "the folder's");
    file(`${folder}/.agent/agents/bad.md`, "No Name", "x");
    symlinkSync(`${config}/agents/mine.md`, `${folder}/.agent/agents/out.md`);
    let trusted = false;
    const book = new AgentBook({ configDir: config, folder, known }, () => trusted);
    const told = () => Object.fromEntries(book.kinds().map((k) => [k.name, k.description]));
    expect(told()).toMatchObject({ mine: "the person's", both: "the person's" });
    expect(book.notices).toEqual([]);
    trusted = true;
    expect(told()).toMatchObject({ mine: "the person's", both: "the folder's" });
    expect(book.notices.join("\n")).toContain(".agent/agents/bad.md:2: name");
    expect(book.notices.join("\n")).toContain(".agent/agents/out.md: a link out of the folder");
    file(`${folder}/.agent/agents/late.md`, "late", "x");
    expect(told()).not.toHaveProperty("late");
    trusted = false;
    expect(told()["both"]).toBe("the person's");
  });

  it("C5: what is wrong in a definition is among the session's notices", async () => {
    const at = place();
    mkdirSync(join(at.config, "agents"));
    writeFileSync(join(at.config, "agents/r.md"), "---\nname: r\n---\nYou review.\n");
    const session = await openAt(at, {});
    expect(session.notices.join("\n")).toContain("agents/r.md:1: it needs a description");
    await session.close();
  });
});
