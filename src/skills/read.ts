import { realpathSync } from "node:fs";
import { join } from "node:path";
import type { SkillSource } from "../events/memory-event.ts";
import { showPath, toRaw } from "../util/bytes.ts";
import { visible } from "../util/visible.ts";
import { Inside } from "../workspace/inside.ts";
import { isBelow, pathIn } from "../workspace/roots.ts";
import { readCommands } from "./commands.ts";
import { SKILL_CREATOR } from "./creator.ts";
import { SKILL_FOLDERS } from "./names.ts";
import { parseSkill } from "./parse.ts";
import type { Skill, Skills } from "./skill.ts";

export interface SkillPlace {
  /** Real paths. */
  folder: string;
  config: string;
  home: string;
  /** Whether the person said yes to the project's skill or command at this path, relative to the folder, as it is now. */
  trusted: (path: string) => boolean;
  /** A Read deny covers this absolute path. */
  hidden: (path: string) => boolean;
}

const MOST_SKILLS = 200;
const MOST_FILES = 200;
const MOST_DEPTH = 4;

/**
 * Every skill and command that may be used (C6, U6): the person's own go before the project's of the same name, those before the built-in ones; a
 * skill goes before a command of the same place. One that can't be used is told with file and line and stops no other.
 */
export function readSkills(place: SkillPlace): Skills {
  const { folder, config, home } = place;
  const problems: string[] = [];
  const found = new Map<string, Skill>();
  const take = (skill: Skill | undefined): void => {
    if (skill === undefined) return;
    const first = found.get(skill.name);
    if (first === undefined) found.set(skill.name, skill);
    else if (skill.source !== "built-in")
      problems.push(`${skill.shown}: ${first.shown} has this name already; not used`);
  };
  const personal = [join(config, "skills"), join(home, ".claude/skills"), join(home, ".agents/skills")];
  for (const at of personal)
    // A home that is the folder itself brings them as the folder does.
    if (!isBelow(folder, at)) for (const name of namesIn(at, "/")) take(skillAt(at, name, "user", place, problems));
  readCommands("user", place, problems).forEach(take);
  for (const path of SKILL_FOLDERS)
    for (const name of namesIn(join(folder, path), folder))
      if (place.trusted(`${path}/${name}`)) take(skillAt(join(folder, path), name, "project", place, problems));
  readCommands("project", place, problems).forEach(take);
  take(SKILL_CREATOR);
  const all = [...found.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const skills = all.filter(({ kind }) => kind !== "command").slice(0, MOST_SKILLS);
  return {
    skills: all.filter((one) => one.kind === "command" || skills.includes(one)),
    problems: [...new Set(problems)],
  };
}

function namesIn(path: string, within: string): string[] {
  const seen = new Inside(within).look(toRaw(pathIn(within, path)));
  return seen?.kind === "folder" ? seen.names.map(showPath) : [];
}

function skillAt(
  parent: string,
  name: string,
  source: SkillSource,
  { folder, home, hidden }: SkillPlace,
  problems: string[],
): Skill | undefined {
  const file = join(parent, name, "SKILL.md");
  const shown = isBelow(folder, file) ? pathIn(folder, file) : isBelow(home, file) ? `~/${pathIn(home, file)}` : file;
  const real = realOf(join(parent, name));
  if (real === undefined || hidden(file) || (source === "project" && !isBelow(folder, real))) return undefined;
  const inside = new Inside(real);
  const seen = inside.look("SKILL.md");
  if (seen === undefined) return undefined;
  const at = visible(shown, "");
  if (seen.kind !== "file" || seen.text === undefined) {
    problems.push(`${at}: ${seen.kind === "unused" ? seen.why : "no UTF-8 text of at most 1 MiB"}; not used`);
    return undefined;
  }
  const parsed = parseSkill(seen.text, name);
  const rest = parsed.skill === undefined ? "; not used" : "";
  problems.push(...parsed.problems.map((problem) => `${at}:${problem}${rest}`));
  if (parsed.skill === undefined) return undefined;
  const files = filesIn(inside, "").filter((path) => path !== "SKILL.md" && !hidden(join(real, path)));
  return { ...parsed.skill, source, folder: real, shown: at, files: files.slice(0, MOST_FILES) };
}

function filesIn(inside: Inside, path: string, depth = 0): string[] {
  const seen = inside.look(toRaw(path));
  if (seen?.kind === "file") return [path];
  if (seen?.kind !== "folder" || depth > MOST_DEPTH) return [];
  return seen.names.flatMap((raw) =>
    filesIn(inside, path === "" ? showPath(raw) : `${path}/${showPath(raw)}`, depth + 1),
  );
}

function realOf(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}
