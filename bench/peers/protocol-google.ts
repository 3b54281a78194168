import { list, plain, type Protocol, record, strings } from "./protocol.ts";

/** Google's `streamGenerateContent`. */
export const google: Protocol = {
  name: "google",
  path: /^\/v1(beta)?\/models\/[^:]+:streamGenerateContent/,
  read(body) {
    const contents = list(body["contents"]);
    return {
      system: strings(record(body["systemInstruction"])["parts"]),
      tools: list(body["tools"]).flatMap((tool) => list(tool["functionDeclarations"]).map(plain)),
      messages: contents.map(plain),
      results: contents
        .flatMap(({ parts }) => list(parts))
        .filter((part) => "functionResponse" in part)
        .map((part) => strings(part["functionResponse"])),
    };
  },
  events({ text = [], calls = [] }) {
    const usageMetadata = { promptTokenCount: 10, candidatesTokenCount: 2, totalTokenCount: 12 };
    const chunk = (parts: object[], rest: object = {}) =>
      `data: ${JSON.stringify({ candidates: [{ index: 0, content: { role: "model", parts }, ...rest }], usageMetadata, modelVersion: "bench" })}\r\n\r\n`;
    const parts = calls.map(({ name, input }) => ({ functionCall: { name, args: input } }));
    return [...text.map((piece) => chunk([{ text: piece }])), chunk(parts, { finishReason: "STOP" })];
  },
};
