import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { accessOf } from "../../../src/session/access.ts";
import { keepKey, keptKeys, keysFile, maskedKey, removeKey, storedKey } from "../../../src/session/stored-keys.ts";
import { findKeyring } from "../../../src/util/keyring.ts";
import { runAgent } from "../../support/run-agent.ts";
import { scratch } from "../../support/scratch.ts";
import { place } from "../../support/session.ts";
import { SAMPLES } from "../../support/keys.ts";

const KEY = SAMPLES.find((s) => s.name === "Anthropic")?.key ?? "";

/** A program that stands in for the system's: keeps values in files, writes down how it was called. */
function fakeTool(): { dir: string; said: () => string; keyring: ReturnType<typeof findKeyring> } {
  const dir = scratch("keyring");
  const tool = join(dir, "secret-tool");
  writeFileSync(
    tool,
    `#!/bin/sh
printf '%s\\n' "$*" >> ${dir}/said; env >> ${dir}/said
case "$1" in
  store) cat > ${dir}/value;;
  lookup) cat ${dir}/value;;
  clear) rm ${dir}/value;;
esac
`,
  );
  chmodSync(tool, 0o755);
  const env = { HOME: dir, XDG_RUNTIME_DIR: dir, ANTHROPIC_API_KEY: "CANARY-KEY" };
  return { dir, said: () => readFileSync(join(dir, "said"), "utf8"), keyring: findKeyring(env, "linux", dir) };
}

describe("kept keys", () => {
  it("E1: without a keyring the key is in a file of the person's alone, and is found again", async () => {
    const at = { config: scratch("config"), keyring: undefined };
    expect(await keepKey("anthropic", KEY, at)).toEqual({ where: keysFile(at) });
    expect(statSync(keysFile(at)).mode & 0o777).toBe(0o600);
    expect(storedKey("anthropic", at)).toEqual({ value: KEY, from: keysFile(at) });
    expect(storedKey("openai", at)).toBeUndefined();
    expect(await removeKey("anthropic", at)).toBe(true);
    expect(await removeKey("anthropic", at)).toBe(false);
    expect(readFileSync(keysFile(at), "utf8")).not.toContain(KEY);
  });

  it("E1: with a keyring the key goes there by stdin, on no command line and into no file or environment of ours", async () => {
    const { keyring, said } = fakeTool();
    const at = { config: scratch("config"), keyring };
    expect(await keepKey("anthropic", KEY, at)).toEqual({ where: "the keyring (secret-tool)" });
    expect(storedKey("anthropic", at)?.value).toBe(KEY);
    expect(readFileSync(keysFile(at), "utf8")).not.toContain(KEY);
    expect(said()).not.toContain(KEY);
    expect(said()).not.toContain("CANARY-KEY");
    await removeKey("anthropic", at);
    expect(storedKey("anthropic", at)).toBeUndefined();
  });

  it("E1: a keyring that refuses is told, and the file takes its place", async () => {
    const { dir, keyring } = fakeTool();
    mkdirSync(join(dir, "value"));
    const at = { config: scratch("config"), keyring };
    const { where, why } = await keepKey("anthropic", KEY, at);
    expect(where).toBe(keysFile(at));
    expect(why).toMatch(/^the keyring \(secret-tool\): /);
  });

  it("E1: the program is taken from the system's folders alone, and only where it can reach a store", () => {
    const { dir } = fakeTool();
    expect(findKeyring({ PATH: dir }, "linux", dir)).toBeUndefined();
    expect(findKeyring({ PATH: dir, XDG_RUNTIME_DIR: dir }, "linux")?.read("none") ?? "").not.toBe(KEY);
  });

  it("E1: a link or a readable file in its place is refused, and damage is told without its text", async () => {
    const at = { config: scratch("config"), keyring: undefined };
    writeFileSync(keysFile(at), `{"anthropic": ${KEY}`, { mode: 0o600 });
    expect(() => storedKey("anthropic", at)).toThrow(/Remove it, and keep the keys again/);
    expect(() => storedKey("anthropic", at)).not.toThrow(KEY);
    chmodSync(keysFile(at), 0o644);
    expect(() => storedKey("anthropic", at)).toThrow(/readable by others/);
    const linked = { config: scratch("config"), keyring: undefined };
    symlinkSync(keysFile(at), keysFile(linked));
    await expect(keepKey("anthropic", KEY, linked)).rejects.toThrow(/symbolic link/);
  });

  it("E1: what is no key is refused, and shown keys are no use to anybody", async () => {
    const at = { config: scratch("config"), keyring: undefined };
    await expect(keepKey("anthropic", "two words", at)).rejects.toThrow(/This is no key/);
    await expect(keepKey("anthropic", "", at)).rejects.toThrow(/it is empty/);
    expect(existsSync(keysFile(at))).toBe(false);
    expect(maskedKey(KEY)).toBe(`sk-ant-…${KEY.slice(-4)} (${KEY.length} letters)`);
    expect(maskedKey("short-key")).toBe("… (9 letters)");
  });

  it("M1: the environment goes before what is kept; a kept key is read once, and known as a key from then on", async () => {
    const at = { config: scratch("config"), keyring: undefined };
    await keepKey("anthropic", KEY, at);
    const learned: string[] = [];
    const kept = keptKeys({ config: at.config, keyring: () => undefined }, (value) => learned.push(value));
    expect(accessOf({ ANTHROPIC_API_KEY: "mine" }, undefined, kept).apiKey).toBe("mine");
    expect(accessOf({ ANTHROPIC_AUTH_TOKEN: "mine" }, undefined, kept).apiKey).toBeUndefined();
    expect(learned).toEqual([]);
    expect([accessOf({}, undefined, kept), accessOf({}, undefined, kept)].map((a) => a.apiKey)).toEqual([KEY, KEY]);
    expect(learned).toEqual([KEY]);
  });
});

describe("agent key", () => {
  it("E1: set reads stdin, show prints no key, remove removes it", async () => {
    const at = place();
    const set = await runAgent(at, ["key", "set"], {}, `${KEY}\n`);
    expect(set).toMatchObject({ code: 0, out: "" });
    const show = await runAgent(at, ["key", "show"]);
    expect(show.out).toContain(`anthropic  sk-ant-…${KEY.slice(-4)}`);
    expect(show.out + show.err + set.err).not.toContain(KEY.slice(10, 60));
    expect((await runAgent(at, ["key", "remove"])).code).toBe(0);
    expect((await runAgent(at, ["key", "show", "anthropic"])).out).toContain("none");
    expect((await runAgent(at, ["key", "set", KEY])).code).toBe(2);
  });
});
