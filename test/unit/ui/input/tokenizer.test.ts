import { describe, expect, it } from "vitest";
import { keyId, type InputEvent } from "../../../../src/ui/input/key.ts";
import { createTokenizer } from "../../../../src/ui/input/tokenizer.ts";

const bytes = (text: string) => Buffer.from(text, "utf8");

/** Feeds chunks 100 ms apart, then lets everything come due. */
function events(...chunks: string[]): InputEvent[] {
  const t = createTokenizer();
  const out = chunks.flatMap((c, i) => t.feed(bytes(c), i * 20));
  return [...out, ...t.flush(1e9)];
}
/** Keys by id, text keys by their text, others by kind. */
function show(list: InputEvent[]): string[] {
  return list.map((e) => {
    if (e.kind === "key") return e.key.text ?? keyId(e.key);
    if (e.kind === "paste") return `paste(${e.text})`;
    return e.kind === "focus" ? `focus(${e.on})` : "reply";
  });
}

/** Never typed: answers and reports, releases, the mouse. */
const SILENT = [
  "\x1b[?62;4c",
  "\x1b[>41;354;0c",
  "\x1b[?1u",
  "\x1b[24;80R",
  "\x1b[?2026;2$y",
  "\x1b]11;rgb:0000/0000/0000\x1b\\",
  "\x1b]11;rgb:ffff/ffff/ffff\x07",
  "\x1bP>|tmux 3.4\x1b\\",
  "\x1bP1+r524742=38\x1b\\",
  "\x1b_Gi=1;OK\x1b\\",
  "\x1b[97;1:3u",
  "\x1b[1;1:3A",
  "\x1b[57441u",
  "\x1b[<0;10;10M",
  "\x1b[M !!",
  "\x1b[8;24;80t",
];

describe("tokenizer", () => {
  it("TUI-B13: replies, reports and releases are never typed, whole or split anywhere", () => {
    const typed = (list: InputEvent[]) => list.filter((e) => e.kind !== "reply");
    for (const reply of SILENT) {
      expect({ reply, typed: typed(events(reply)) }).toEqual({ reply, typed: [] });
      expect(show(typed(events(`a${reply}b`)))).toEqual(["a", "b"]);
      for (let cut = 1; cut < reply.length; cut++) {
        expect({ reply, cut, typed: typed(events(reply.slice(0, cut), reply.slice(cut))) }).toEqual({
          reply,
          cut,
          typed: [],
        });
      }
    }
  });
  it("UX-Q-5: Esc is a key after 30 ms and not before; ESC ESC in one chunk counts as two", () => {
    const t = createTokenizer();
    expect(t.feed(bytes("\x1b"), 100)).toEqual([]);
    expect(t.due()).toBe(130);
    expect(t.flush(129)).toEqual([]);
    expect(show(t.flush(130))).toEqual(["escape"]);
    expect(show(t.feed(bytes("[A"), 140))).toEqual(["[", "A"]);
    expect(show(events("\x1b\x1b"))).toEqual(["escape", "escape"]);
    expect(show(events("\x1b\x1b\x1b"))).toEqual(["escape", "escape", "escape"]);
  });
  it("an Esc that was due is the key, even when the next chunk comes first", () => {
    const t = createTokenizer();
    expect([...t.feed(bytes("\x1b"), 0), ...t.feed(bytes("b"), 31)].map((e) => show([e])[0])).toEqual(["escape", "b"]);
    expect(show(events("\x1b", "b"))).toEqual(["alt+b"]);
  });
  it("UX-IN-3: Enter at the end of a chunk is Enter; lines in one chunk are a paste", () => {
    expect(show(events("hello\r"))).toEqual(["h", "e", "l", "l", "o", "return"]);
    expect(show(events("a\r\n"))).toEqual(["a", "return"]);
    expect(show(events("a\rb"))).toEqual(["paste(a\nb)"]);
    expect(show(events("a\rb\r"))).toEqual(["paste(a\nb\n)"]);
    expect(show(events("a\nb\nc"))).toEqual(["paste(a\nb\nc)"]);
    expect(show(events("\r\r\r"))).toEqual(["return", "return", "return"]);
    const t = createTokenizer();
    expect(show([...t.feed(bytes("a"), 0), ...t.feed(bytes("\rb"), 9), ...t.flush(20)])).toEqual(["a", "paste(\nb)"]);
    const slow = createTokenizer();
    expect(show([...slow.feed(bytes("a"), 0), ...slow.feed(bytes("\rb"), 11)])).toEqual(["a", "return", "b"]);
  });
  it("UX-IN-3: a paste without brackets that comes in many reads is one, its last line sends nothing", () => {
    const t = createTokenizer();
    const lines = Array.from({ length: 40 }, (_, i) => `line ${i}\r`);
    const out = [
      ...t.feed(bytes(lines.slice(0, 20).join("")), 0),
      ...t.feed(bytes(lines.slice(20, 39).join("")), 8),
      ...t.feed(bytes("line "), 12),
      ...t.feed(bytes("39\r"), 20),
    ];
    expect(out).toEqual([]);
    expect(t.due()).toBe(31);
    expect(show(t.flush(31))).toEqual([`paste(${lines.join("").replaceAll("\r", "\n")})`]);
    expect(show(t.feed(bytes("\r"), 40))).toEqual(["return"]);
    // A key that is no text ends it at once, and is still a key.
    expect(show([...t.feed(bytes("a\rb\rc"), 100), ...t.feed(bytes("\x03"), 101)])).toEqual([
      "paste(a\nb\nc)",
      "ctrl+c",
    ]);
    expect(show([...t.feed(bytes("a\rb\rc"), 200), ...t.feed(bytes("x"), 300)])).toEqual(["paste(a\nb\nc)", "x"]);
  });
  it("UX-IN-4: Alt with the first character of a reply is told apart within a tenth of a second", () => {
    for (const [sent, key] of [
      ["\x1b_", "alt+_"],
      ["\x1b]", "alt+]"],
      ["\x1bP", "alt+shift+p"],
    ] as const) {
      const t = createTokenizer();
      expect([t.feed(bytes(sent), 0), t.due()]).toEqual([[], 100]);
      expect(show(t.flush(100))).toEqual([key]);
    }
  });
  it("UX-IN-14: a bracketed paste is one event, whatever it holds and however it is cut", () => {
    const text = "\x1b[200~one\r\ntwo\x1b[A\x03\ttab\x1b[201~";
    const want = ["paste(one\ntwo\x1b[A\x03\ttab)", "x"];
    expect(show(events(`${text}x`))).toEqual(want);
    for (let cut = 1; cut < text.length; cut++) {
      expect(show(events(text.slice(0, cut), `${text.slice(cut)}x`))).toEqual(want);
    }
    expect(show(events("\x1b[200~a\x1b[201~\x1b[200~b\x1b[201~"))).toEqual(["paste(a)", "paste(b)"]);
  });
  it("TUI-B11: a paste without an end recovers after 1 s of silence; Ctrl-C works meanwhile", () => {
    const t = createTokenizer();
    expect(t.feed(bytes("\x1b[200~lost"), 0)).toEqual([]);
    expect(t.feed(bytes(" more"), 900)).toEqual([]);
    expect(t.flush(1899)).toEqual([]);
    expect(show(t.flush(1900))).toEqual(["paste(lost more)"]);
    expect(show(t.feed(bytes("a"), 2000))).toEqual(["a"]);
    for (const interrupt of ["\x03", "\x1b[99;5u", "\x1b[27;5;99~"]) {
      expect(show(events("\x1b[200~lost", interrupt))).toEqual(["paste(lost)", "ctrl+c"]);
    }
  });
  it("TUI-B11: work grows with the paste's length, not with its square", () => {
    let joins = 0;
    const t = createTokenizer();
    t.feed(bytes("\x1b[200~"), 0);
    const chunk = bytes("0123456789abcdef\r".repeat(240));
    for (let i = 0; i < 500; i++) joins += t.feed(chunk, i).length;
    const [paste] = t.feed(bytes("\x1b[201~"), 600);
    expect(joins).toBe(0);
    expect(paste?.kind === "paste" && paste.text.length).toBe(500 * 240 * 17);
  });
  it("Ctrl-C works while a reply is cut off", () => {
    expect(show(events("\x1b]11;rgb:00", "\x03"))).toEqual(["ctrl+c"]);
    expect(show(events("\x1b[12;", "\x03"))).toEqual(["ctrl+c"]);
  });
  it("characters split across chunks are whole, broken ones don't swallow the next", () => {
    const raw = bytes("é日😀");
    for (let cut = 1; cut < raw.length; cut++) {
      const t = createTokenizer();
      const out = [...t.feed(raw.subarray(0, cut), 0), ...t.feed(raw.subarray(cut), 1)];
      expect(show(out).join("")).toBe("é日😀");
    }
    const t = createTokenizer();
    expect(show([...t.feed(Uint8Array.of(0xe6), 0), ...t.feed(bytes("x"), 1)])).toEqual(["\ufffd", "x"]);
  });
  it("focus reports are told", () => {
    expect(show(events("\x1b[I\x1b[O"))).toEqual(["focus(true)", "focus(false)"]);
  });
  it("UX-P-4: alone is told of the only thing in a read, with the time of its first byte", () => {
    const alone = (list: InputEvent[]) => list.map((e) => e.kind === "key" && e.alone);
    expect(alone(events("y"))).toEqual([true]);
    expect(alone(events("yy"))).toEqual([false, false]);
    expect(alone(events("y\x1b"))).toEqual([false, false]);
    expect(alone(events("\x1b"))).toEqual([true]);
    expect(alone(events("\x1b[A"))).toEqual([true]);
    expect(alone(events("y\x1b[200~x\x1b[201~"))).toEqual([false, false]);
    expect(alone(events("y\x1b[200~x"))[0]).toBe(false);
    expect(alone(events("y\x1b[?1u"))[0]).toBe(false);
    const split = createTokenizer();
    const [cut] = split.feed(Buffer.concat([bytes("y"), bytes("é").subarray(0, 1)]), 0);
    expect(cut?.kind === "key" && cut.alone).toBe(false);
    const t = createTokenizer();
    t.feed(bytes("\x1b"), 100);
    const [late] = t.feed(bytes("[A"), 120);
    expect(late).toMatchObject({ kind: "key", at: 100, alone: true });
  });
});
