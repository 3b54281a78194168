import { realpathSync } from "node:fs";
import { join } from "node:path";
import type { LogEvent } from "../events/event.ts";
import { collectMemory, type Memory } from "../memory/collect.ts";
import { notesFolder, type NotesFolder } from "../memory/notes-folder.ts";
import { recalled } from "../memory/recall.ts";
import { memoryNews, toldNow } from "../memory/tell.ts";
import { otherFolders } from "./other-folders.ts";
import { skillsAgain } from "./skills-again.ts";
import { skillNews } from "../skills/list.ts";
import { loadSkill } from "../skills/load.ts";
import { readSkills } from "../skills/read.ts";
import type { Skill, Skills } from "../skills/skill.ts";
import type { LoadedSkill, OwnSkills } from "../tools/own-texts.ts";
import { visible } from "../util/visible.ts";
import { toRaw } from "../util/bytes.ts";
import { isBelow, pathIn, rootOf } from "../workspace/roots.ts";
import { listedFolder } from "../workspace/regenerable.ts";
import type { LiveParts } from "./live-parts.ts";
import { memoryFolder } from "./store.ts";

/** What a session reads beside the conversation: files of instructions, the model's own notes, skills (C2, C6). */
export interface LiveTexts {
  /** Facts about files of instructions that are new or other, before each turn. */
  news(): Promise<LogEvent[]>;
  /** The same ahead of a message, with skills, the one that `/name words` names, and the notes that fit its words: once, outside of the loop. */
  before(said: { words: string; typed: string }, ready: Ready): Promise<LogEvent[]>;
  /** The notes alone, for what is said while a message runs. */
  recall(words: string): Promise<LogEvent[]>;
  memory(): Memory;
  skills(): Promise<Skills>;
  /** None where they are switched off. */
  notes?: NotesFolder;
  forTools: OwnSkills;
  /** Folders outside of the roots that the model may read unasked. */
  readable(): readonly string[];
}

/** A skill or command that a message names. */
const CALLED = /^\/([A-Za-z0-9][\w:-]*)(?:\s+([^]*))?$/;

/** Makes a command ready to be said; see `command-text.ts`. */
type Ready = (command: Skill, args: string) => Promise<{ loaded: LoadedSkill; problems: readonly string[] }>;

/** Named by parts that come to be after it. `workTree`: of the repository that holds the folder. `hidden`: by a Read deny. */
export function liveTexts(
  parts: () => LiveParts,
  { workTree, hidden }: { workTree: string | undefined; hidden: () => (path: string) => boolean },
): LiveTexts {
  const { log, options } = parts();
  const config = real(options.store.config);
  const home = real(options.machine.home);
  const { folder } = log.state;
  const before = new Map<string, string>();
  const said = new Set<string>();
  let known: Skills = { skills: [], problems: [] };
  const notes =
    options.config.autoMemory === false
      ? undefined
      : notesFolder(memoryFolder(options.store, workTree ?? folder), options.makeId);
  const fresh = (problems: readonly string[]): { problems: string[] } | undefined => {
    const unsaid = problems.filter((problem) => !said.has(problem));
    for (const problem of unsaid) said.add(problem);
    return unsaid.length === 0 ? undefined : { problems: unsaid };
  };

  const memory = (): Memory => {
    const others = otherFolders({ config, home, top: workTree ?? folder, roots: log.state.roots });
    const found = collectMemory({
      folder,
      config,
      home,
      others: others.folders,
      trusted: log.state.trusted,
      hidden: hidden(),
      touched: [...log.state.touched.keys()],
      foreign: (path) => isForeign(parts(), path),
      ...(workTree === undefined ? {} : { workTree }),
    });
    return { ...found, problems: [...found.problems, ...others.problems.map((words) => visible(words, ""))] };
  };

  const memoryFacts = async (): Promise<LogEvent[]> => {
    const { files, problems } = memory();
    const news = memoryNews(log.state, files, { trusted: log.state.trusted, before, home });
    for (const { shown, text } of files) before.set(shown, text);
    const told = fresh(problems);
    if (news === undefined && told === undefined) return [];
    return [await log.append({ type: "memory.read", text: "", files: [], ...news, ...told })];
  };

  const skills = async (): Promise<Skills> => {
    const trusted = await skillsInForce(parts());
    known = readSkills({ folder, config, home, trusted, hidden: hidden() });
    return known;
  };

  const skillFacts = async (): Promise<LogEvent[]> => {
    const found = await skills();
    const news = skillNews(log.state, found.skills);
    const told = fresh(found.problems);
    if (news === undefined && told === undefined) return [];
    return [await log.append({ type: "skills.listed", text: "", skills: [], ...news, ...told })];
  };

  const recall = async (words: string): Promise<LogEvent[]> => {
    const found = notes === undefined ? undefined : recalled(log.state, notes.list(), words, notes.folder);
    return found === undefined ? [] : [await log.append({ type: "memory.recalled", ...found })];
  };

  const copies = join(options.store.results, log.state.id, "skills");
  const find = (name: string, may: (skill: Skill) => boolean): Skill | string | undefined => {
    const skill = known.skills.find((one) => one.name === name);
    if (skill === undefined) return undefined;
    if (!may(skill)) return `${name} is not for you to call: its author says so in its head.`;
    if (skill.source === "project" && !log.state.trusted)
      return `${name} is the project's, which is no longer trusted.`;
    return skill;
  };
  const load = (name: string, args: string, may: (skill: Skill) => boolean) => {
    const skill = find(name, may);
    return typeof skill === "object" ? loadSkill(skill, args, copies) : skill;
  };
  const byPerson = async (words: string, ready: Ready): Promise<LogEvent[]> => {
    const [, name = "", args = ""] = CALLED.exec(words.trim()) ?? [];
    const skill = find(name, (one) => one.byPerson);
    if (typeof skill !== "object") return [];
    const { loaded, problems } =
      skill.kind === "command" ? await ready(skill, args) : { loaded: loadSkill(skill, args, copies), problems: [] };
    const facts = [await log.append({ type: "skill.loaded", by: "person", ...loaded })];
    if (problems.length === 0) return facts;
    return [...facts, await log.append({ type: "skills.listed", text: "", skills: [], problems: [...problems] })];
  };

  return {
    news: async () => [
      ...(await memoryFacts()),
      ...(toldNow(log.state, "skills").size === 0 ? await skillFacts() : []),
      ...(await skillsAgain(log)),
    ],
    before: async ({ words, typed }, ready) => [
      ...(await memoryFacts()),
      ...(await skillFacts()),
      ...(await byPerson(typed, ready)),
      ...(await recall(words)),
    ],
    recall,
    memory,
    skills,
    ...(notes === undefined ? {} : { notes }),
    forTools: {
      names: () => known.skills.filter(({ byModel }) => byModel).map(({ name }) => name),
      load: (name, args) => load(name, args, (skill) => skill.byModel),
    },
    readable: () => [
      ...(notes === undefined ? [] : [notes.folder]),
      ...known.skills.flatMap((skill) => (skill.folder === undefined ? [] : [skill.folder])),
    ],
  };
}

/** Whether git ignores a folder, or tools make it anew: its files are not the project's own words. */
function isForeign({ workspace, ignored }: LiveParts, path: string): boolean {
  const at = rootOf(workspace.roots, path);
  const root = workspace.roots[at];
  if (root === undefined) return true;
  const below = toRaw(pathIn(root.path, path));
  if (listedFolder(below, true) !== undefined) return true;
  // Without git everything counts as ignored.
  return ignored(at, toRaw("")) ? false : ignored(at, `${below}/`);
}

/** The project's skills and commands that the person said yes to, as they are now; an agent's are those of the session above, never more. */
export async function skillsInForce({ log, options, trust }: LiveParts): Promise<(path: string) => boolean> {
  if (!log.state.trusted) return () => false;
  if (options.agent !== undefined) return options.agent.skills();
  const now = await options.trust?.look();
  // Whoever opened the session trusts the folder, whatever it brings.
  if (now === undefined) return () => true;
  const yes = now.state === "trusted" ? now : trust?.state === "trusted" ? trust : undefined;
  const hashes = new Map((yes?.survey.parts ?? []).map(({ kind, path, hash }) => [`${kind} ${path}`, hash]));
  const here = new Map(now.survey.parts.map(({ kind, path, hash }) => [`${kind} ${path}`, hash]));
  return (path) => {
    const key = here.has(`command ${path}`) ? `command ${path}` : `skill ${path}`;
    const hash = here.get(key);
    return hash !== undefined && hash === hashes.get(key);
  };
}

function real(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

/** Whether a path lies in a folder that tools may read unasked. */
export function isOwnText(texts: LiveTexts | undefined, path: string): boolean {
  return texts?.readable().some((folder) => isBelow(folder, path)) ?? false;
}
