import { appendFileSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { chainKey } from "../../../src/events/chain.ts";
import { encodeHead, type Head, peekHead } from "../../../src/events/head.ts";
import { eventForm, PrefixDigest } from "../../../src/events/prefix.ts";
import {
  finished,
  headFile,
  KEY,
  lines,
  load,
  logFile,
  place,
  type Place,
  prompt,
  reopened,
  reply,
  started,
  toolUse,
  written,
} from "../../support/event-log.ts";

const LONG = "a line of what was said\u2028\u{1F600} ".repeat(700);
const talk = (n: number) => [
  prompt(`${n} ${LONG}`),
  reply([{ type: "text" as const, text: LONG }, toolUse(`c${n}`)]),
  started(`c${n}`),
  finished(`c${n}`, LONG),
];
const HISTORY = [...Array(24).keys()].flatMap(talk);

let at: Place;
let files: { log: Buffer; head: Buffer };

/** The session as it was written, whatever was done to it since. */
function restored(): void {
  writeFileSync(logFile(at), files.log);
  writeFileSync(headFile(at), files.head, { mode: 0o600 });
}
/** A head that the person's key signs, with another prefix. */
function vouch(prefix: Head["prefix"] | undefined): void {
  const { prefix: _, ...head } = peekHead(headFile(at)) ?? expect.fail("no head");
  const put = encodeHead(chainKey(KEY), at.sessionId, { ...head, ...(prefix === undefined ? {} : { prefix }) });
  writeFileSync(headFile(at), put);
}
function digestOf(bytes: Buffer): PrefixDigest {
  const digest = new PrefixDigest();
  digest.add(bytes);
  return digest;
}

describe("a long log's prefix", () => {
  beforeEach(async () => {
    at = place();
    await written(at, HISTORY);
    files = { log: readFileSync(logFile(at)), head: readFileSync(headFile(at)) };
  });

  it("E1: the head of a long log vouches for all of it, that of a short one for nothing", async () => {
    expect(peekHead(headFile(at))?.prefix).toEqual({
      bytes: files.log.length,
      digest: digestOf(files.log).digest(),
      form: eventForm(),
    });
    const short = place();
    await written(short, [prompt("one")]);
    expect(peekHead(headFile(short))?.prefix).toBeUndefined();
  });
  it("E1: what is read by the prefix equals what is read line by line", async () => {
    const quick = await load(at);
    vouch(undefined);
    const slow = await load(at);
    expect(quick.notices).toEqual([]);
    expect([quick.checked, slow.checked]).toEqual([0, HISTORY.length + 1]);
    const same = (loaded: typeof quick) => ({ ...loaded, checked: 0, digest: loaded.digest?.digest() });
    expect(same(quick)).toEqual(same(slow));
  });
  it("E4: no line of a vouched prefix is checked again", async () => {
    // Macs of nobody: only the digest can have let them through.
    const forged = Buffer.from(
      files.log.toString("utf8").replaceAll(/"mac":"[0-9a-f]{60}/g, `"mac":"${"0".repeat(60)}`),
    );
    writeFileSync(logFile(at), forged);
    const head = peekHead(headFile(at)) ?? expect.fail("no head");
    const mac = "0".repeat(60) + head.mac.slice(60);
    const vouched = { ...head, mac, prefix: digestOf(forged).prefix() ?? expect.fail("too short") };
    writeFileSync(headFile(at), encodeHead(chainKey(KEY), at.sessionId, vouched));
    expect(await load(at)).toMatchObject({ notices: [], state: { foreign: false, prompts: 24 } });
    vouch(undefined);
    expect((await load(at)).state.foreign).toBe(true);
  });
  it("E1: a changed byte of the prefix is found, with file and line", async () => {
    const list = lines(logFile(at));
    list[40] = (list[40] ?? "").replace("said", "sold");
    writeFileSync(logFile(at), `${list.join("\n")}\n`);
    const loaded = await load(at);
    expect(loaded.state.foreign).toBe(true);
    expect(loaded.notices.join()).toMatch(/ses_a\.jsonl, line 41: /);
    expect(loaded.digest).toBeUndefined();
  });
  it("E1: a cut end, an older form, a longer claim, a missing long text: each line is looked at", async () => {
    writeFileSync(logFile(at), `${lines(logFile(at)).slice(0, -2).join("\n")}\n`);
    expect((await load(at)).notices.join()).toMatch(/its end was cut off/);
    const good = digestOf(files.log).prefix() ?? expect.fail("too short");
    for (const prefix of [
      { ...good, form: "other" },
      { ...good, bytes: good.bytes + 1 },
      { ...good, bytes: good.bytes - 1 },
      { ...good, digest: "0" },
    ]) {
      restored();
      vouch(prefix);
      expect(await load(at)).toMatchObject({ notices: [], state: { foreign: false, seq: HISTORY.length + 1 } });
    }
  });
  it("E1: lines behind the prefix are checked one by one, and go on with its chain", async () => {
    const log = await reopened(at);
    await log.append(prompt("more"));
    await log.close();
    const grown = readFileSync(logFile(at));
    expect(peekHead(headFile(at))?.prefix?.bytes).toBe(grown.length);
    writeFileSync(headFile(at), files.head);
    expect(await load(at)).toMatchObject({ notices: [], state: { prompts: 25, foreign: false } });
    appendFileSync(logFile(at), `${lines(logFile(at)).at(-1)}\n`);
    const bad = await load(at);
    expect(bad.state.foreign).toBe(true);
    expect(bad.notices.join()).toContain(`line ${HISTORY.length + 3}: `);
    // What did not verify is vouched for by nobody, also when the session goes on.
    const gone = await reopened(at);
    await gone.close();
    expect(peekHead(headFile(at))?.prefix).toBeUndefined();
  });
  it("E1: a long text that is missing from the content store is said as ever", async () => {
    const other = place();
    await written(other, [prompt("x".repeat(100_000)), ...HISTORY]);
    expect(await load(other)).toMatchObject({ notices: [], state: { prompts: 25 } });
    rmSync(join(other.contentDir), { recursive: true });
    expect((await load(other)).notices.join()).toMatch(/line 2: content [0-9a-f]{64} is missing/);
  });
});
