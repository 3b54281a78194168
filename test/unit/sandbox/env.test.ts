import { describe, expect, it } from "vitest";
import { baseEnv, envFile, keptEnv } from "../../../src/sandbox/env.ts";
import { bashTool } from "../../../src/tools/bash.ts";

const place = { home: "/home/p", visible: ["/usr", "/home/p"], roots: ["/home/p/work"], network: false };

describe("baseEnv", () => {
  it("SEC-G9: takes only what is listed", () => {
    const env = baseEnv(
      {
        LANG: "de",
        LC_ALL: "C",
        ANTHROPIC_API_KEY: "k",
        LD_PRELOAD: "x",
        NODE_OPTIONS: "y",
        CI: "1",
        https_proxy: "http://u:p@h",
      },
      place,
    );
    expect(env).toMatchObject({ LANG: "de", LC_ALL: "C", HOME: "/home/p" });
    for (const name of ["ANTHROPIC_API_KEY", "LD_PRELOAD", "NODE_OPTIONS", "CI", "https_proxy"])
      expect(env).not.toHaveProperty(name);
    expect(baseEnv({ https_proxy: "http://h" }, { ...place, network: true })).toHaveProperty("https_proxy");
  });
  it("T7: without a network nobody waits for another try of it", () => {
    const tries = { npm_config_fetch_retries: "0", PIP_RETRIES: "0", CARGO_NET_RETRY: "0" };
    expect(baseEnv({}, place)).toMatchObject(tries);
    expect(baseEnv({}, { ...place, network: true })).not.toHaveProperty("PIP_RETRIES");
  });
  it("T7: the model is told what a command finds instead of a terminal, as tests of colours fail on it", () => {
    const { TERM, NO_COLOR } = baseEnv({}, place);
    expect(bashTool.description).toContain(`No terminal (TERM=${TERM}, NO_COLOR=${NO_COLOR})`);
  });
  it("SEC-15: the search path has no relative part, nothing of the project's, nothing that isn't shown", () => {
    const { PATH } = baseEnv(
      { PATH: ".:/home/p/work/bin::/home/p/.cargo/bin:/secret/bin:/usr/bin:/home/p/workshop" },
      place,
    );
    expect(PATH).toBe(
      "/home/p/.cargo/bin:/usr/bin:/home/p/workshop:/usr/local/sbin:/usr/local/bin:/usr/sbin:/sbin:/bin",
    );
  });
});

describe("keptEnv", () => {
  it("T7: what differs from the base is kept, bash's own is not", () => {
    const after = new Map(
      Object.entries({
        A: "1",
        LANG: "C",
        PATH: "/x",
        SHLVL: "2",
        PWD: "/",
        _: "x",
        SHELLOPTS: "e",
        IFS: ":",
        __understudy_n: "1",
        "BASH_FUNC_f%%": "() {",
      }),
    );
    expect(keptEnv(after, { LANG: "C", PATH: "/y" })).toEqual({ env: { A: "1", PATH: "/x" }, tooLarge: [] });
  });
  it("T7: what no program could be started with is named and left behind, the small ones stay", () => {
    const many = Array.from({ length: 30 }, (_, n): [string, string] => [`M${n}`, "x".repeat(50_000 + n)]);
    const { env, tooLarge } = keptEnv(new Map([["BIG", "x".repeat(200_000)], ...many, ["SMALL", "1"]]), {});
    expect(env["SMALL"]).toBe("1");
    expect(tooLarge).toContain("BIG");
    expect(Object.keys(env)).toHaveLength(20);
    expect(tooLarge).toHaveLength(12);
  });
});

describe("envFile", () => {
  it("T7: records end in NUL; names that bash refuses and read-only ones stay out", () => {
    expect(envFile({ A: "1\n2", "B-C": "x", UID: "0", D: undefined, E: "a\0b", F: "" })).toBe("A=1\n2\0F=\0");
  });
});
