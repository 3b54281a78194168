import { frontmatter } from "../util/frontmatter.ts";
import { visible } from "../util/visible.ts";
import type { Skill } from "./skill.ts";

const NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;
const MOST_NAME = 64;
const MOST_DESCRIPTION = 1024;
export const MOST_BODY = 60_000;
const KNOWN = new Set([
  ..."name description license compatibility metadata allowed-tools version".split(" "),
  ..."disable-model-invocation user-invocable argument-hint model when_to_use author tags".split(" "),
]);

type Parsed = Pick<Skill, "name" | "description" | "body" | "tools" | "hint" | "byModel" | "byPerson">;

/**
 * A SKILL.md by its text (C6). `problems`: `line: words`; without a skill they say why there is none. Pure.
 * @param folder name of its folder, which its own must be.
 */
export function parseSkill(text: string, folder: string): { skill?: Parsed; problems: string[] } {
  const { data, body, problem, lineOf } = frontmatter(plainHint(text));
  const problems: string[] = [];
  const tell = (line: number, words: string) => void problems.push(`${line}: ${visible(words, "")}`);
  if (problem !== undefined) {
    tell(problem.line, problem.healed ? `${problem.words}; read as one text: put it in quotes` : problem.words);
    if (!problem.healed) return { problems };
  }
  const { name, description } = data;
  const before = problems.length;
  if (typeof name !== "string") tell(lineOf("name"), "name is missing in its head");
  else if (!NAME.test(name) || name.length > MOST_NAME)
    tell(
      lineOf("name"),
      `name ${JSON.stringify(name.slice(0, 80))}: small letters, digits and single - between them, at most ${MOST_NAME}`,
    );
  else if (name !== folder) tell(lineOf("name"), `name ${name} is not its folder's, ${JSON.stringify(folder)}`);
  if (typeof description !== "string" || description.trim() === "")
    tell(lineOf("description"), "description is missing in its head: say what it does and when to use it");
  else if (description.length > MOST_DESCRIPTION)
    tell(lineOf("description"), `description has ${description.length} characters; the most is ${MOST_DESCRIPTION}`);
  if (body.trim() === "") tell(1, "there is nothing behind its head");
  if (body.length > MOST_BODY)
    tell(1, `its text has ${body.length} characters; the most is ${MOST_BODY}: move parts into files beside it`);
  if (problems.length > before || typeof name !== "string" || typeof description !== "string") return { problems };
  for (const key of Object.keys(data))
    if (!KNOWN.has(key)) tell(lineOf(key), `${key} is not known, and changes nothing`);
  const tools = toolsOf(data["allowed-tools"]);
  const hint = data["argument-hint"];
  const skill: Parsed = {
    name,
    description: visible(description.trim().replaceAll(/\s+/g, " "), ""),
    body: visible(body.trim(), "\n\t\u{FE0F}"),
    ...(tools === undefined ? {} : { tools }),
    ...(typeof hint === "string" && hint.trim() !== "" ? { hint: hintOf(hint) } : {}),
    byModel: data["disable-model-invocation"] !== true,
    byPerson: data["user-invocable"] !== false,
  };
  return { skill, problems };
}

/** What is typed behind a name, as it is shown. */
export function hintOf(text: string): string {
  return visible(text.trim().replaceAll(/\s+/g, " "), "").slice(0, 100);
}

/** `argument-hint: [a] [b]` is meant as a text; for YAML it is a list, or none at all. */
export function plainHint(text: string): string {
  return text.replace(
    /^(argument-hint:[ \t]+)(\[.*?)[ \t]*\r?$/m,
    (_row, key: string, value: string) => key + JSON.stringify(value),
  );
}

export function toolsOf(value: unknown): string[] | undefined {
  const names = typeof value === "string" ? value.split(/[\s,]+(?![^(]*\))/) : value;
  if (!Array.isArray(names)) return undefined;
  return names.flatMap((name) => (typeof name === "string" && name !== "" ? [visible(name, "").slice(0, 100)] : []));
}
