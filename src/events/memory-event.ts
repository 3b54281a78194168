import { z } from "zod";
import { body } from "./event-body.ts";

/**
 * Whose instructions a file holds. `user`: the person's, for all projects. `parent`: of a folder above, up to the work tree's top. `added`: of a folder that
 * works along. `project`, `local`: of the folder, the second the person's alone. `subfolder`: of a folder in which a file was touched. `rule`: of a folder of rules.
 */
export const MemoryScope = z.enum(["user", "parent", "project", "added", "local", "subfolder", "rule"]);
export type MemoryScope = z.infer<typeof MemoryScope>;

export const SkillSource = z.enum(["user", "project", "built-in"]);
export type SkillSource = z.infer<typeof SkillSource>;

const hash = z.string();
const chars = z.number();

/** What the model is told of files beside the conversation (C2, C6). `text` is what is sent, as a note; hashes are SHA-256, hex. */
export const memoryBodies = [
  /** `of`: so long it is as a whole, where it was cut. `by`: the file that imports it. `problems`: for the person. */
  body("memory.read", {
    text: z.string(),
    files: z.array(
      z.object({
        path: z.string(),
        scope: MemoryScope,
        hash,
        chars,
        how: z.enum(["new", "changed", "gone"]),
        of: z.number().optional(),
        by: z.string().optional(),
      }),
    ),
    problems: z.array(z.string()).optional(),
  }),
  /** The model's own notes that fit the message which follows; `left`: so many others were not told. */
  body("memory.recalled", {
    text: z.string(),
    notes: z.array(z.object({ name: z.string(), title: z.string(), hash, chars })),
    left: z.number(),
  }),
  /** Names and descriptions of skills that are new or other than was told. */
  body("skills.listed", {
    text: z.string(),
    skills: z.array(z.object({ name: z.string(), source: SkillSource, path: z.string(), hash })),
    problems: z.array(z.string()).optional(),
  }),
  /** A skill's body, or a command's text as it was filled in. `hash`: of the body. `ran`: lines of a command that ran in the copy, each to nothing. */
  body("skill.loaded", {
    text: z.string(),
    name: z.string(),
    source: SkillSource,
    path: z.string(),
    hash,
    by: z.enum(["model", "person"]),
    callId: z.string().optional(),
    kind: z.literal("command").optional(),
    ran: z.array(z.object({ command: z.string(), exit: z.number().nullable() })).optional(),
  }),
] as const;
