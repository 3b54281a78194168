import type { SkillSource } from "../events/memory-event.ts";

/** A skill as it was read; what is loaded of it later is this text. */
export interface Skill {
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
