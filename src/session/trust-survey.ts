import { dirname, join, relative } from "node:path";
import { MEMORY_FILES } from "../memory/names.ts";
import { SHELL_LINE } from "../skills/fill.ts";
import { SKILL_FOLDERS } from "../skills/names.ts";
import { type RawPath, showPath } from "../util/bytes.ts";
import { visible } from "../util/visible.ts";
import { type Bounds, Inside } from "../workspace/inside.ts";
import { hashOf, isExecutable, type Part, PART_KINDS, type PartKind } from "./trust-part.ts";
import { settingsParts } from "./trust-settings.ts";

/** All that a folder brings. */
export interface Survey {
  /** By kind, then by path. */
  parts: readonly Part[];
  /** What is there and is not used, and why: one line each. */
  problems: readonly string[];
  /** False: there was more than is looked at, so no trust of it can be kept. */
  whole: boolean;
  /** SHA-256 over the executable parts, hex: what a trust is bound to. */
  hash: string;
}

const OWNERS = [".agent", ".claude"] as const;
const MOST_DEPTH = 8;
/** Named on the screen; the hash is over all of them. */
const SHOWN_FILES = 20;

/**
 * Lists what a folder brings, by reading files alone (G8): no program is started, nothing is fetched.
 * @param folder real path.
 * @param workTree of the repository that holds the folder: memory files between the two are brought along.
 */
export function surveyFolder(folder: string, workTree?: string, bounds?: Bounds): Survey {
  const inside = new Inside(folder, bounds);
  const { parts, problems } = settingsParts(inside, folder);
  const tell = (path: string, why: string) => void problems.push(`${visible(path, "")}: ${why}; not used`);
  const found = [...parts];
  if (parts.some((part) => part.kind === "hook")) found.push(...scripts(inside));
  for (const path of SKILL_FOLDERS) found.push(...skills(inside, path, tell));
  for (const owner of OWNERS) {
    for (const kind of ["command", "agent", "rule"] as const)
      found.push(...texts(inside, `${owner}/${kind}s`, kind, tell));
  }
  found.push(...memory(inside, folder, "", tell));
  const above = aboveOf(folder, workTree);
  for (const at of above) found.push(...memory(new Inside(at), folder, relative(folder, at), tell));
  const sorted = PART_KINDS.flatMap((kind) => found.filter((part) => part.kind === kind));
  return { parts: sorted, problems, whole: inside.whole, hash: hashOfParts(sorted) };
}

/** Over kind, path, name and content of the executable parts, in no order of theirs. */
function hashOfParts(parts: readonly Part[]): string {
  const lines = parts
    .filter(isExecutable)
    .map(({ kind, path, name, hash }) => JSON.stringify([kind, path, name, hash]));
  return hashOf(...lines.sort());
}

type Tell = (path: string, why: string) => void;

/** What lies beside hooks is run by them. */
function scripts(inside: Inside): Part[] {
  return OWNERS.flatMap((owner) => {
    const path = `${owner}/hooks`;
    const files = filesBelow(inside, path, () => undefined);
    if (files.length === 0) return [];
    return [{ kind: "hook", path, name: "scripts", runs: namesOf(files), hash: hashOfFiles(files) }];
  });
}

function skills(inside: Inside, path: RawPath, tell: Tell): Part[] {
  const seen = inside.look(path);
  if (seen?.kind === "unused") tell(showPath(path), seen.why);
  if (seen?.kind !== "folder") return [];
  return seen.names.flatMap((name): Part[] => {
    const at = `${path}/${name}`;
    const body = inside.look(`${at}/SKILL.md`);
    if (body?.kind === "unused") tell(showPath(at), body.why);
    if (body?.kind !== "file") return [];
    const files = filesBelow(inside, at, tell);
    const others = files.filter((file) => !file.path.endsWith(".md"));
    const runs = [...shellLines(body.text), ...namesOf(others)];
    return [{ kind: "skill", path: showPath(at), name: showPath(name), runs, hash: hashOfFiles(files) }];
  });
}

/** Markdown files of a folder and below it. */
function texts(inside: Inside, path: RawPath, kind: PartKind, tell: Tell): Part[] {
  return filesBelow(inside, path, tell)
    .filter((file) => file.path.endsWith(".md"))
    .map(({ path: file, hash, text }): Part => {
      const name = kind === "command" ? `/${showPath(file.slice(path.length + 1, -3)).replaceAll("/", ":")}` : "";
      return { kind, path: showPath(file), name, runs: kind === "rule" ? [] : shellLines(text), hash };
    });
}

function memory(inside: Inside, folder: string, up: string, tell: Tell): Part[] {
  return MEMORY_FILES.flatMap((file): Part[] => {
    const seen = inside.look(file);
    const path = up === "" ? file : `${up}/${file}`;
    if (seen?.kind === "unused") tell(path, seen.why);
    return seen?.kind === "file" ? [{ kind: "memory", path, name: "", runs: [], hash: seen.hash }] : [];
  });
}

/** Folders above, up to the top of the work tree; nearest first. */
function aboveOf(folder: string, workTree: string | undefined): string[] {
  if (workTree === undefined || !join(folder, "/").startsWith(join(workTree, "/"))) return [];
  const above: string[] = [];
  for (let at = folder; at !== workTree && at !== dirname(at);) above.push((at = dirname(at)));
  return above;
}

interface Below {
  path: RawPath;
  hash: string;
  text?: string;
  executable: boolean;
}

function filesBelow(inside: Inside, path: RawPath, tell: Tell, depth = 0): Below[] {
  const seen = inside.look(path);
  if (seen === undefined) return [];
  if (seen.kind === "file") return depth === 0 ? [] : [{ ...seen, path }];
  if (seen.kind === "unused" || depth >= MOST_DEPTH) {
    if (depth >= MOST_DEPTH) inside.whole = false;
    tell(showPath(path), seen.kind === "unused" ? seen.why : "too deep");
    return [];
  }
  return seen.names.flatMap((name) => filesBelow(inside, `${path}/${name}`, tell, depth + 1));
}

function hashOfFiles(files: readonly Below[]): string {
  return hashOf(...files.map(({ path, hash, executable }) => [path, hash, executable]));
}

function namesOf(files: readonly Below[]): string[] {
  const names = files.slice(0, SHOWN_FILES).map(({ path }) => `file ${showPath(path)}`);
  return files.length > SHOWN_FILES ? [...names, `and ${files.length - SHOWN_FILES} more files`] : names;
}

/** Commands that run when the text is used: `` !`command` ``. */
function shellLines(text = ""): string[] {
  return [...text.matchAll(SHELL_LINE)].map(([, command = ""]) => command);
}
