import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { methods } from "@agentclientprotocol/sdk";
import { describe, expect, it } from "vitest";
import { type Pick, startEditor } from "../support/acp.ts";
import { png } from "../support/media.ts";
import { scriptFile } from "../support/run-agent.ts";
import { place } from "../support/session.ts";

const edit = {
  calls: [{ name: "Edit", input: { file_path: "a.txt", old_string: "two", new_string: "2" } }],
};
const read = { calls: [{ name: "Read", input: { file_path: "a.txt" } }] };

function withFile(): ReturnType<typeof place> {
  const at = place();
  writeFileSync(join(at.folder, "a.txt"), "one\ntwo\nthree\n");
  return at;
}
const file = (at: { folder: string }): string => readFileSync(join(at.folder, "a.txt"), "utf8");

describe("agent acp: the rest of the protocol", () => {
  it.each<[string, Pick]>([
    ["no", "reject_once"],
    ["cancelled", "cancelled"],
    ["a choice that there is not", { id: "once" }],
  ])("U5: %s lands nothing", async (_how, pick) => {
    const at = withFile();
    const model = scriptFile(at, { turns: [read, edit, { text: "Done." }] });
    const editor = await startEditor(at, { pick, args: ["--model", model] });
    await editor.say(await editor.begin(), "change it");
    expect(editor.asked).toHaveLength(1);
    expect(file(at)).toBe("one\ntwo\nthree\n");
  });

  it("U5: cancel ends the running command, and the answer says so", async () => {
    const at = place();
    const turns = [
      { calls: [{ name: "Bash", input: { command: "echo begun; sleep 60; touch late" } }] },
      { text: "no" },
    ];
    const editor = await startEditor(at, { args: ["--mode", "auto", "--model", scriptFile(at, { turns })] });
    const id = await editor.begin();
    const answer = editor.say(id, "run it");
    await expect.poll(() => JSON.stringify(editor.updates), { timeout: 20_000 }).toContain("begun");
    await editor.agent.notify(methods.agent.session.cancel, { sessionId: id });
    expect(await answer).toBe("cancelled");
    expect(existsSync(join(at.folder, "late"))).toBe(false);
  });

  it("U5: modes go both ways: set by the editor, and by a plan that the person accepts", async () => {
    const at = withFile();
    const turns = [
      { calls: [{ name: "Write", input: { file_path: "b.txt", content: "b" } }] },
      { calls: [{ name: "ExitPlan", input: { title: "write b.txt" } }] },
      { text: "Ready." },
    ];
    const editor = await startEditor(at, {
      can: { elicitation: { form: {} } },
      form: ({ message, ...more }) => {
        const first = /"const":"([^"]+)"/.exec(JSON.stringify(more))?.[1] ?? "";
        return { action: "accept", content: { choice: message === "" ? "" : first } };
      },
      args: ["--model", scriptFile(at, { turns })],
    });
    const { sessionId, modes } = await editor.agent.request(methods.agent.session.new, {
      cwd: at.folder,
      mcpServers: [],
    });
    expect(modes?.availableModes.map(({ id }) => id)).toEqual(["plan", "ask", "auto"]);
    await editor.agent.request(methods.agent.session.setMode, { sessionId, modeId: "plan" });
    await expect(editor.agent.request(methods.agent.session.setMode, { sessionId, modeId: "yolo" })).rejects.toThrow(
      "there is no mode yolo",
    );
    await editor.say(sessionId, "plan it");
    expect(existsSync(join(at.folder, "b.txt"))).toBe(false);
    const told = editor.updates.filter((u) => u.sessionUpdate === "current_mode_update");
    expect(told.map(({ currentModeId }) => currentModeId)).toEqual(["ask"]);
  });

  it("U5: files, unsaved texts and pictures come along with a message; what can't be sent is told", async () => {
    const at = withFile();
    const editor = await startEditor(at, { args: ["--model", scriptFile(at, { turns: [{ text: "Seen." }] })] });
    const sessionId = await editor.begin();
    const uri = `file://${join(at.folder, "a.txt")}`;
    await editor.agent.request(methods.agent.session.prompt, {
      sessionId,
      prompt: [
        { type: "text", text: "Compare" },
        { type: "resource_link", uri, name: "a.txt" },
        { type: "text", text: "with mine" },
        { type: "resource", resource: { uri, text: "one\nTWO\n" } },
        { type: "image", mimeType: "image/png", data: png(3, 4).toString("base64") },
        { type: "image", mimeType: "image/png", data: "AAAA" },
      ],
    });
    const log = readFileSync(join(at.state, "understudy", "sessions", `${sessionId}.jsonl`), "utf8");
    expect(log).toContain("Compare @a.txt with mine a.txt");
    expect(log).toContain("as Read shows it.)");
    expect(log).toContain("the person has not saved it");
    expect(log).toContain("image/png");
    expect(editor.words()).toContain("is not sent: it is no PNG, JPEG, GIF or WebP");
  });

  it("U5: slash commands are offered and run; the todo list is the editor's plan", async () => {
    const at = withFile();
    const todos = [
      { text: "first", status: "done" },
      { text: "second", status: "active" },
    ];
    const turns = [{ calls: [{ name: "TodoWrite", input: { todos } }] }, read, edit, { text: "Done." }];
    const editor = await startEditor(at, { args: ["--mode", "auto", "--model", scriptFile(at, { turns })] });
    const id = await editor.begin();
    await editor.say(id, "go");
    expect(editor.updates.find((u) => u.sessionUpdate === "plan")).toEqual({
      sessionUpdate: "plan",
      entries: [
        { content: "first", priority: "medium", status: "completed" },
        { content: "second", priority: "medium", status: "in_progress" },
      ],
    });
    const offered = editor.updates.find((u) => u.sessionUpdate === "available_commands_update");
    expect(offered?.availableCommands.map(({ name }) => name)).toContain("undo");
    expect(file(at)).toContain("\n2\n");
    expect(await editor.say(id, "/undo")).toBe("end_turn");
    expect(file(at)).toBe("one\ntwo\nthree\n");
  });

  it("U5: a question of the model's without a form waits, and the next message answers it", async () => {
    const at = place();
    const ask = { question: "Which?", options: [{ label: "red" }, { label: "blue" }] };
    const turns = [{ calls: [{ name: "AskUser", input: ask }] }, { text: "So be it." }];
    const editor = await startEditor(at, { args: ["--model", scriptFile(at, { turns })] });
    const id = await editor.begin();
    await editor.say(id, "paint");
    expect(editor.words()).toContain("2 blue");
    await editor.say(id, "2");
    expect(editor.words()).toContain("So be it.");
    expect(readFileSync(join(at.state, "understudy", "sessions", `${id}.jsonl`), "utf8")).toContain("blue");
  });

  it("M3: without a key a new session asks for one, in words", async () => {
    const at = place();
    const editor = await startEditor(at, { args: ["--model", "claude-sonnet-5-5"] });
    await expect(editor.begin()).rejects.toThrow("Authentication required");
  });
});
