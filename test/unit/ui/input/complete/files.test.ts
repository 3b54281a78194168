import { expect, it } from "vitest";
import { FileIndex } from "../../../../../src/ui/input/complete/file-index.ts";
import { fit } from "../../../../../src/ui/input/complete/fuzzy.ts";

const signal = new AbortController().signal;
const ranked = (query: string, ...paths: string[]) =>
  paths
    .map((path) => ({ path, score: fit(path, path.toLowerCase(), query) }))
    .filter((one) => one.score !== undefined)
    .toSorted((a, b) => (b.score ?? 0) - (a.score ?? 0))
    .map((one) => one.path);

it("IN-11: fuzzy: letters in order; the file's own name, starts of words and short paths come first", () => {
  expect(ranked("readme", "docs/old/readme-notes.md", "README.md", "src/read/me.ts", "x.ts")[0]).toBe("README.md");
  expect(ranked("xyz", "src/a.ts")).toEqual([]);
  expect(ranked("fi", "src/file-index.ts", "src/ui/field.ts", "config/a.ts")).toHaveLength(3);
  expect(ranked("cok", "src/ui/screen/composer-keys.ts", "src/cookies/x.ts")[0]).toBe("src/ui/screen/composer-keys.ts");
  expect(ranked("src/a", "lib/src/abc.ts", "src/a.ts")[0]).toBe("src/a.ts");
});

it("IN-11: folders are there with a slash, what is recent comes first, nothing typed shows the top", async () => {
  const index = new FileIndex({ now: () => 0 });
  index.add(["src/deep/b.ts", "src/a.ts", "z.md"]);
  expect(await index.search("", { most: 3, signal })).toEqual(["src/", "z.md", "src/a.ts"]);
  index.setRecent(["src/deep/b.ts"]);
  expect((await index.search("", { most: 3, signal }))[0]).toBe("src/deep/b.ts");
  expect(await index.search("src/d", { most: 9, signal })).toEqual(["src/deep/b.ts", "src/deep/"]);
});

it("IN-11: in 50,000 files it gives way to keys every few milliseconds, with the best so far", async () => {
  // Each question for the time counts as a millisecond.
  let now = 0;
  const index = new FileIndex({ now: () => now++ });
  for (let i = 0; i < 50; i++) index.add(Array.from({ length: 1000 }, (_, n) => `p${i}/file${n}.ts`));
  const some: (readonly string[])[] = [];
  const found = await index.search("p49file999", { most: 5, signal, onSome: (best) => some.push(best) });
  expect(found[0]).toBe("p49/file999.ts");
  expect(some.length).toBeGreaterThan(20);
  expect(index.size).toBe(50_050);
  // What is aborted ends at once.
  const stop = new AbortController();
  const before = some.length;
  await index.search("file", { most: 5, signal: stop.signal, onSome: (best) => (some.push(best), stop.abort()) });
  expect(some.length).toBe(before + 1);
});
