import { expect, it } from "vitest";
import { answerLines } from "../../../src/print/serve/rpc.ts";

it("U4: a line that is too long is told, and the next one is answered", async () => {
  const said: unknown[] = [];
  await answerLines({
    input: new Blob(["x".repeat((16 << 20) + 1), '\n{"jsonrpc":"2.0","id":1,"method":"ping"}\n']).stream(),
    send: (text) => Promise.resolve(void said.push(JSON.parse(text))),
    request: () => Promise.resolve({}),
    gone: new AbortController().signal,
  });
  expect(said).toEqual([
    { jsonrpc: "2.0", id: null, error: { code: -32_700, message: "the line is longer than 16 MB" } },
    { jsonrpc: "2.0", id: 1, result: {} },
  ]);
});
