import { lstatSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import picomatch from "picomatch";
import { textProblem } from "./grade-text.ts";
import { listed, type Graded } from "./graded.ts";
import type { FileGrader } from "./grader-schema.ts";
import { type JsonSchema, schemaProblem } from "./json-schema.ts";
import { differences, snapshotOf } from "./snapshot.ts";

/** Why a file is not as it is to be. Links are not followed: a link is not the file. */
export function fileProblem(grader: FileGrader, { folder, suiteDir }: Graded): string | undefined {
  const { file, same, json, ...is } = grader;
  const at = resolve(folder, file);
  if (!at.startsWith(`${folder}/`)) return `${file} is not in the folder`;
  const link = linkAbove(folder, dirname(relative(folder, at)));
  if (link !== undefined) return `${link} is a link`;
  const stat = lstatSync(at, { throwIfNoEntry: false });
  if (stat === undefined) return "there is no such file";
  if (!stat.isFile()) return "it is no file";
  const bytes = readFileSync(at);
  if (same !== undefined && !bytes.equals(readFileSync(resolve(suiteDir, same)))) {
    const problem = textProblem(bytes.toString("utf8"), { equals: readFileSync(resolve(suiteDir, same), "utf8") });
    return problem ?? `its bytes are not those of ${same}`;
  }
  if (json !== undefined) {
    const problem = jsonProblem(bytes.toString("utf8"), json);
    if (problem !== undefined) return problem;
  }
  return textProblem(bytes.toString("utf8"), is);
}

/** The first link on the way from a folder to one below it. */
function linkAbove(folder: string, below: string): string | undefined {
  const parts = below.split("/");
  const above = parts.map((_, i) => parts.slice(0, i + 1).join("/"));
  return above.find((path) => lstatSync(join(folder, path), { throwIfNoEntry: false })?.isSymbolicLink() === true);
}

function jsonProblem(text: string, schema: JsonSchema): string | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return `it is no JSON: ${error instanceof Error ? error.message : ""}`;
  }
  return schemaProblem(value, schema);
}

export function absentProblem(names: readonly string[], { folder }: Graded): string | undefined {
  const there = names.filter((name) => lstatSync(join(folder, name), { throwIfNoEntry: false }) !== undefined);
  return there.length === 0 ? undefined : `${listed(there)} is there`;
}

export async function folderProblem(wanted: string, { suiteDir, after }: Graded): Promise<string | undefined> {
  const found = differences(await snapshotOf(resolve(suiteDir, wanted)), after);
  const words = found.map(({ path, what }) => `${path} ${WORDS[what]}`);
  return words.length === 0 ? undefined : listed(words);
}

const WORDS = { made: "is too many", changed: "differs", deleted: "is missing" } as const;

export function onlyChangedProblem(patterns: readonly string[], graded: Graded): string | undefined {
  const fits = fitting(patterns);
  const others = differences(graded.before, graded.after).filter(({ path }) => !fits(path));
  return others.length === 0 ? undefined : `also ${listed(others.map(({ path, what }) => `${path} (${what})`))}`;
}

export function untouchedProblem(patterns: readonly string[], graded: Graded): string | undefined {
  const fits = fitting(patterns);
  const touched = differences(graded.before, graded.after).filter(({ path }) => fits(path));
  return touched.length === 0 ? undefined : listed(touched.map(({ path, what }) => `${path} (${what})`));
}

/** A pattern without `/` fits names at any depth, as in `.gitignore`. */
function fitting(patterns: readonly string[]): (path: string) => boolean {
  const tests = patterns.map((pattern) => picomatch(pattern.includes("/") ? pattern : `**/${pattern}`, { dot: true }));
  return (path) => tests.some((test) => test(path));
}
