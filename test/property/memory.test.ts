import fc from "fast-check";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { collectMemory } from "../../src/memory/collect.ts";
import { importsIn } from "../../src/memory/imports.ts";
import { ranked, termsOf } from "../../src/memory/rank.ts";
import { deep } from "../support/deep.ts";
import { scratch } from "../support/scratch.ts";

const steps = fc.constantFrom(
  "..",
  ".",
  "sub",
  "in",
  "out",
  "link",
  "up",
  "outside",
  "secret.md",
  "a.md",
  "b.md",
  "~",
  ".claude",
  "keys.json",
  "key",
  "",
  "%2e%2e",
  "..\\",
);
const paths = fc.array(steps, { minLength: 1, maxLength: 6 }).map((parts) => parts.join("/"));
const roots = fc.constantFrom("", "/", "~/", "./", "../", "OUT/", "FOLDER/", "HOME/.claude/");

describe("C2: imports of instruction files", () => {
  it("never bring anything from outside, by whatever path or link; cycles end; what is deeper than five is left out", () => {
    const base = scratch("imports");
    const at = { folder: join(base, "p"), config: join(base, "c"), home: join(base, "h") };
    const outside = join(base, "outside");
    const put = (path: string, text: string): void => {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, text);
    };
    for (const [path, text] of [
      [join(outside, "secret.md"), "CANARY"],
      [join(outside, "a.md"), "CANARY"],
      [join(at.home, ".claude/keys.json"), "CANARY"],
      [join(at.config, "key"), "CANARY"],
      [join(at.home, "secret.md"), "CANARY"],
      [join(at.folder, "in/a.md"), "fine @../a.md @b.md"],
      [join(at.folder, "in/b.md"), "round @a.md"],
      [join(at.folder, "sub/key"), "fine"],
    ] as const)
      put(path, text);
    symlinkSync(outside, join(at.folder, "link"));
    symlinkSync("../../outside/secret.md", join(at.folder, "sub/secret.md"));
    symlinkSync("..", join(at.folder, "sub/up"));
    symlinkSync(join(outside, "a.md"), join(at.home, ".claude/a.md"));
    const read = (own: string, theirs: string): string => {
      put(join(at.folder, "AGENTS.md"), theirs);
      put(join(at.config, "AGENTS.md"), own);
      const { files } = collectMemory({
        ...at,
        trusted: true,
        others: [],
        touched: [],
        hidden: () => false,
        foreign: () => false,
      });
      return files.map(({ text }) => text).join("\n");
    };
    fc.assert(
      fc.property(fc.array(fc.tuple(roots, paths), { minLength: 1, maxLength: 6 }), (names) => {
        const text = names
          .map(
            ([root, path]) =>
              `@${root.replace("OUT", outside).replace("FOLDER", at.folder).replace("HOME", at.home)}${path}`,
          )
          .join("\n");
        expect(read(`mine\n${text}`, `theirs\n${text}`)).not.toContain("CANARY");
      }),
      { numRuns: deep(150, 5000) },
    );
    // The test can fail: what lies inside comes along.
    expect(read("-", "@in/a.md")).toContain("fine");
    for (let n = 0; n < 8; n++) put(join(at.folder, `deep/${n}.md`), `level${n} @${n + 1}.md`);
    const chain = read("-", "@deep/0.md");
    expect(chain).toContain("level4");
    expect(chain).not.toContain("level5");
  });

  it("stand in no code, and are no persons or addresses", () => {
    const text =
      "see @a.md, (@b/c.md) and @d.md.\nmail me@x.org, ask @alice, `@e.md`, ``@f.md ` ``\n```\n@g.md\n~~~\n```\n@h.md\n    ";
    expect(importsIn(text)).toEqual(["a.md", "b/c.md", "d.md", "h.md"]);
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom("`", "~", "@", "a", ".", "/", "\n", " ", "\\") }),
        (s) => void importsIn(s),
      ),
    );
  });
});

describe("C2: relevance", () => {
  it("finds by words in other forms, a rare word counts more, nothing shared is no hit", () => {
    const notes = [
      { title: "Tests", body: "Run the tests with make check; the tests need a database." },
      { title: "Deployments", body: "Deployed by pushing a tag." },
      { title: "Style", body: "Tests are named after what they test." },
    ];
    expect(ranked(notes, "how do I deploy this?").map(({ item }) => item.title)).toEqual(["Deployments"]);
    expect(ranked(notes, "test database")[0]?.item.title).toBe("Tests");
    expect(ranked(notes, "colours of the sky")).toEqual([]);
    expect(termsOf("useEffect in src/my-file.ts 数据库")).toEqual(
      expect.arrayContaining(["effect", "src", "file", "数据"]),
    );
  });
});
