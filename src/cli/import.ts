import { realpathSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { createInterface } from "node:readline/promises";
import { loadKey } from "../events/key.ts";
import type { Found } from "../session/import/found.ts";
import { lookAround } from "../session/import/look.ts";
import { AGENT_NAMES } from "../session/import/names.ts";
import { take, takenLines, type Taken, thereAlready } from "../session/import/take.ts";
import { homeOf, programDirs, type Env } from "../session/environment.ts";
import { personSettingsFile, userSettingsFile } from "../session/rules-files.ts";
import type { SaveDeps } from "../session/rules-write.ts";
import { openStore } from "../session/store.ts";
import { keysOf } from "../util/secrets/environment.ts";
import { makeSecrets } from "../util/secrets/secrets.ts";
import { randomId, systemClock } from "../util/system.ts";
import { visible } from "../util/visible.ts";
import type { ImportOptions } from "./args-import.ts";
import { tell, tellJson } from "./diff-text.ts";

/** `agent import`. Gives the exit code. */
export async function importVerb({ agents, dryRun, json }: ImportOptions): Promise<number> {
  const { env } = process;
  const dirs = programDirs(env);
  const store = openStore(dirs);
  const deps: SaveDeps = {
    configDir: dirs.config,
    folder: realpathSync(process.cwd()),
    home: homeOf(env),
    clock: systemClock,
    makeId: randomId,
  };
  const secrets = makeSecrets({ key: loadKey(store.key), values: keysOf(env) });
  const place = {
    ...deps,
    xdgConfig: folderIn(env, "XDG_CONFIG_HOME", ".config"),
    codexHome: folderIn(env, "CODEX_HOME", ".codex"),
  };
  const all = lookAround(agents.length === 0 ? AGENT_NAMES : agents, place, secrets);
  const fresh: Taken[] = [];
  const groups = all.map(({ agent, found }) => ({ agent, found: found.map((one) => again(one, fresh, deps)) }));
  if (json) {
    for (const { agent, found } of groups) for (const one of found) tellJson({ agent, ...one });
    return 0;
  }
  for (const { agent, found } of groups) show(agent, found, deps);
  return await write(fresh, dryRun || !process.stdin.isTTY || !process.stdout.isTTY, deps);
}

function folderIn(env: Env, name: string, instead: string): string {
  const value = env[name];
  return value !== undefined && isAbsolute(value) ? value : join(homeOf(env), instead);
}

/** What is there already need not be written. */
function again(one: Found, fresh: Taken[], deps: SaveDeps): Found {
  if (one.kind !== "server" && one.kind !== "rule") return one;
  const why = thereAlready(one, fresh, deps);
  if (why !== undefined) return { kind: "not", from: one.from, why };
  fresh.push(one);
  return one;
}

const HEADS = [
  ["used", "used where it lies"],
  ["take", "can be written into your settings"],
  ["not", "not taken"],
] as const;

function show(agent: string, found: readonly Found[], deps: SaveDeps): void {
  tell(`${agent}${found.length === 0 ? ": nothing" : ""}`);
  for (const [kind, head] of HEADS) {
    const of = found.filter((one) =>
      kind === "take" ? one.kind === "server" || one.kind === "rule" : one.kind === kind,
    );
    if (of.length > 0) tell(`  ${head}:`);
    for (const one of of) for (const line of linesOf(one, deps)) tell(`    ${line}`);
  }
}

function linesOf(one: Found, { configDir, folder }: SaveDeps): string[] {
  switch (one.kind) {
    case "used":
      return [`${visible(one.from, "")}: ${one.words}`];
    case "not":
      return [`${visible(one.from, "")}: ${visible(one.why, "")}`];
    case "server":
    case "rule": {
      const file = one.scope === "user" ? userSettingsFile(configDir) : personSettingsFile(configDir, folder);
      return [...takenLines(one), `  from ${visible(one.from, "")}, to ${visible(file, "")}`];
    }
  }
}

/** Asks twice: for what starts or refuses, and then for what spares questions, each listed again. */
async function write(fresh: readonly Taken[], only: boolean, deps: SaveDeps): Promise<number> {
  if (fresh.length === 0) {
    tell("There is nothing to write.");
    return 0;
  }
  if (only) {
    tell("Nothing was written. agent import on a terminal asks, and writes.");
    return 0;
  }
  const allows = fresh.filter((one) => one.kind === "rule" && one.action === "allow");
  const others = fresh.filter((one) => !allows.includes(one));
  let written = 0;
  const words = [
    [others, "These are written; a server is a program or service that your sessions start from then on:"],
    [allows, "These rules spare you a question, each for exactly what it says:"],
  ] as const;
  for (const [list, head] of words) {
    if (list.length === 0) continue;
    tell(head);
    for (const one of list) for (const line of takenLines(one)) tell(`  ${line}`);
    if (!(await agreed(`Write ${list.length === 1 ? "it" : `these ${list.length}`}? [y/N] `))) continue;
    for (const one of list) await take(one, deps);
    written += list.length;
  }
  tell(
    written === 0
      ? "Nothing was written."
      : `Written: ${written}. agent config list and agent permissions show them; agent mcp test NAME tries a server.`,
  );
  return 0;
}

async function agreed(question: string): Promise<boolean> {
  const lines = createInterface({ input: process.stdin, output: process.stdout });
  try {
    const ended = new Promise<string>((resolve) => lines.once("close", () => resolve("")));
    return /^y(es)?$/i.test((await Promise.race([lines.question(question), ended])).trim());
  } finally {
    lines.close();
  }
}
