import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Model } from "../model/model.ts";
import { Script, scriptedModel } from "../model/scripted.ts";
import type { Clock } from "../util/deps.ts";
import { chance } from "./chance.ts";
import { answeringModel, Recording } from "./recorded-answers.ts";
import type { Task } from "./suite.ts";
import { readYaml, SuiteError } from "./yaml-file.ts";

/** Which model a trial has: one of the session's own by its name, or replies that the suite brings. */
export type ModelChoice =
  | { kind: "session"; name?: string }
  | { kind: "replies"; name: "oracle" | "bungler" }
  /** What a model that could think answered once. */
  | { kind: "recorded" }
  /** Solves a task with this probability: as the oracle then, else as the bungler. */
  | { kind: "stochastic"; p?: number };

/** Says "Done." and does nothing. */
const IDLE = { turns: [{ text: "Done." }] };

/** Reads `oracle`, `bungler`, `recorded`, `stochastic` (each task's own `p`), `stochastic:p=0.7`; anything else is a model's name. */
export function modelChoice(name: string | undefined): ModelChoice {
  if (name === "oracle" || name === "bungler") return { kind: "replies", name };
  if (name === "recorded") return { kind: "recorded" };
  const [kind, rest] = (name ?? "").split(":");
  if (kind !== "stochastic") return { kind: "session", ...(name === undefined ? {} : { name }) };
  if (rest === undefined) return { kind };
  const p = /^p=(0(?:\.\d+)?|1(?:\.0+)?)$/.exec(rest)?.[1];
  if (p === undefined) throw new SuiteError([`--model ${name}: write it as stochastic:p=0.7, from 0 to 1`]);
  return { kind, p: Number(p) };
}

/**
 * The model of one trial where the suite brings it; undefined where the session opens its own. What a stochastic model draws depends on
 * seed, task and trial alone.
 * @throws SuiteError where the task has no replies for it.
 */
export async function modelOf(
  choice: ModelChoice,
  task: Task,
  trial: { n: number; seed: number },
  clock: Clock,
): Promise<Model | undefined> {
  if (choice.kind === "session") return undefined;
  if (choice.kind === "recorded") return answeringModel(readRecording(task), { id: "scripted:recorded", clock });
  const name = choice.kind === "replies" ? choice.name : drawn(choice.p ?? task.p, task, trial);
  return scriptedModel(await repliesOf(task, name), { id: `scripted:${name}`, clock });
}

/** Throws a SuiteError where a task lacks what such a model needs. */
export async function checkReplies(choice: ModelChoice, task: Task): Promise<void> {
  if (choice.kind === "session") return;
  if (choice.kind === "recorded") return void readRecording(task);
  if (choice.kind === "stochastic") drawn(choice.p ?? task.p, task, { n: 1, seed: 0 });
  for (const name of choice.kind === "replies" ? [choice.name] : (["oracle", "bungler"] as const))
    await repliesOf(task, name);
}

function drawn(p: number | undefined, task: Task, { n, seed }: { n: number; seed: number }): "oracle" | "bungler" {
  if (p === undefined) throw new SuiteError([`task ${task.id} has no p: give it one, or run --model stochastic:p=0.7`]);
  return chance("stochastic", seed, task.id, n) < p ? "oracle" : "bungler";
}

function readRecording(task: Task): Recording {
  const file = join(task.dir, "recorded.json");
  if (!existsSync(file)) throw new SuiteError([`task ${task.id} has no recorded answers: ${file} is missing`]);
  try {
    return Recording.parse(JSON.parse(readFileSync(file, "utf8")));
  } catch (error) {
    throw new SuiteError([
      `${file}: it is no recording: ${error instanceof Error ? (error.message.split("\n")[0] ?? "") : ""}`,
    ]);
  }
}

/** Of a task without a bungler's replies the bungler does nothing. */
async function repliesOf(task: Task, name: "oracle" | "bungler"): Promise<Script> {
  const file = join(task.dir, `${name}.yaml`);
  if (!existsSync(file)) {
    if (name === "bungler") return Script.parse(IDLE);
    if (task.replies !== undefined) return task.replies;
    throw new SuiteError([
      `task ${task.id} has no replies of an oracle: ${file} is missing; or name the commit that solves it as solution`,
    ]);
  }
  return readYaml(file, Script);
}
