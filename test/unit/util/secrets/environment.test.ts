import { describe, expect, it } from "vitest";
import { keysOf, withoutServiceKeys } from "../../../../src/util/secrets/environment.ts";
import { maskDeep } from "../../../../src/util/secrets/deep.ts";
import { liveMask, makeSecrets } from "../../../../src/util/secrets/secrets.ts";
import { letters, privateKey, SAMPLES, secretLines } from "../../../support/keys.ts";

const github = SAMPLES[0]?.key ?? "";
const secrets = makeSecrets({ key: new Uint8Array(32) });

describe("keys of an environment", () => {
  it("E1: the services' keys whatever they look like, and long random values whose names say so", () => {
    const env = {
      ANTHROPIC_API_KEY: "CANARY-KEY",
      ANTHROPIC_CUSTOM_HEADERS: "x-auth: abcdefghij",
      MY_API_TOKEN: letters(20),
      DB_PASSWORD: `a1${letters(16)}`,
    };
    expect(keysOf(env)).toEqual(["CANARY-KEY", "abcdefghij", env.MY_API_TOKEN, env.DB_PASSWORD]);
  });

  it("E1: no word, path, address, name or short value of an environment is taken for a key", () => {
    const env = {
      OPENAI_API_KEY: "none",
      GITHUB_TOKEN: "changeme",
      API_KEY: "/home/me/keys/one-of-them-1",
      SECRET: "https://example.org/a1b2c3d4e5",
      GPG_KEY: letters(40, "x", "0123456789ABCDEF"),
      SSH_AUTH_SOCK: "/tmp/ssh-abcdef123456/agent.1",
      TOKEN: "understudy-test-token",
      PATH: "/usr/bin:/bin",
      EMPTY_TOKEN: undefined,
    };
    expect(keysOf(env)).toEqual([]);
  });

  it("G9: a child's environment has none of the services' keys", () => {
    const env = { ANTHROPIC_API_KEY: "a", OPENAI_API_KEY: "b", ANTHROPIC_AUTH_TOKEN: "c", HOME: "/h", X: undefined };
    expect(withoutServiceKeys(env)).toEqual({ HOME: "/h" });
  });
});

describe("deep", () => {
  it("E1: every text of a value is masked, names of fields too; data of pictures is left alone", () => {
    const value = { a: [1, { [github]: `x ${github}` }], source: { data: github }, b: "fine", c: null };
    const masked = maskDeep(value, secrets);
    expect(JSON.stringify({ ...masked, source: 0 })).not.toContain(github);
    expect(masked.source).toBe(value.source);
  });

  it("E1: a private key over the lines of a list is found", () => {
    const pem = privateKey();
    const masked = maskDeep({ lines: pem.split("\n").map((line) => `+${line}`) }, secrets);
    expect(masked.lines).toHaveLength(pem.split("\n").length);
    for (const line of secretLines(pem)) expect(masked.lines.join("\n")).not.toContain(line);
  });

  it("E1: what holds no key is the same object", () => {
    const value = { a: ["x", "y"], b: { c: 1 } };
    expect(maskDeep(value, secrets)).toBe(value);
  });
});

describe("live output", () => {
  it("E1: colours within a key don't hide it, wherever the pieces end", () => {
    const text = `a \u001b[01;31m\u001b[K${github.slice(0, 6)}\u001b[m\u001b[K${github.slice(6)} b\n`;
    for (let cut = 0; cut <= text.length; cut++) {
      const live = liveMask(secrets);
      const out = live.push(text.slice(0, cut)) + live.push(text.slice(cut)) + live.end();
      expect(out).toBe(`a ${secrets.mask(github)} b\n`);
    }
  });
});
