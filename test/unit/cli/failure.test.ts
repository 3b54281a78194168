import { describe, expect, it } from "vitest";
import { failureOf, maskFailures } from "../../../src/cli/failure.ts";
import { makeSecrets } from "../../../src/util/secrets/secrets.ts";
import { SAMPLES } from "../../support/keys.ts";
import { UsageError } from "../../../src/cli/usage-error.ts";
import { LockHeld } from "../../../src/workspace/lock.ts";

const system = (code: string, more: object = {}) => Object.assign(new Error(`${code}: raw, write`), { code, ...more });

describe("U2: what an error that nobody caught ends the program with", () => {
  it.each(["ENOSPC", "EDQUOT", "EROFS", "EACCES", "EPERM", "EIO", "EMFILE"])(
    "U2: %s is the machine's, not a crash: 1, in words, with what to do",
    (code) => {
      const { text, code: exit } = failureOf(system(code, { path: "/state/x" }));
      expect(exit).toBe(1);
      expect(text).toMatch(new RegExp(`^/state/x: [a-z/ -]+ \\(${code}\\)\\. .*XDG_STATE_HOME`));
      expect(text).not.toContain("raw, write");
    },
  );

  it("E1: no key of the environment, nor one that is known by its form, is told with a failure", () => {
    const key = SAMPLES[0]?.key ?? "";
    const secrets = makeSecrets({ key: new Uint8Array(32) });
    expect(failureOf(new Error("401 for CANARY-KEY"), { ANTHROPIC_API_KEY: "CANARY-KEY" }).text).toBe(
      "401 for [the key]",
    );
    maskFailures((text) => secrets.mask(text));
    expect(failureOf(new Error(`no ${key}`)).text).toBe(`no ${secrets.mask(key)}`);
    maskFailures((text) => text);
  });

  it("U2: a landing of another process, which is waited for in vain, is 1", () => {
    const held = new LockHeld({ id: "l", pid: 7, start: "", boot: "", host: "h" });
    expect(failureOf(held)).toEqual({ text: held.message, code: 1 });
  });

  it("U2: what the person can mend is 2, our own mistakes are 70", () => {
    expect(failureOf(new UsageError("no"))).toEqual({ text: "no", code: 2 });
    expect(failureOf(system("ENOENT"))).toMatchObject({ code: 70 });
    expect(failureOf(new TypeError("oops"))).toEqual({ text: "oops", code: 70 });
    expect(failureOf("thrown")).toEqual({ text: "thrown", code: 70 });
  });
});
