import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { methods } from "@agentclientprotocol/sdk";
import { describe, expect, it } from "vitest";
import { startEditor } from "../support/acp.ts";
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

describe("agent acp, driven by the protocol's own client", () => {
  it("U5: a yes lands exactly the diff that was shown, and the editor hears of every step", async () => {
    const at = withFile();
    const turns = [
      { thinking: "look first", text: "I read it.", ...read },
      { text: "I change it.", ...edit },
      { text: "Done." },
    ];
    const editor = await startEditor(at, { pick: "allow_once", args: ["--model", scriptFile(at, { turns })] });
    const id = await editor.begin();
    expect(await editor.say(id, "change it")).toBe("end_turn");
    expect(file(at)).toBe("one\n2\nthree\n");
    expect(editor.asked).toHaveLength(1);
    const { toolCall } = editor.asked[0] ?? {};
    expect(toolCall?.content).toContainEqual({
      type: "diff",
      path: join(at.folder, "a.txt"),
      oldText: "one\ntwo\nthree\n",
      newText: "one\n2\nthree\n",
    });
    expect(JSON.stringify(toolCall?.content)).toContain("has run in a copy");
    const calls = editor.updates.filter((u) => u.sessionUpdate === "tool_call");
    expect(calls.map(({ title, kind }) => [title, kind])).toEqual([
      ["Read a.txt", "read"],
      ["Edit a.txt", "edit"],
    ]);
    const states = editor.updates.flatMap((u) =>
      u.sessionUpdate === "tool_call_update" && u.toolCallId === toolCall?.toolCallId ? [u.status] : [],
    );
    expect(states).toEqual(["in_progress", "completed"]);
    const end = editor.updates.findLast((u) => u.sessionUpdate === "tool_call_update");
    expect(JSON.stringify(end)).toContain('"newText":"one\\n2\\nthree\\n"');
    expect(editor.words()).toBe("I read it.I change it.Done.");
    expect(editor.updates.some((u) => u.sessionUpdate === "agent_thought_chunk")).toBe(true);
    expect(editor.stray).toEqual([]);
  });

  it("U5: an editor that goes away in the middle of a question said no, and the program ends", async () => {
    const at = withFile();
    const model = scriptFile(at, { turns: [read, edit, { text: "Done." }] });
    const editor = await startEditor(at, { pick: "never", args: ["--model", model] });
    const id = await editor.begin();
    const answer = editor.say(id, "change it").catch(() => "gone");
    await expect.poll(() => editor.asked.length, { timeout: 20_000 }).toBe(1);
    editor.child.stdin?.end();
    expect(await editor.ended).toBe(0);
    expect(await answer).toBe("gone");
    expect(file(at)).toBe("one\ntwo\nthree\n");
  });

  it("U5: session/load tells the whole conversation out of the log, and goes on with it", async () => {
    const at = withFile();
    const turns = [{ text: "I read it.", ...read }, { text: "It has three lines." }, { text: "Again." }];
    const args = ["--model", scriptFile(at, { turns })];
    const one = await startEditor(at, { args });
    const id = await one.begin();
    await one.say(id, "what is in it?");
    one.child.stdin?.end();
    await one.ended;
    const two = await startEditor(at, { args });
    const { sessions } = await two.agent.request(methods.agent.session.list, { cwd: at.folder });
    expect(sessions.map(({ sessionId, title }) => [sessionId, title])).toEqual([[id, "what is in it?"]]);
    await two.agent.request(methods.agent.session.load, { sessionId: id, cwd: at.folder, mcpServers: [] });
    expect(two.updates.map((u) => u.sessionUpdate).slice(0, 5)).toEqual([
      "user_message_chunk",
      "agent_message_chunk",
      "tool_call",
      "tool_call_update",
      "agent_message_chunk",
    ]);
    expect(await two.say(id, "and now?")).toBe("end_turn");
    expect(two.words()).toContain("Again.");
    const elsewhere = two.agent.request(methods.agent.session.load, { sessionId: id, cwd: at.home, mcpServers: [] });
    await expect(elsewhere).rejects.toThrow("belongs to");
  });
});
