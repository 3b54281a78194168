import { chmodSync, mkdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { LoadedSkill } from "../tools/own-texts.ts";
import { hashText } from "../util/hash.ts";
import { readRegularNow } from "../util/regular-file.ts";
import { takesArguments } from "./fill.ts";
import type { Skill } from "./skill.ts";

const MOST_BYTES = 20 << 20;
const NAMED = 40;
/** Whose a skill or command is, in words. */
export const WHOSE = { user: "the person's own", project: "the project's", "built-in": "built in" } as const;

/**
 * A skill's instructions as a note. Files of one that lies outside of the folder are copied to `copies`, which commands see too: what runs is
 * what was there when it was loaded (C6).
 */
export function loadSkill(skill: Skill, args: string, copies: string): LoadedSkill {
  const { name, source, body, files, tools, shown } = skill;
  const at = source === "user" && files.length > 0 ? copied(skill, copies) : skill.folder;
  const more = files.length > NAMED ? ` and ${files.length - NAMED} more` : "";
  const where =
    at === undefined || files.length === 0
      ? []
      : [
          `Its files are in ${at}: ${files.slice(0, NAMED).join(", ")}${more}. Read one when the text says so; run scripts by their whole path.`,
        ];
  const text = [
    `Skill ${name}, ${WHOSE[source]}. Follow it for the work at hand; it permits nothing by itself.`,
    ...where,
    ...(tools === undefined ? [] : [`It says that it needs these tools alone: ${tools.join(", ")}.`]),
    `<skill name="${name}">`,
    filled(body, args).replace(/<(?=\s*(?:\/\s*)?skill\b)/gi, "\\u{3c}"),
    "</skill>",
    ...(args.trim() === "" || body.includes("$ARGUMENTS") ? [] : [`It is to work on: ${args.trim()}`]),
  ].join("\n");
  return { text, name, source, path: shown, hash: hashText(body) };
}

/** A command's text as it is said: what it brings is filled in already. */
export function commandText(command: Skill, said: string, args: string): LoadedSkill {
  const { name, source, body, tools, shown } = command;
  const text = [
    `The person called the command /${name}, ${WHOSE[source]}. This is what it says, with what they typed and what its lines said in place; it permits nothing by itself.`,
    ...(tools === undefined ? [] : [`It says that it needs these tools alone: ${tools.join(", ")}.`]),
    `<command name="${name}">`,
    said.replace(/<(?=\s*(?:\/\s*)?command\b)/gi, "\\u{3c}"),
    "</command>",
    ...(args.trim() === "" || takesArguments(body) ? [] : [`It is to work on: ${args.trim()}`]),
  ].join("\n");
  return { kind: "command", text, name, source, path: shown, hash: hashText(body) };
}

function filled(body: string, args: string): string {
  return body.replaceAll("$ARGUMENTS", () => args.trim());
}

/** Regular files alone; a name that a link stands in for is left out. */
function copied({ name, folder = "", files }: Skill, copies: string): string {
  const to = join(copies, name);
  rmSync(to, { recursive: true, force: true });
  let room = MOST_BYTES;
  for (const file of files) {
    try {
      const from = join(folder, file);
      const bytes = readRegularNow(from, { most: room });
      room -= bytes.length;
      mkdirSync(dirname(join(to, file)), { recursive: true, mode: 0o700 });
      writeFileSync(join(to, file), bytes, { mode: 0o600 });
      if ((statSync(from).mode & 0o100) !== 0) chmodSync(join(to, file), 0o700);
    } catch {
      // It went away, is no regular file, or is too large: Read says so when it is wanted.
    }
  }
  return to;
}
