import { describe, expect, it } from "vitest";
import { apiBreaches } from "../../support/api-rules.ts";

const u = (...content: unknown[]) => ({ role: "user", content });
const a = (...content: unknown[]) => ({ role: "assistant", content });
const t = (text: string) => ({ type: "text", text });
const call = (id: string, more: object = {}) => ({ type: "tool_use", id, name: "Read", input: {}, ...more });
const result = (id: string, more: object = {}) => ({ type: "tool_result", tool_use_id: id, content: "x", ...more });
const THINKING = { type: "thinking", thinking: "", signature: "S" };

describe("apiBreaches", () => {
  it("lets through what the API takes", () => {
    expect(apiBreaches([{ role: "user", content: "hi" }])).toEqual([]);
    const talk = [
      u(t("hi")),
      a(THINKING, t("x"), call("a"), call("b")),
      u(result("a"), result("b", { is_error: true, content: [t("no")] }), t("and")),
    ];
    expect(apiBreaches(talk)).toEqual([]);
    expect(apiBreaches([...talk, a(t("done"))], { request: false })).toEqual([]);
    expect(apiBreaches([], { request: false })).toEqual([]);
    expect(apiBreaches([u(t("x")), a({ type: "other", raw: {} }, t("y"))], { request: false, wrapped: true })).toEqual(
      [],
    );
  });
  it.each<[string, unknown]>([
    ["no list", {}],
    ["nothing", []],
    ["the model first", [a(t("x")), u(t("y"))]],
    ["the model last", [u(t("x")), a(t("y"))]],
    ["one role twice", [u(t("x")), u(t("y"))]],
    ["a system message", [{ role: "system", content: "x" }]],
    ["no content", [u()]],
    ["an empty text", [{ role: "user", content: "" }]],
    ["a blank text", [u(t(" \n"))]],
    ["a field that nobody knows", [u({ ...t("x"), seq: 1 })]],
    ["a message with a field that nobody knows", [{ ...u(t("x")), seq: 1 }]],
    ["a wrapped block", [u(t("x")), a({ type: "other", raw: {} }, t("y")), u(t("z"))]],
    ["a call without a result", [u(t("x")), a(call("a")), u(t("y"))]],
    ["a result of another call", [u(t("x")), a(call("a")), u(result("b"))]],
    ["a result without a call", [u(result("a"))]],
    ["a result twice", [u(t("x")), a(call("a")), u(result("a"), result("a"))]],
    ["results in another order", [u(t("x")), a(call("a"), call("b")), u(result("b"), result("a"))]],
    ["a text before a result", [u(t("x")), a(call("a")), u(t("y"), result("a"))]],
    ["an id twice", [u(t("x")), a(call("a")), u(result("a")), a(call("a")), u(result("a"))]],
    ["an empty id", [u(t("x")), a(call("")), u(result(""))]],
    ["a name with a space", [u(t("x")), a(call("a", { name: "a b" })), u(result("a"))]],
    ["an input that is no object", [u(t("x")), a(call("a", { input: "x" })), u(result("a"))]],
    ["a broken input's rest", [u(t("x")), a(call("a", { broken: "{" })), u(result("a"))]],
    ["an empty result", [u(t("x")), a(call("a")), u(result("a", { content: [] }))]],
    ["a blank result", [u(t("x")), a(call("a")), u(result("a", { content: [t(" ")] }))]],
    [
      "an image in an error",
      [u(t("x")), a(call("a")), u(result("a", { is_error: true, content: [{ type: "image" }] }))],
    ],
    ["thinking without signature", [u(t("x")), a({ type: "thinking", thinking: "x" }, t("y")), u(t("z"))]],
    ["thinking at the end", [u(t("x")), a(t("y"), THINKING), u(t("z"))]],
    ["white space at the model's end", [u(t("x")), a(t("y\n")), u(t("z"))]],
    ["a call of the person's", [u(call("a"))]],
    ["an image without data", [u({ type: "image", source: { type: "base64", media_type: "image/png", data: "" } })]],
    ["half an emoji", [u(t("a\ud83d"))]],
    ["half an emoji in a key", [u(t("x")), a(call("a", { input: { "\ud83d": 1 } })), u(result("a"))]],
  ])("finds %s", (_, messages) => {
    expect(apiBreaches(messages).length).toBeGreaterThan(0);
  });
});
