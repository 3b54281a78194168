import { describe, expect, it } from "vitest";
import { questionBody } from "../../../../src/ui/render/question.ts";
import { question } from "../../../support/questions.ts";

const body = (parts: Parameters<typeof question>[0], width = 60) =>
  questionBody(question({ risk: "high", ...parts }), { width }).map((row) => ({
    text: row.row.map((span) => span.text).join(""),
    must: row.must,
  }));

describe("what goes to somebody else", () => {
  const url = `https://docs.example.com/page?secret=${"abc".repeat(30)}`;
  const fetch = {
    tool: "WebFetch",
    subject: url,
    needs: [{ kind: "network", host: "docs.example.com", port: 443, get: "https" } as const],
  };
  it("P5: a page's whole address, query and all, must be seen", () => {
    const rows = body(fetch).filter((row) => row.must === "sent");
    expect(rows.map((row) => row.text.replace(/^sends /, "").trim()).join("")).toContain(url);
  });
  it("P5: so must all that a server's tool is given, hidden signs written out", () => {
    const subject = JSON.stringify({ text: "hello\u202e", more: "z".repeat(200) });
    const rows = body({ tool: "mcp__toy__echo", subject, needs: [{ kind: "mcp", server: "toy", tool: "echo" }] });
    const sent = rows.filter((row) => row.must === "sent").map((row) => row.text);
    expect(sent.join("")).toContain('{"text":"hello');
    expect(sent.join("").match(/z/g)).toHaveLength(200);
    expect(sent.join("")).not.toContain("\u202e");
  });
  it("P5: a command says it by itself, and what stays in the folder sends nothing", () => {
    const command = { text: "curl x", cwd: "/p" };
    const rows = [...body({ ...fetch, tool: "Bash", subject: "curl x", command }), ...body({})];
    expect(rows.filter((row) => row.must === "sent")).toEqual([]);
  });
  it("P3: a host that may be allowed for the session is not said to be asked about each time", () => {
    const offer = { session: "WebFetch(https://docs.example.com)", always: "WebFetch(https://docs.example.com)" };
    const each = (parts: Parameters<typeof question>[0]) =>
      body(parts).some((row) => row.text.startsWith("asked each"));
    expect([each({ ...fetch, offer }), each(fetch)]).toEqual([false, true]);
  });
});
