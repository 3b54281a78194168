import { describe, expect, it } from "vitest";
import { socketHints } from "../../../src/sandbox/socket-hints.ts";

describe("socketHints", () => {
  it.each([
    "OSError: [Errno 97] Address family not supported by protocol",
    "Error: listen EAFNOSUPPORT: address family not supported /home/a/s.sock",
    'Error { kind: Other, message: "Address family not supported by protocol (os error 97)" }',
    "listen unix /tmp/x: socket: operation not permitted",
    "Error: connect EACCES /run/server.sock",
    "bind: Permission denied: run/server.sock",
  ])("T7: says what to do instead after: %s", (output) => {
    expect(socketHints(output).join("")).toMatch(/TCP port on 127\.0\.0\.1/);
  });
  it.each(["", "EACCES: permission denied, open '/etc/shadow'", "listening on /tmp/s.sock", "it ran on unix"])(
    "says nothing after: %s",
    (output) => {
      expect(socketHints(output)).toEqual([]);
    },
  );
});
