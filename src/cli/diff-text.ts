import { jsonLine } from "../util/json-line.ts";
import { sanitize, visible } from "../util/visible.ts";
import type { FileDiff } from "../workspace/workspace.ts";

const VERBS: Readonly<Record<FileDiff["op"], string>> = {
  create: "new",
  modify: "changed",
  delete: "deleted",
  rename: "renamed",
  chmod: "mode",
  link: "link",
  type: "replaced",
};

/** One row that names a file and what happens to it. */
export function diffHead({ path, op, added, removed, hidden, before, after }: FileDiff): string {
  const lines = [...(added > 0 ? [`+${added}`] : []), ...(removed > 0 ? [`-${removed}`] : [])];
  const modes =
    op === "chmod" && before !== undefined && after !== undefined ? [octal(before.mode), "->", octal(after.mode)] : [];
  return [
    VERBS[op].padEnd(8),
    visible(path, ""),
    ...lines,
    ...modes,
    ...(hidden === undefined ? [] : [`(${hidden})`]),
  ].join(" ");
}

function octal(mode: number): string {
  return (mode & 0o7777).toString(8).padStart(4, "0");
}

/** A file's diff as lines of text. */
export function diffText(diff: FileDiff): string[] {
  const hunks = diff.hunks.flatMap((hunk) => [
    `@@ -${hunk.oldStart} +${hunk.newStart} @@`,
    ...hunk.lines.map((line) =>
      line
        .split("\t")
        .map((part) => visible(part, ""))
        .join("\t"),
    ),
  ]);
  return [diffHead(diff), ...hunks];
}

/** A line on stdout. */
export function tell(text: string): void {
  process.stdout.write(sanitize(text).replaceAll("\n", " ") + "\n");
}

/** A line of JSON on stdout: nothing of it is dropped, what a terminal would act on is escaped. */
export function tellJson(value: unknown): void {
  process.stdout.write(`${jsonLine(value)}\n`);
}

/** A line on stderr, with the program's name. */
export function say(text: string): void {
  process.stderr.write(`agent: ${sanitize(text)}\n`);
}

const MAX_PATHS = 20;

/** Paths as a list for people: git's own files as one, the first of the others by name, the rest counted. */
export function pathList(paths: readonly string[]): string[] {
  const all = [...new Set(paths)];
  const own = all.filter((path) => !path.split("/").includes(".git"));
  const more = own.length - MAX_PATHS;
  return [
    ...own.slice(0, MAX_PATHS).map((path) => visible(path, "")),
    ...(more > 0 ? [`and ${more} more`] : []),
    ...(own.length < all.length ? ["git's state"] : []),
  ];
}
