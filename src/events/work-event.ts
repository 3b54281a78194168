import { z } from "zod";
import { body } from "./event-body.ts";

/** Work over several sessions (C8), and work that a second agent judges (C9). */
export const workBodies = [
  /**
   * This session is a part of long work. `init`: it makes the list; `feature`: it builds one feature of it. `list`: path in the folder. From here on
   * the program holds every change of that file to what is allowed.
   */
  body("work.begun", {
    stage: z.enum(["init", "feature"]),
    list: z.string(),
    feature: z.object({ id: z.string(), check: z.string() }).optional(),
  }),
  /** A second agent of this kind judges each message's work. `rounds`: so often its no goes back to the model. */
  body("judge.named", { agent: z.string(), rounds: z.number() }),
  /**
   * What it said. `contract`: on what is to be done and how that is checked, before anything lands; `work`: on what came of it. `text`: its words;
   * `of`: of a contract that is agreed, the contract.
   */
  body("verdict.given", {
    about: z.enum(["contract", "work"]),
    ok: z.boolean(),
    text: z.string(),
    round: z.number(),
    of: z.string().optional(),
  }),
] as const;
