import { PassThrough } from "node:stream";
import { expect, it } from "vitest";
import { protocolStdio } from "../../../src/cli/protocol-stdio.ts";

it("U5: what comes in behind a reader that gave up breaks nothing, and the reason is told", async () => {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  const { input, broken } = protocolStdio(
    stdin as unknown as NodeJS.ReadStream,
    stdout as unknown as NodeJS.WriteStream,
    stderr as unknown as NodeJS.WriteStream,
  );
  await input.cancel(new Error("too long\u202e"));
  expect(stdin.listenerCount("data")).toBe(0);
  expect(stdin.isPaused()).toBe(true);
  expect(String(stderr.read())).toBe("agent: stdin is not read any more: too long\\u{202e}\n");
  expect(broken()).toBe(true);
});
