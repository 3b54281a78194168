import { describe, expect, it } from "vitest";
import { completedPath, typedPath } from "../../../../../src/ui/input/complete/shell-path.ts";

const at = (text: string) => typedPath(text, text.length);
const file = (name: string) => ({ name, folder: false });
const ALL = [file("alpha.ts"), file("alpine.ts"), file("a b.txt"), file(".env"), { name: "src", folder: true }];

describe("paths of a shell line", () => {
  it("UX-IN-12: the word before the cursor is a path; what an operator or a blank ends is another word", () => {
    expect(at("!cat src/al")).toEqual({ from: 5, folder: "src/", name: "al" });
    expect(at("!cat a\\ b/c")).toEqual({ from: 5, folder: "a b/", name: "c" });
    expect(at("!cat <in")).toEqual({ from: 6, folder: "", name: "in" });
    expect(at("!X=src/a")).toEqual({ from: 3, folder: "src/", name: "a" });
    expect(at("!")).toEqual({ from: 1, folder: "", name: "" });
    expect(at('!cat "src/a')).toBeUndefined();
  });
  it("UX-IN-12: one that fits is written with what ends it, of several as much as they share", () => {
    expect(completedPath({ from: 0, folder: "", name: "s" }, ALL)).toEqual({ word: "src/", names: [] });
    expect(completedPath({ from: 0, folder: "x/", name: "alpi" }, ALL)).toEqual({ word: "x/alpine.ts ", names: [] });
    expect(completedPath({ from: 0, folder: "", name: "al" }, ALL)).toEqual({
      word: "alp",
      names: ["alpha.ts", "alpine.ts"],
    });
    expect(completedPath({ from: 0, folder: "", name: "zz" }, ALL)).toBeUndefined();
  });
  it("UX-IN-12: names are escaped for the shell; hidden ones come up only when their dot is typed", () => {
    expect(completedPath({ from: 0, folder: "", name: "a " }, ALL)?.word).toBe("a\\ b.txt ");
    expect(completedPath({ from: 0, folder: "", name: "" }, ALL)?.names).not.toContain(".env");
    expect(completedPath({ from: 0, folder: "", name: ".e" }, ALL)?.word).toBe(".env ");
    expect(completedPath({ from: 0, folder: "", name: "" }, [file("$(rm);x")])?.word).toBe("\\$\\(rm\\)\\;x ");
    expect(completedPath({ from: 0, folder: "", name: "" }, [file("日本語")])?.word).toBe("日本語 ");
    expect(completedPath({ from: 0, folder: "~/", name: "" }, [file("~x")])?.word).toBe("~/\\~x ");
    expect(completedPath({ from: 0, folder: "", name: "" }, [file("a\nb")])).toBeUndefined();
  });
});
