import { join } from "node:path";
import type { SkillSource } from "../events/memory-event.ts";
import { showPath, toRaw } from "../util/bytes.ts";
import { frontmatter } from "../util/frontmatter.ts";
import { visible } from "../util/visible.ts";
import { Inside } from "../workspace/inside.ts";
import { isBelow, pathIn } from "../workspace/roots.ts";
import { COMMAND_FOLDERS } from "./names.ts";
import { hintOf, MOST_BODY, plainHint, toolsOf } from "./parse.ts";
import type { SkillPlace } from "./read.ts";
import type { Skill } from "./skill.ts";

/** Folders become `:`, as `git/commit.md` is `/git:commit`. */
const NAME = /^[A-Za-z0-9][\w-]*(?::[A-Za-z0-9][\w-]*)*$/;
const MOST_NAME = 100;
const MOST_DESCRIPTION = 1024;
const MOST_DEPTH = 6;
const MOST_COMMANDS = 300;
const KNOWN = new Set("description argument-hint allowed-tools model name disable-model-invocation".split(" "));

/** A command by its file's text (U6). `problems`: `line: words`; without a command they say why there is none. Pure. */
export function parseCommand(
  text: string,
):
  | { command: Pick<Skill, "description" | "body" | "tools" | "hint" | "model">; problems: string[] }
  | { problems: string[] } {
  const { data, body, problem, lineOf } = frontmatter(plainHint(text));
  const problems: string[] = [];
  const tell = (line: number, words: string) => void problems.push(`${line}: ${visible(words, "")}`);
  if (problem !== undefined)
    tell(problem.line, problem.healed ? `${problem.words}; read as one text: put it in quotes` : problem.words);
  if (problem?.healed === false) return { problems };
  const trimmed = body.trim();
  if (trimmed === "") tell(1, "there is nothing behind its head");
  if (body.length > MOST_BODY) tell(1, `its text has ${body.length} characters; the most is ${MOST_BODY}`);
  if (trimmed === "" || body.length > MOST_BODY) return { problems };
  for (const key of Object.keys(data))
    if (!KNOWN.has(key)) tell(lineOf(key), `${key} is not known, and changes nothing`);
  const first = trimmed.split("\n").find((row) => row.trim() !== "") ?? "";
  const said = wordOf(data["description"]) ?? first.replace(/^#+\s*/, "").slice(0, 120);
  const tools = toolsOf(data["allowed-tools"]);
  const hint = wordOf(data["argument-hint"]);
  const model = wordOf(data["model"]);
  const command = {
    description: visible(said.trim().replaceAll(/\s+/g, " "), "").slice(0, MOST_DESCRIPTION),
    body: visible(trimmed, "\n\t\u{FE0F}"),
    ...(tools === undefined ? {} : { tools }),
    ...(hint === undefined ? {} : { hint: hintOf(hint) }),
    ...(model === undefined ? {} : { model: visible(model, "").slice(0, 100) }),
  };
  return { command, problems };
}

function wordOf(value: unknown): string | undefined {
  const text = typeof value === "number" ? String(value) : value;
  return typeof text === "string" && text.trim() !== "" ? text.trim() : undefined;
}

/**
 * Commands of the person's own, or those of the folder that they said yes to: Markdown files, folders as name spaces. One that can't be used is
 * told with file and line and stops no other.
 */
export function readCommands(source: Exclude<SkillSource, "built-in">, place: SkillPlace, problems: string[]): Skill[] {
  const { folder, config, home, trusted } = place;
  const found =
    source === "user"
      ? [join(config, "commands"), join(home, ".claude/commands")]
          // A home that is the folder itself brings them as the folder does.
          .filter((at) => !isBelow(folder, at))
          .flatMap((at) => filesIn(new Inside("/"), toRaw(pathIn("/", at))).map((file) => ({ at, file: `/${file}` })))
      : COMMAND_FOLDERS.flatMap((path) =>
          filesIn(new Inside(folder), path)
            .filter((file) => trusted(file))
            .map((file) => ({ at: join(folder, path), file: join(folder, file) })),
        );
  if (found.length > MOST_COMMANDS) problems.push(`commands: ${found.length} of them; only ${MOST_COMMANDS} are used`);
  return found.slice(0, MOST_COMMANDS).flatMap(({ at, file }) => commandAt(at, file, source, place, problems));
}

function commandAt(
  at: string,
  file: string,
  source: SkillSource,
  { folder, home, hidden }: SkillPlace,
  problems: string[],
): Skill[] {
  if (hidden(file)) return [];
  const path = isBelow(folder, file) ? pathIn(folder, file) : isBelow(home, file) ? `~/${pathIn(home, file)}` : file;
  const shown = visible(path, "");
  const no = (words: string): Skill[] => {
    problems.push(`${shown}: ${words}; not used`);
    return [];
  };
  const name = pathIn(at, file).slice(0, -3).replaceAll("/", ":");
  if (!NAME.test(name) || name.length > MOST_NAME)
    return no(`its name can't be typed: letters, digits, - and _ alone, at most ${MOST_NAME} in all`);
  const inside = source === "project" ? new Inside(folder) : new Inside("/");
  const seen = inside.look(toRaw(source === "project" ? pathIn(folder, file) : pathIn("/", file)));
  if (seen === undefined) return [];
  if (seen.kind !== "file" || seen.text === undefined)
    return no(seen.kind === "unused" ? seen.why : "no UTF-8 text of at most 1 MiB");
  const parsed = parseCommand(seen.text);
  const rest = "command" in parsed ? "" : "; not used";
  problems.push(...parsed.problems.map((problem) => `${shown}:${problem}${rest}`));
  if (!("command" in parsed)) return [];
  return [{ ...parsed.command, kind: "command", name, source, shown, files: [], byModel: false, byPerson: true }];
}

/** Markdown files below a folder, as `Inside` names them. */
function filesIn(inside: Inside, path: string, depth = 0): string[] {
  const seen = inside.look(path);
  if (seen?.kind === "file") return depth > 0 && path.endsWith(".md") ? [showPath(path)] : [];
  if (seen?.kind !== "folder" || depth > MOST_DEPTH) return [];
  return seen.names.flatMap((name) => filesIn(inside, `${path}/${name}`, depth + 1));
}
