import { describe, expect, it } from "vitest";
import { keyId, type InputEvent } from "../../../../src/ui/input/key.ts";
import { createTokenizer } from "../../../../src/ui/input/tokenizer.ts";

/** A key can't be told from another one there. */
const NO = "";
const ESC = "\x1b";
type Row = readonly [key: string, legacy: string, otherKeys: string, kitty: string, tmux: string];

/** The same bytes everywhere. */
const all = (key: string, bytes: string): Row => [key, bytes, bytes, bytes, bytes];
/** Ctrl with a letter: a control character, but for kitty's protocol. */
const ctrl = (letter: string): Row => {
  const code = letter.charCodeAt(0);
  const control = String.fromCharCode(code & 0x1f);
  return [`ctrl+${letter}`, control, control, `${ESC}[${code};5u`, control];
};
const alt = (char: string): Row => [
  `alt+${char}`,
  ESC + char,
  ESC + char,
  `${ESC}[${char.charCodeAt(0)};3u`,
  ESC + char,
];
/** Modified Enter, Tab and Backspace: only where keys are told in full. tmux's two formats. */
const told = (key: string, code: number, modifier: number): Row[] => {
  const xterm = `${ESC}[27;${modifier};${code}~`;
  const csiU = `${ESC}[${code};${modifier}u`;
  return [
    [key, NO, xterm, csiU, xterm],
    [key, NO, NO, NO, csiU],
  ];
};
/** Arrows and their like with a modifier. */
const moved = (key: string, final: string, modifier: number): Row => all(key, `${ESC}[1;${modifier}${final}`);
const edited = (key: string, n: number, modifier: number): Row => all(key, `${ESC}[${n};${modifier}~`);

/** What each terminal sends for a key: without any protocol, with xterm's modifyOtherKeys, kitty's first flag, in tmux. */
const MATRIX: readonly Row[] = [
  all("return", "\r"),
  ...told("shift+return", 13, 2),
  ...told("ctrl+return", 13, 5),
  ["alt+return", `${ESC}\r`, `${ESC}[27;3;13~`, `${ESC}[13;3u`, `${ESC}\r`],
  all("tab", "\t"),
  ["shift+tab", `${ESC}[Z`, `${ESC}[Z`, `${ESC}[9;2u`, `${ESC}[Z`],
  ...told("ctrl+tab", 9, 5),
  all("backspace", "\x7f"),
  ["alt+backspace", `${ESC}\x7f`, `${ESC}[27;3;127~`, `${ESC}[127;3u`, `${ESC}\x7f`],
  ...told("ctrl+backspace", 127, 5),
  ["escape", ESC, ESC, `${ESC}[27u`, ESC],
  ["ctrl+space", "\x00", "\x00", `${ESC}[32;5u`, "\x00"],
  ..."abcdefghjklnopqrstuvwxyz".split("").map(ctrl),
  ["escape", NO, NO, `${ESC}[91;5u`, NO],
  ["tab", NO, NO, `${ESC}[105;5u`, NO],
  ["return", NO, NO, `${ESC}[109;5u`, NO],
  ["ctrl+]", "\x1d", `${ESC}[27;5;93~`, `${ESC}[93;5u`, "\x1d"],
  ["ctrl+_", "\x1f", `${ESC}[27;6;95~`, NO, "\x1f"],
  ["ctrl+shift+-", NO, NO, `${ESC}[45;6u`, NO],
  ["ctrl+/", NO, `${ESC}[27;5;47~`, `${ESC}[47;5u`, `${ESC}[27;5;47~`],
  ["alt+_", `${ESC}_`, `${ESC}_`, NO, `${ESC}_`],
  ["alt+shift+-", NO, NO, `${ESC}[45;4u`, NO],
  ..."bdfmpty".split("").map(alt),
  all("up", `${ESC}[A`),
  all("down", `${ESC}[B`),
  all("right", `${ESC}OC`),
  all("left", `${ESC}OD`),
  moved("ctrl+left", "D", 5),
  moved("ctrl+right", "C", 5),
  ["alt+left", `${ESC}${ESC}[D`, `${ESC}[1;3D`, `${ESC}[1;3D`, `${ESC}[1;3D`],
  ["alt+right", `${ESC}${ESC}[C`, `${ESC}[1;3C`, `${ESC}[1;3C`, `${ESC}[1;3C`],
  moved("shift+up", "A", 2),
  moved("ctrl+home", "H", 5),
  moved("ctrl+end", "F", 5),
  ["home", `${ESC}OH`, `${ESC}[H`, `${ESC}[H`, `${ESC}[1~`],
  ["end", `${ESC}OF`, `${ESC}[F`, `${ESC}[F`, `${ESC}[4~`],
  all("insert", `${ESC}[2~`),
  all("delete", `${ESC}[3~`),
  edited("ctrl+delete", 3, 5),
  edited("alt+delete", 3, 3),
  all("pageup", `${ESC}[5~`),
  all("pagedown", `${ESC}[6~`),
  ["f1", `${ESC}OP`, `${ESC}OP`, `${ESC}[P`, `${ESC}OP`],
  ["f3", `${ESC}[[C`, `${ESC}OR`, `${ESC}[13~`, `${ESC}OR`],
  all("f5", `${ESC}[15~`),
  all("f12", `${ESC}[24~`),
  ["1", "1", "1", `${ESC}[57400u`, "1"],
  ["return", `${ESC}OM`, `${ESC}OM`, `${ESC}[57414u`, "\r"],
  ["up", NO, NO, `${ESC}[57419u`, NO],
  ["A", "A", "A", `${ESC}[97:65;2u`, "A"],
  all("a", "a"),
  all("?", "?"),
  all(" ", " "),
  all("é", "é"),
  all("日", "日"),
  all("😀", "😀"),
];

function show(list: readonly InputEvent[]): string {
  return list.map((e) => (e.kind === "key" ? (e.key.text ?? keyId(e.key)) : e.kind)).join(" + ");
}
/** Reads one after the other, a millisecond apart, then a long rest. */
function read(...chunks: readonly Uint8Array[]): string {
  const t = createTokenizer();
  const out = chunks.flatMap((chunk, at) => t.feed(chunk, at));
  return show([...out, ...t.flush(1e9)]);
}
const bytes = (text: string) => Buffer.from(text);

describe("the key matrix", () => {
  const cells = MATRIX.flatMap(([key, ...sent]) =>
    [...new Set(sent)].filter((sequence) => sequence !== NO).map((sequence) => ({ key, sequence })),
  );
  const wrong = (got: (of: (typeof cells)[number]) => readonly (readonly [want: string, got: string])[]) =>
    cells.flatMap((cell) => got(cell).flatMap(([want, is]) => (want === is ? [] : [{ ...cell, want, is }])));

  it("TUI-B13: has 60 keys and more, each read for what it is", () => {
    expect(new Set(MATRIX.map(([key]) => key)).size).toBeGreaterThanOrEqual(60);
    expect(wrong(({ key, sequence }) => [[key, read(bytes(sequence))]])).toEqual([]);
  });
  it("TUI-B13: split at every byte it is the same key", () => {
    expect(
      wrong(({ key, sequence }) => {
        const raw = bytes(sequence);
        return Array.from({ length: raw.length - 1 }, (_, at) => [
          key,
          read(raw.subarray(0, at + 1), raw.subarray(at + 1)),
        ]);
      }),
    ).toEqual([]);
  });
  it("TUI-B13: glued to what is pressed before and after it, nothing melts", () => {
    const esc = (sequence: string) => sequence === ESC;
    expect(
      wrong(({ key, sequence }) => [
        [`x + ${key}`, read(bytes(`x${sequence}`))],
        [`up + ${key}`, read(bytes(`${ESC}[A${sequence}`))],
        // Esc and an arrow in one read is Alt with it, as some terminals send that.
        ...(esc(sequence) ? [] : ([[`${key} + ctrl+right`, read(bytes(`${sequence}${ESC}[1;5C`))]] as const)),
      ]),
    ).toEqual([]);
    // But for Esc, which makes Alt of a character, and Enter before text, which is a paste (IN-3).
    const apart = cells.filter(({ sequence }) => !esc(sequence) && sequence !== "\r");
    expect(apart.filter(({ key, sequence }) => read(bytes(`${sequence}x`)) !== `${key} + x`)).toEqual([]);
  });
});
