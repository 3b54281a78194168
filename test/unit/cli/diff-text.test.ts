import { expect, it } from "vitest";
import { pathList } from "../../../src/cli/diff-text.ts";

it("W4: at most 20 paths are named, git's own files as one", () => {
  const many = Array.from({ length: 23 }, (_, n) => `/p/f${n}`);
  const git = ["/p/.git/objects/ab/cd", "/p/.git/index"];
  expect(pathList([...git, "/p/a", "/p/a"])).toEqual(["/p/a", "git's state"]);
  expect(pathList([...many, ...git]).slice(18)).toEqual(["/p/f18", "/p/f19", "and 3 more", "git's state"]);
  expect(pathList(many.slice(0, 20))).toHaveLength(20);
  expect(pathList(["/p/.gitignore"])).toEqual(["/p/.gitignore"]);
});
