import { describe, expect, it } from "vitest";
import { apiBreaches } from "../../support/api-rules.ts";
import { documentBlock, imageBlock, pdf, png } from "../../support/media.ts";

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
  it("lets through pictures and documents within the limits", () => {
    const small = Array.from({ length: 99 }, () => imageBlock());
    expect(apiBreaches([u(...small, documentBlock(pdf(1), "a.pdf"))])).toEqual([]);
    expect(apiBreaches([u(imageBlock(png(8000, 8000)), documentBlock(pdf(99)))])).toEqual([]);
    expect(apiBreaches([u(t("x")), a(call("a")), u(result("a", { content: [imageBlock(png(8000, 1))] }))])).toEqual([]);
  });
  it.each<[RegExp, object[]]>([
    [
      /^messages\.0\.content\.1\.image\.source\.base64: image exceeds 5 MB maximum/,
      [t("x"), imageBlock(png(3, 4, 4e6))],
    ],
    [/^messages\.0\.content\.0\.image\..*exceed max allowed size: 8000 pixels/, [imageBlock(png(8001, 1))]],
    [
      /exceed max allowed size for many-image requests: 2000 pixels/,
      Array.from({ length: 21 }, () => imageBlock(png(1, 2001))),
    ],
    [/^Too much media/, Array.from({ length: 101 }, () => imageBlock())],
    [/^Could not process image/, [imageBlock(png(3, 4).subarray(0, 30))]],
    [/media type, but the image appears to be a image\/png/, [imageBlock(png(3, 4), "image/jpeg")]],
    [/media_type: Input should be 'image\/jpeg'/, [imageBlock(png(3, 4), "image/bmp")]],
    [/invalid base64 data/, [{ type: "image", source: { type: "base64", media_type: "image/png", data: "a b=" } }]],
    [/A maximum of 100 PDF pages/, [documentBlock(pdf(60)), documentBlock(pdf(41, { packed: true }))]],
    [/The PDF specified was not valid/, [documentBlock(Buffer.from("%PDF-1.7 cut"))]],
    [/password protected/, [documentBlock(pdf(1, { encrypted: true }))]],
    [/document\.title/, [documentBlock(pdf(1), "")]],
  ])("finds %s", (words, content) => {
    expect(apiBreaches([u(...content)]).join("\n")).toMatch(new RegExp(words.source, "m"));
    const inside = [u(t("x")), a(call("a")), u(result("a", { content }))];
    expect(apiBreaches(inside).join("\n")).toMatch(/messages\.2\.content\.0\.tool_result|too much|could not|maximum/i);
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
    ["an unknown block of the person's", [u({ type: "video", text: "x" })]],
    [
      "a breakpoint on a thought",
      [u(t("x")), a({ ...THINKING, cache_control: { type: "ephemeral" } }, t("y")), u(t("z"))],
    ],
    ["a breakpoint of another shape", [u({ ...t("x"), cache_control: { type: "ephemeral", ttl: "2h" } })]],
    ["half an emoji", [u(t("a\ud83d"))]],
    ["half an emoji in a key", [u(t("x")), a(call("a", { input: { "\ud83d": 1 } })), u(result("a"))]],
  ])("finds %s", (_, messages) => {
    expect(apiBreaches(messages).length).toBeGreaterThan(0);
  });
});
