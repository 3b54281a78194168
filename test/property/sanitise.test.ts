import { describe, expect, it } from "vitest";
import { guarded } from "../../src/ui/term/guard.ts";
import { sanitize, Sanitizer, visible } from "../../src/util/visible.ts";
import { deep } from "../support/deep.ts";
import { type Watched, watched } from "../support/untouched.ts";

/** Numbers below one, the same for the same seed (mulberry32). */
function random(seed: number): () => number {
  let a = seed;
  return () => {
    a = (a + 0x6d2b79f5) | 0;
    let t = Math.imul(a ^ (a >>> 15), 1 | a);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

const C1 = Array.from({ length: 32 }, (_, n) => String.fromCharCode(0x80 + n));
const C0 = Array.from({ length: 32 }, (_, n) => String.fromCharCode(n));
/** What texts are made of: half of it is out to do something. */
const PIECES: readonly (readonly string[])[] = [
  ["a", "b c", "1;2", "m", "H", "~", "0", "?", "\\", "]", "[", "é", "日本", "👩‍💻", "ﷺ", "a\u0301"],
  ["\x1b", "\x1b\x1b", "\x1b[", "\x1b]", "\x1bP", "\x1b_", "\x1b^", "\x1bX", "\x1b\\", "\x9c", "\x07", "\x18", "\x1a"],
  ["\x1b[2J", "\x1b[H", "\x1b[5A", "\x1b[1;3r", "\x1b[?1049h", "\x1b[?25l", "\x1b[6n", "\x1b[c", "\x1b[21t", "\x1b[4h"],
  ["\x1b]0;t\x07", "\x1b]52;c;YQ==\x07", "\x1b]52;c;YQ==\x1b\\", "\x1b]8;;http://x\x07", "\x1b]4;1;red\x07", "\x1b]0;"],
  ["\x1bP1$r0m\x1b\\", "\x1bPq#0", "\x1b_Gf=1\x1b\\", "\x1b^x\x1b\\", "\x1bXy\x1b\\", "\x1bPtmux;\x1b\x1b[2J\x1b\\"],
  ["\x9b2J", "\x9b", "\x9d52;c;YQ==\x9c", "\x90q", "\x9fG", "\x9e", "\x98", "\x85", "\x84", "\x8d", "\x8e", "\x8f"],
  [
    "\x1bc",
    "\x1b7",
    "\x1b8",
    "\x1bM",
    "\x1bD",
    "\x1bE",
    "\x1b(0",
    "\x1b)0",
    "\x1b*0",
    "\x1b#8",
    "\x1bN",
    "\x1bn",
    "\x1b=",
    "\x1b%G",
  ],
  [
    "\x1b[31m",
    "\x1b[0m",
    "\x1b[38;5;1m",
    "\x1b[38:2::1:2:3m",
    "\x1b[8m",
    "\x1b[5m",
    "\x1b[38;5",
    "\x1b[999999999m",
    "\x1b[ q",
  ],
  [
    "\u202e",
    "\u2066",
    "\u200b",
    "\u200d",
    "\u2028",
    "\u2029",
    "\ufeff",
    "\u00ad",
    "\u{e0041}",
    "\u3164",
    "\ufe0f",
    "\u034f",
  ],
  ["\ud83d", "\ude00", "\udfff\ud800", "\ud800\u0301", "\ufffe", "\uffff", "\u{10ffff}"],
  ["\n", "\r", "\r\n", "\t", "\b", "\b\b\b", "\v", "\f", "\x00", "\x7f", "\x0e", "\x0f", "\x05"],
  C0,
  C1,
  ["\u0301".repeat(20), "x".repeat(200), "\x1b]" + "y".repeat(5000), "\x1b[" + "1;".repeat(200) + "m"],
];

function makeText(next: () => number): string {
  const pick = <T>(list: readonly T[]): T | undefined => list[Math.floor(next() * list.length)];
  let text = "";
  for (let n = 1 + Math.floor(next() * 8); n > 0; n--) {
    const long = pick(PIECES) ?? [];
    // The long ones would be most of the time.
    text += pick(long === PIECES.at(-1) && next() < 0.95 ? (PIECES[0] ?? []) : long) ?? "";
  }
  // As bytes that some program wrote in Latin-1 and we read as UTF-8.
  return next() < 0.1 ? Buffer.from(text, "latin1").toString("utf8") : text;
}

/** Cut at any places, as chunks of a stream come. */
function inChunks(text: string, next: () => number, sgr: boolean): string {
  const stream = new Sanitizer({ sgr });
  let out = "";
  for (let at = 0; at < text.length;) {
    const end = at + 1 + Math.floor(next() * 6);
    out += stream.write(text.slice(at, end));
    at = end;
  }
  return out + stream.end();
}

const WAYS: Readonly<Record<string, (text: string, next: () => number) => string>> = {
  sanitize: (text) => sanitize(text),
  "sanitize with colours": (text) => sanitize(text, { sgr: true }),
  "sanitize in chunks": (text, next) => inChunks(text, next, next() < 0.5),
  visible: (text) => visible(text),
  "the writer's last look": (text) => guarded(text),
};

/** The first text of a batch that does something, with what it does. */
async function guilty(terminal: Watched, texts: readonly { text: string; clean: string }[]): Promise<unknown> {
  for (const { text, clean } of texts) {
    const done = await terminal.write(clean);
    if (done.length > 0) return { text: JSON.stringify(text), clean: JSON.stringify(clean), done };
  }
  return "only together";
}

describe("what is cleaned", () => {
  it.each(Object.keys(WAYS))(
    "SEC-G7: %s: random strings leave a terminal's cursor, title, modes, clipboard and scroll region as they are",
    { timeout: deep(60_000, 7_200_000) },
    async (name) => {
      const way = WAYS[name] ?? expect.fail();
      const terminal = watched();
      const next = random(deep(20_261_130, Date.now()));
      const [count, batch] = [deep(400, 200_000), 20];
      for (let n = 0; n < count; n += batch) {
        const texts = Array.from({ length: batch }, () => makeText(next)).map((text) => ({
          text,
          clean: way(text, next),
        }));
        const together = texts.map(({ clean }) => clean.replaceAll("\n", " ")).join("\n");
        const done = await terminal.write(together);
        if (done.length > 0) expect(await guilty(terminal, texts)).toEqual(done);
      }
    },
  );
  it("SEC-G7: the watching terminal sees each of these in the raw", async () => {
    const terminal = watched();
    for (const raw of [
      "\x1b]0;t\x07",
      "\x1b]52;c;YQ==\x07",
      "\x9d52;c;YQ==\x9c",
      "\x1b[2J",
      "\x1b[1;3r",
      "\x1b[?1049h",
      "\x1b[?25l",
      "\x1b[6n",
      "\x1b[5A",
      "\x07",
      "\x1b(0",
      "\x1b[4h",
      "\x1bc",
      "\x9b2J",
    ])
      expect([raw, (await terminal.write(raw)).length]).not.toEqual([raw, 0]);
    expect(await terminal.write("plain\x1b[31m text\x1b[0m\n日本")).toEqual([]);
  });
});
