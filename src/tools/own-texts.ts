import type { LogBodyOf } from "../events/event.ts";

/** Notes of the model's own, by title (C2). */
export interface OwnNotes {
  list(): readonly { title: string }[];
  /** Text is why it can't be kept. */
  save(title: string, body: string): { name: string; replaced: boolean } | string;
  remove(title: string): boolean;
}

/** A skill's instructions, or a command's, as they are told (C6). */
export type LoadedSkill = Omit<LogBodyOf<"skill.loaded">, "type" | "by" | "callId">;

export interface OwnSkills {
  names(): readonly string[];
  /** undefined: there is none of this name; text is why it can't be used. */
  load(name: string, args: string): LoadedSkill | string | undefined;
}
