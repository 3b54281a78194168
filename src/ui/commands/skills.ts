import type { Session } from "../../session/session.ts";
import type { Skill } from "../../skills/skill.ts";
import { visible } from "../../util/visible.ts";
import type { Style } from "../theme.ts";
import type { Command } from "./command.ts";
import { tell } from "./tell.ts";

const WHOSE = { user: "yours", project: "this project's", "built-in": "built in" } as const;

/** `/skills`: what there is, where it comes from, and what is wrong with what is not used (C6). */
export const skillsCommand: Command = {
  name: "skills",
  text: "Skills and commands of files, where they come from, and what is wrong with others",
  always: true,
  run: async (_args, context) => {
    for (const { text, style } of await skillRows(context.session, context.builtIn ?? (() => false)))
      tell(context, text, style);
  },
};

/** The rows of the list. */
export async function skillRows(
  session: Session,
  builtIn: (name: string) => boolean,
): Promise<{ text: string; style: Style }[]> {
  const found = await session.beside.texts?.skills();
  const loaded = new Set(
    session
      .state()
      .items.flatMap((item) => (item.kind === "note" && item.told?.kind === "skill" ? item.told.parts : []))
      .map(({ id }) => id),
  );
  const rows = (found?.skills ?? []).map((skill) => ({
    text: rowOf(skill, loaded.has(skill.name)),
    style: "dim" as const,
  }));
  const clashes = (found?.skills ?? []).filter(({ name, byPerson }) => byPerson && builtIn(name));
  const unused = session.trust.unused().filter((text) => /skill|command/.test(text));
  return [
    ...rows,
    ...(found?.problems ?? []).map((problem) => ({ text: visible(problem, ""), style: "warning" as const })),
    ...clashes.map(({ name, shown, byModel }) => ({
      text: `${shown}: /${name} is a command of the program's, and goes before it; ${byModel ? "the model alone can load it" : "not used"}`,
      style: "warning" as const,
    })),
    ...unused.map((text) => ({
      text: `${text} of this folder not used: it is not trusted (/trust)`,
      style: "warning" as const,
    })),
    {
      text: "/name words runs one. Yours lie in skills/ and commands/ beside your settings or in ~/.claude, the project's in .agent.",
      style: "dim" as const,
    },
  ];
}

function rowOf(skill: Skill, loaded: boolean): string {
  const { kind, name, description, source, shown, tools, hint, model, byModel, byPerson } = skill;
  const how = [
    ...(kind === "command" ? ["command"] : []),
    WHOSE[source],
    ...(source === "built-in" ? [] : [shown]),
    ...(loaded ? ["loaded"] : []),
    ...(byModel || kind === "command" ? [] : ["only by you"]),
    ...(byPerson ? [] : ["only by the model"]),
    ...(tools === undefined ? [] : [`says it needs ${tools.join(", ")}, which changes no rule`]),
    ...(model === undefined ? [] : [`asks for the model ${model}, which is not switched`]),
  ];
  const text = description.length > 200 ? `${description.slice(0, 200)}…` : description;
  return `/${name}${hint === undefined ? "" : ` ${hint}`}  ${text}  (${how.join("; ")})`;
}

/** Whether `/name` is a skill that the person may run: then it is sent as a message, ahead of which the skill is loaded. */
export async function isSkill(session: Session, name: string): Promise<boolean> {
  const found = await session.beside.texts?.skills();
  return found?.skills.some((skill) => skill.name === name && skill.byPerson) ?? false;
}
