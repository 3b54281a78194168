import type { SkillSource } from "../events/memory-event.ts";

/** A skill as it was read, or a command, which the person alone calls; what is loaded of it later is this text. */
export interface Skill {
  /** A command: its text is filled in and said, its lines run; else a skill. */
  kind?: "command";
  name: string;
  description: string;
  source: SkillSource;
  /** Its folder, absolute, links followed; a built-in one has none. */
  folder?: string;
  /** The file, as it is named to people. */
  shown: string;
  body: string;
  /** Other files of it, relative to the folder. */
  files: readonly string[];
  /** Tools that it says it uses. Told, and gives nothing: rights come from the person alone. */
  tools?: readonly string[];
  /** What may be typed behind its name. */
  hint?: string;
  /** A model that it asks for. Told, and changes nothing. */
  model?: string;
  /** The model may load it by itself; the person may name it. */
  byModel: boolean;
  byPerson: boolean;
}

export interface Skills {
  /** By name. */
  skills: readonly Skill[];
  /** For the person: `file:line: words` of what is there and is not used, or not as it stands. */
  problems: readonly string[];
}
