import type { LogBodyOf } from "../events/event.ts";
import type { SessionState } from "../events/state.ts";
import { hashText } from "../util/hash.ts";
import type { Skill } from "./skill.ts";

/** Of the whole list: about 2,000 tokens. */
const MOST_CHARS = 7000;
/** Descriptions are cut to these lengths in turn until the list fits; 0: names alone. */
const LENGTHS = [1024, 300, 120, 0] as const;

const HEAD =
  "Skills: how certain kinds of work are done here. When one fits what is asked, load it with Skill before you begin.";

/** What the model has to be told of skills (C6): all at first, then what is new, other or gone. undefined: it knows. */
export function skillNews(
  state: SessionState,
  skills: readonly Skill[],
): Pick<LogBodyOf<"skills.listed">, "text" | "skills"> | undefined {
  const parts = state.items
    .slice(state.firstItem)
    .flatMap((item) => (item.kind === "note" && item.told?.kind === "skills" ? item.told.parts : []));
  const told = new Map(parts.map(({ id, hash }) => [id, hash]));
  // What is built in stands in the description of Skill.
  const open = skills.filter(({ byModel, source }) => byModel && source !== "built-in");
  const fresh = open.filter((skill) => told.get(skill.name) !== hashOf(skill));
  const gone = [...told].filter(([name, hash]) => hash !== "" && !open.some((skill) => skill.name === name));
  if (fresh.length + gone.length === 0) return undefined;
  const text = [
    ...(told.size === 0 ? [HEAD] : []),
    ...fitted(fresh),
    ...gone.map(([name]) => `- ${name}: no longer there`),
  ].join("\n");
  return {
    text,
    skills: [
      ...fresh.map((skill) => ({ name: skill.name, source: skill.source, path: skill.shown, hash: hashOf(skill) })),
      ...gone.map(([name]) => ({ name, source: "project" as const, path: "", hash: "" })),
    ],
  };
}

function hashOf({ name, description }: Skill): string {
  return hashText(`${name}\n${description}`);
}

function fitted(skills: readonly Skill[]): string[] {
  for (const length of LENGTHS) {
    const rows = skills.map(({ name, description }) => row(name, description, length));
    if (length === 0 || rows.join("\n").length <= MOST_CHARS) return rows;
  }
  return [];
}

function row(name: string, description: string, length: number): string {
  if (length === 0) return `- ${name}`;
  return `- ${name}: ${description.length <= length ? description : `${description.slice(0, length)}…`}`;
}
