import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { WORK_FILES } from "../../../src/loop/feature-list.ts";
import { bash, featureOf, listIn, listText, tick, tries, wanted, work } from "../../support/long-work.ts";
import { place } from "../../support/session.ts";

it("C8: a session builds one feature; what else it tries with the list is refused, each time", async () => {
  const at = place("long-work");
  mkdirSync(join(at.folder, "work"));
  writeFileSync(join(at.folder, WORK_FILES.list), listText(wanted));
  const { files, commands } = tries(wanted, 0);
  const no = [...files, ...commands.slice(0, 1)];
  const one = await work(at, featureOf(at), [
    { calls: [{ name: "Read", input: { file_path: WORK_FILES.list } }] },
    ...no,
    { calls: [bash("echo add > words.txt")] },
    { calls: [tick(wanted, "add")] },
    { text: "Done." },
  ]);
  const of = one.results.slice(1, 1 + no.length);
  expect(of.filter((text) => !text.includes("the program holds work/features.json"))).toEqual([]);
  expect(of).toHaveLength(9);
  expect(one.result.reason).toBe("done");
  expect(one.told).toEqual([
    "the folder is in no git repository, so nothing is committed",
    "feature add: passes (1 of 4 pass)",
  ]);
  expect(listIn(at).features.map((f) => f.passes)).toEqual([true, false, false, false]);
  expect(readFileSync(join(at.folder, WORK_FILES.progress), "utf8")).toMatch(/add: passes \(session/);
}, 60_000);

it.each([
  ["HOME", "grep -q /bin/true ~/.npmrc", "echo script-shell=/bin/true > ~/.npmrc"],
  [
    "regenerable output of the copy",
    "node_modules/.bin/tool",
    "mkdir -p node_modules/.bin; printf 'exit 0' > node_modules/.bin/tool; chmod +x node_modules/.bin/tool",
  ],
])(
  "C8: what a command left in %s makes no feature pass: only what landed counts",
  async (_, check, command) => {
    const at = place("long-work");
    mkdirSync(join(at.folder, "work"));
    mkdirSync(join(at.folder, "node_modules", ".bin"), { recursive: true });
    writeFileSync(join(at.folder, "node_modules", ".bin", "tool"), "exit 1", { mode: 0o755 });
    writeFileSync(join(at.folder, ".gitignore"), "node_modules\n");
    const list = { ...wanted, features: wanted.features.slice(0, 1).map((f) => ({ ...f, check })) };
    writeFileSync(join(at.folder, WORK_FILES.list), listText(list));
    const one = await work(at, featureOf(at), [
      { calls: [{ name: "Read", input: { file_path: WORK_FILES.list } }] },
      { calls: [bash(command)] },
      // In the session's own view it passes.
      { calls: [bash(`${check} && echo seen`)] },
      { calls: [tick(list, "add")] },
      ...Array.from({ length: 4 }, () => ({ text: "Done." })),
    ]);
    expect(one.results[2]).toContain("seen");
    expect(one.results[3]).toContain("does not count until the person lands it (/land)");
    expect(one.result.reason).toBe("checks-failed");
    expect(listIn(at).features.map((f) => f.passes)).toEqual([false]);
  },
  60_000,
);
