import { appendFileSync, readFileSync, statSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openHistory } from "../../../../src/ui/input/history-file.ts";
import { scratch } from "../../../support/scratch.ts";

describe("openHistory", () => {
  it("UX-IN-8: what was sent is there the next time, private to the person, duplicates folded", () => {
    const file = join(scratch(), "history", "p.jsonl");
    const first = openHistory(file);
    for (const text of ["a", "b\nc", "a", " "]) expect(first.add({ text })).toBeUndefined();
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(join(file, "..")).mode & 0o777).toBe(0o700);
    const second = openHistory(file);
    expect(second.entries().map((e) => e.text)).toEqual(["b\nc", "a"]);
    expect(second.session()).toEqual([]);
    expect(first.session().map((e) => e.text)).toEqual(["b\nc", "a"]);
  });
  it("IN-9: what was sent in other projects is there for a search, the one that was used last comes last", () => {
    const folders = scratch();
    const files = ["a", "b", "own"].map((name) => join(folders, name, "history.jsonl"));
    const [a, b, own] = files.map((file) => openHistory(file));
    b?.add({ text: "of b" });
    a?.add({ text: "of a" });
    own?.add({ text: "own" });
    utimesSync(files[0] ?? "", 10, 10);
    utimesSync(files[1] ?? "", 20, 20);
    expect(own?.others().map((e) => e.text)).toEqual(["of a", "of b"]);
    expect(own?.entries().map((e) => e.text)).toEqual(["own"]);
    expect(openHistory(join(scratch(), "alone.jsonl")).others()).toEqual([]);
  });
  it("E1: a key in what was sent, or in a paste of it, is in the file as its placeholder", () => {
    const file = join(scratch(), "p.jsonl");
    const history = openHistory(file, (text) => text.replaceAll("CANARY", "«key:…»"));
    history.add({ text: "use CANARY", chips: { "\u{F0000}": "a CANARY b" } });
    expect(readFileSync(file, "utf8")).not.toContain("CANARY");
    expect(openHistory(file).entries()[0]?.text).toBe("use «key:…»");
    expect(history.entries()[0]?.text).toBe("use CANARY");
  });
  it("a torn or foreign line is passed over", () => {
    const file = join(scratch(), "p.jsonl");
    openHistory(file).add({ text: "a" });
    appendFileSync(file, '{"text": 3}\n[]\n{"te');
    expect(
      openHistory(file)
        .entries()
        .map((e) => e.text),
    ).toEqual(["a"]);
  });
  it("a long file is written anew with the newest 1,000", () => {
    const file = join(scratch(), "p.jsonl");
    openHistory(file).add({ text: "first" });
    appendFileSync(file, Array.from({ length: 2500 }, (_, i) => `${JSON.stringify({ text: `t${i}` })}\n`).join(""));
    expect(openHistory(file).entries().length).toBe(1000);
    const lines = readFileSync(file, "utf8").trimEnd().split("\n");
    expect([lines.length, lines.at(-1)]).toEqual([1000, '{"text":"t2499"}']);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });
  it("a file that can't be written is said, and the texts are there all the same", () => {
    const file = join(scratch(), "file");
    appendFileSync(file, "");
    const history = openHistory(join(file, "p.jsonl"));
    expect(history.add({ text: "a" })).toMatch(/ENOTDIR|EEXIST/);
    expect(history.entries().length).toBe(1);
  });
});
