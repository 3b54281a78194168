import { describe, expect, it } from "vitest";
import { z } from "zod";
import { builtinTools } from "../../../src/tools/builtin.ts";
import { toolBench } from "../../support/tool-context.ts";

describe("the list of tools", () => {
  it("T1: every tool of its file is in it, once", () => {
    const names = builtinTools.map((tool) => tool.name);
    expect(names).toEqual(
      expect.arrayContaining(["AskUser", "Delete", "Edit", "Glob", "Grep", "Read", "TodoWrite", "Write"]),
    );
    expect(new Set(names).size).toBe(names.length);
  });
  it.each(builtinTools.map((tool) => [tool.name, tool] as const))(
    "T2: %s says when to use it, with an example that its schema takes",
    (_, tool) => {
      expect(tool.description).toMatch(/Use it|Use them|: builds, tests, git/);
      const example = /Example: (\{.*\})$/.exec(tool.description)?.[1] ?? "";
      expect(tool.input.safeParse(JSON.parse(example)).error).toBeUndefined();
      expect(tool.description.length).toBeLessThan(2000);
    },
  );
  it.each(builtinTools.map((tool) => [tool.name, tool] as const))(
    "T2: %s has a JSON Schema that the API takes: an object, no unions at its top",
    (_, tool) => {
      const schema = z.toJSONSchema(tool.input, { io: "input" });
      expect(schema).toMatchObject({ type: "object", additionalProperties: false });
      expect(Object.keys(schema)).not.toEqual(expect.arrayContaining(["anyOf", "oneOf", "allOf"]));
    },
  );
  it("T3: fields have the names that models know", () => {
    const fields = (name: string): string[] => {
      const tool = builtinTools.find((t) => t.name === name);
      return tool === undefined ? [] : Object.keys(z.toJSONSchema(tool.input, { io: "input" }).properties ?? {});
    };
    expect(fields("Read")).toEqual(["file_path", "offset", "limit"]);
    expect(fields("Edit")).toEqual(["file_path", "old_string", "new_string", "replace_all", "edits"]);
    expect(fields("Grep")).toEqual(
      expect.arrayContaining([
        "pattern",
        "path",
        "glob",
        "output_mode",
        "-i",
        "-A",
        "-B",
        "-C",
        "multiline",
        "head_limit",
      ]),
    );
  });
  it("L7: reading runs in parallel, what changes files or asks never does", () => {
    const parallel = builtinTools.filter((tool) => tool.parallel({})).map((tool) => tool.name);
    expect(parallel).toEqual(["Glob", "Grep", "Read", "Task", "WebFetch"]);
  });
});

describe("AskUser", () => {
  it("S6: brings the person's answer", async () => {
    const bench = toolBench({ answer: (question) => `${question.options[1]?.label}!` });
    const options = [{ label: "tabs" }, { label: "spaces", description: "two" }];
    const called = await bench.call("AskUser", { question: "Tabs?", options });
    expect([called.outcome.status, called.text]).toEqual(["ok", "spaces!"]);
  });
  it("S6: waits where nobody is there", async () => {
    expect((await toolBench().call("AskUser", { question: "Tabs?" })).outcome.status).toBe("waiting");
  });
  it("L8: an empty question is told", async () => {
    expect((await toolBench().call("AskUser", { question: " " })).outcome.status).toBe("error");
  });
});

describe("TodoWrite", () => {
  it("T1: replaces the list", async () => {
    const bench = toolBench();
    const todos = [
      { text: "a", status: "done" },
      { text: "b", status: "active" },
    ];
    expect((await bench.call("TodoWrite", { todos })).text).toBe("Noted: 1 done, 1 active, 0 pending.");
    expect(bench.todos()).toEqual(todos);
    await bench.call("TodoWrite", { todos: [] });
    expect(bench.todos()).toEqual([]);
  });
  it("L8: names what is empty", async () => {
    expect((await toolBench().call("TodoWrite", { todos: [{ text: "", status: "done" }] })).text).toBe(
      "todos[0].text is empty.",
    );
  });
});
