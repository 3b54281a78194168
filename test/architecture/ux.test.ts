import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";

const root = resolve(import.meta.dirname, "../..");
const page = readFileSync(join(root, "docs/ux.md"), "utf8");
/** How many there are of each kind; the bars of speed and correctness are B. */
const COUNTS = { IN: 18, Q: 9, P: 8, F: 6, T: 8, N: 10, B: 17 };
const IDS = Object.entries(COUNTS).flatMap(([kind, count]) =>
  Array.from({ length: count }, (_, n) => (kind === "B" ? `B${n + 1}` : `${kind}-${n + 1}`)),
);
const named = (id: string) => new RegExp(`(^|[^A-Za-z0-9])${id}(?!\\d)`);
const files = ["test", "bench"].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((file) => /\.tsx?$/.test(file))
    .map((file) => `${folder}/${file}`),
);
/** The ids that a test file's titles name; of a bench its whole text. */
const text = new Map(
  files.map((file) => {
    const source = readFileSync(join(root, file), "utf8");
    const titles = [...source.matchAll(/["'`]([^"'`\n]*(?:UX-|TUI-|(?:IN|Q|P|F|T|N)-\d)[^"'`\n]*)/g)].map((m) => m[1]);
    return [file, file.startsWith("bench/") ? source : titles.join("\n")];
  }),
);

interface Row {
  id: string;
  files: readonly string[];
  eye: string;
}
const rows: Row[] = [...page.matchAll(/^\| ([A-Z]+-?\d+) \| [^|]* \| ([^|]*) \| ([^|]*) \|$/gm)].map(
  ([, id = "", tests = "", eye = ""]) => ({
    id,
    files: [...tests.matchAll(/`([^`]+)`/g)].map(([, file = ""]) => file),
    eye: eye.trim(),
  }),
);

describe("docs/ux.md", () => {
  it("U1: has a row for every id, once", () => {
    expect(rows.map(({ id }) => id)).toEqual(IDS);
  });
  it("U1: every id has a test that names it, or what was looked at by eye", () => {
    expect(rows.filter((row) => row.files.length === 0 && row.eye === "").map(({ id }) => id)).toEqual([]);
  });
  it("U1: the files of a row name its id", () => {
    const wrong = rows.flatMap(({ id, files: of }) =>
      of.filter((file) => !named(id).test(text.get(file) ?? "")).map((file) => `${id}: ${file}`),
    );
    expect(wrong).toEqual([]);
  });
});
