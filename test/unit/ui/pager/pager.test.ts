import { describe, expect, it } from "vitest";
import { makeKey } from "../../../../src/ui/input/key.ts";
import { drawPager } from "../../../../src/ui/pager/draw.ts";
import { pagerKey, type Searchable } from "../../../../src/ui/pager/keys.ts";
import { AT_END, endOf, type Pager } from "../../../../src/ui/pager/pager.ts";
import { line, paint } from "../../../../src/ui/render/spans.ts";
import { plainTheme } from "../../../../src/ui/theme.ts";

/** Each part as its rows; `laid` notes which were laid out. */
function pages(parts: readonly (readonly string[])[], laid = new Set<number>()): Searchable {
  return {
    size: parts.length,
    rows: (at) => (laid.add(at), (parts[at] ?? []).map((text) => line(text))),
    isTurn: (at) => parts[at]?.[0]?.startsWith("›") === true,
    mayHold: (at, query) => parts[at]?.join(" ").toLowerCase().includes(query.toLowerCase()) === true,
  };
}
const key = (name: string) =>
  name.length === 1
    ? makeKey(name.toLowerCase(), { text: name, shift: name !== name.toLowerCase() })
    : makeKey(name.replace("ctrl+", ""), { ctrl: name.startsWith("ctrl+") });
const HEIGHT = 4;
function press(pager: Pager, all: Searchable, ...names: string[]): Pager {
  return names.reduce((at, name) => pagerKey(at, key(name), all, HEIGHT).pager, pager);
}
function seen(pager: Pager, all: Searchable, waits?: string): string[] {
  return paint(drawPager(pager, all, { cols: 40, rows: HEIGHT + 1 }, waits).rows, plainTheme);
}
const TALK = pages([
  ["› one", "a1"],
  ["b1", "b2", "b3"],
  [],
  ["› two", "c1", "needle"],
  ["d1", "d2"],
  ["› three", "Needle e1"],
]);

describe("the pager", () => {
  it("UX-T-5: opens at the end; j k, Space b, g G and PgUp PgDn go through every row, parts without rows too", () => {
    expect(seen(AT_END, TALK).slice(0, HEIGHT)).toEqual(["d1", "d2", "› three", "Needle e1"]);
    expect(seen(press(AT_END, TALK, "k"), TALK)[0]).toBe("needle");
    expect(seen(press(AT_END, TALK, "g"), TALK).slice(0, HEIGHT)).toEqual(["› one", "a1", "b1", "b2"]);
    let pager = press(AT_END, TALK, "g");
    const rows: (string | undefined)[] = [];
    for (let n = 0; n < 20; n++) {
      rows.push(seen(pager, TALK)[0]);
      pager = press(pager, TALK, "j");
    }
    expect([...new Set(rows)]).toEqual(["› one", "a1", "b1", "b2", "b3", "› two", "c1", "needle", "d1"]);
    expect(press(pager, TALK, "b", "space")).toEqual(press(pager, TALK, "pageup", "pagedown"));
    expect(press(pager, TALK, "g", "G").following).toBe(true);
  });
  it("UX-T-5: [ and ] go from message to message", () => {
    const up = press(AT_END, TALK, "[");
    expect(seen(up, TALK)[0]).toBe("› two");
    expect(seen(press(up, TALK, "["), TALK)[0]).toBe("› one");
    expect(seen(press(up, TALK, "[", "]"), TALK)[0]).toBe("› two");
    expect(press(up, TALK, "[", "[").said).toContain("no message");
  });
  it("UX-T-5: / finds from what is on screen on, n and N go round; a small letter finds both, a capital itself alone", () => {
    const top = press(AT_END, TALK, "g");
    const first = press(top, TALK, "/", ..."needle".split(""), "return");
    expect(first.hit).toEqual({ part: 3, row: 2 });
    expect(seen(first, TALK)).toContain("needle");
    const second = press(first, TALK, "n");
    expect(second.hit).toEqual({ part: 5, row: 1 });
    const round = press(second, TALK, "n");
    expect([round.hit, round.said]).toEqual([{ part: 3, row: 2 }, "needle: round the end"]);
    expect(press(round, TALK, "N").hit).toEqual({ part: 5, row: 1 });
    expect(press(top, TALK, "/", ..."Needle".split(""), "return").hit).toEqual({ part: 5, row: 1 });
    expect(press(top, TALK, "/", ..."absent".split(""), "return").said).toBe("absent is nowhere");
  });
  it("UX-T-5: what is found is marked in every row on screen", () => {
    const found = press(AT_END, TALK, "/", ..."e1".split(""), "return");
    const marked = drawPager(found, TALK, { cols: 40, rows: 5 }, undefined).rows.flatMap((row) =>
      row.filter((span) => span.style === "selected").map((span) => span.text),
    );
    expect(marked).toEqual(["e1"]);
  });
  it("UX-T-5: stays at the end while more comes, and where it is when it was scrolled", () => {
    const more = pages([...Array.from({ length: 6 }, (_, at) => [`row ${at}`]), ["new"]]);
    expect(seen(AT_END, more)[HEIGHT - 1]).toBe("new");
    const before = pages(Array.from({ length: 6 }, (_, at) => [`row ${at}`]));
    const up = press(AT_END, before, "k");
    expect(seen(up, more).slice(0, HEIGHT)).toEqual(["row 1", "row 2", "row 3", "row 4"]);
  });
  it("UX-T-5: of 2,000 messages only those on screen are laid out, also by a search that finds one far away", () => {
    const laid = new Set<number>();
    const long = pages(
      Array.from({ length: 2000 }, (_, at) => [`› ${at}`, at === 70 ? "needle" : "text"]),
      laid,
    );
    seen(AT_END, long);
    seen(press(AT_END, long, "/", ..."needle".split(""), "return"), long);
    seen(press(AT_END, long, "g"), long);
    expect(laid.size).toBeLessThan(30);
  });
  it("UX-T-5: fits every size, with nothing in it as well", () => {
    const none = pages([]);
    for (const rows of [1, 2, 3, 24])
      for (const cols of [1, 5, 20, 200])
        for (const [all, pager] of [
          [none, AT_END],
          [TALK, AT_END],
          [TALK, press(AT_END, TALK, "/", "x")],
        ] as const) {
          const drawn = drawPager(pager, all, { cols, rows }, "a question waits");
          expect(drawn.rows.length).toBeLessThanOrEqual(Math.max(2, rows));
          for (const row of paint(drawn.rows, plainTheme)) expect(row.length).toBeLessThanOrEqual(cols);
        }
    expect(endOf(none, 10)).toEqual({ part: 0, row: 0 });
    for (const name of ["g", "G", "j", "k", "n", "[", "]", "space"]) press({ ...AT_END, query: "x" }, none, name);
  });
  it("UX-T-5: q, Esc and Ctrl-O leave; a question that came is told of, and none of the pager's keys answers it", () => {
    for (const name of ["q", "escape", "ctrl+o"]) expect(pagerKey(AT_END, key(name), TALK, HEIGHT).act).toBe("leave");
    for (const name of ["1", "y", "n", "3", "return"])
      expect(pagerKey(AT_END, key(name), TALK, HEIGHT).act).toBeUndefined();
    expect(press(AT_END, TALK, "/", "q").typing).toBe("q");
    expect(seen(AT_END, TALK, "a question waits: Bash").at(-1)).toMatch(/^a question waits: Bash · q answers/);
  });
});
