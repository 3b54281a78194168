import iconv from "iconv-lite";
import { describe, expect, it } from "vitest";
import { decodeText, detectEncoding, detectExact, encodeText, STRAY } from "../../../src/tools/encoding.ts";
import { decodeStray, encodeStray } from "../../../src/tools/stray.ts";

const nameOf = async (bytes: Uint8Array, more = false): Promise<string | undefined> =>
  (await detectEncoding(bytes, more))?.name;

describe("encodings", () => {
  it("T5: a mark decides; UTF-32 is not taken for UTF-16", async () => {
    expect(await nameOf(Buffer.from([0xff, 0xfe, 0x41, 0]))).toBe("utf-16le");
    expect(await nameOf(Buffer.from([0xff, 0xfe, 0, 0, 0x41, 0, 0, 0]))).toBe("utf-32le");
    expect(await nameOf(Buffer.from([0xfe, 0xff, 0, 0x41]))).toBe("utf-16be");
    expect(await nameOf(Buffer.from("\uFEFFa"))).toBe("utf-8");
  });
  it("T5: a letter cut by the end of a sample is no fault", async () => {
    const bytes = Buffer.from("größe €").subarray(0, -1);
    expect(await nameOf(bytes, true)).toBe("utf-8");
    expect(await nameOf(bytes)).not.toBe("utf-8");
  });
  it("T5: numbers of 16 bits and control codes are binary", async () => {
    expect(await nameOf(Buffer.from(Uint16Array.from({ length: 64 }, (_, n) => n % 20).buffer))).toBeUndefined();
    expect(await nameOf(Buffer.from([1, 2, 3, 4, 5, 6]))).toBeUndefined();
  });
  it("terminal-escape-025: what was sent to a terminal is text, however short: escapes, bells, blanks moved back", async () => {
    for (const sent of ["x\x1b]52;c;QQ==\x07y\n", "\x07", "a\bb", "\x1b[31mred\x1b[0m\n", "10%\r20%\r\n"])
      expect(await nameOf(Buffer.from(sent))).toBe("utf-8");
    expect(await nameOf(Buffer.from("a\x01b\n"))).toBeUndefined();
  });
  it("T4: whatever is decoded for an edit comes back byte by byte, else it is no text", async () => {
    const samples = [
      Buffer.from("plain"),
      Buffer.from([0xef, 0xbb, 0xbf, 0x41, 0xff]),
      Buffer.from([0x81, 0x8d, 0x41, 0xe9]),
      Buffer.from(Array.from({ length: 200 }, (_, n) => 56 + n)),
      iconv.encode("日本語のテキスト", "shift_jis"),
      Buffer.from([0xff, 0xfe, 0x41, 0, 0, 0xd8]),
    ];
    for (const bytes of samples) {
      const found = await detectExact(bytes);
      if (found === undefined) continue;
      const back = Buffer.concat([bytes.subarray(0, found.encoding.bom), await encodeText(found.text, found.encoding)]);
      expect(back.equals(bytes)).toBe(true);
    }
    expect(await detectExact(Buffer.from([0xff, 0xfe, 0x41]))).toBeUndefined();
  });
  it("T4: stray bytes keep their value and stay out of the letters", async () => {
    const bytes = Buffer.from("\xc3\xa9\xff\xc0\x80\xed\xa0\x80\xf5z", "latin1");
    expect(encodeStray(decodeStray(bytes)).equals(bytes)).toBe(true);
    expect(decodeStray(bytes).startsWith("é\uDCFF")).toBe(true);
    expect(await decodeText(bytes, { name: STRAY, bom: 0, sure: true })).toBe(decodeStray(bytes));
  });
});
