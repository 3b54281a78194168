import { realpathSync } from "node:fs";
import { userInfo } from "node:os";
import { homeOf, programDirs } from "../session/environment.ts";
import { openStore } from "../session/store.ts";
import { partsText } from "../session/trust-part.ts";
import { listTrust, removeTrust } from "../session/trust-store.ts";
import { trustLines } from "../session/trust-words.ts";
import { FolderTrust } from "../session/trust.ts";
import { randomId, systemClock } from "../util/system.ts";
import { visible } from "../util/visible.ts";
import { tell, tellJson } from "./diff-text.ts";
import { UsageError } from "./usage-error.ts";

export interface TrustOptions {
  act: "show" | "list" | "add" | "remove";
  /** As it was typed. Default: the current one. */
  folder?: string;
  json: boolean;
}

/** `agent trust`: what a folder brings, and what the person said of it. Runs nothing of it. Gives the exit code. */
export async function trustVerb({ act, folder, json }: TrustOptions): Promise<number> {
  const dirs = programDirs(process.env);
  openStore(dirs);
  if (act === "list") return list(dirs.config, json);
  if (act === "remove") return remove(dirs.config, folder);
  const trust = trustIn(dirs.config, realFolder(folder));
  const look = await trust.look();
  if (act === "show") {
    if (json) tellJson(look);
    else for (const line of trustLines(look)) tell(line);
    return 0;
  }
  if (!look.keeps) {
    const why = look.survey.whole ? look.reasons.join(" ") : "It brings more than is looked at.";
    throw new UsageError(`${look.folder} can't be trusted for good: ${why} It is asked at each start.`);
  }
  for (const line of trustLines(look).slice(1)) tell(line);
  const problem = trust.say(true, look);
  if (problem !== undefined) throw new UsageError(`the trust can't be kept: ${problem}`);
  const what = look.survey.parts.length === 0 ? "" : `, with ${partsText(look.survey.parts)}`;
  tell(`${visible(look.folder, "")} is trusted as it is now${what}`);
  return 0;
}

function trustIn(configDir: string, folder: string): FolderTrust {
  const homes = [homeOf(process.env), userInfo().homedir];
  const uid = process.getuid?.() ?? 0;
  return new FolderTrust({ configDir, folder, homes, uid, clock: systemClock, makeId: randomId });
}

function list(configDir: string, json: boolean): number {
  const all = listTrust(configDir);
  if (all.length === 0 && !json) tell("No folder is trusted. agent trust add trusts the one that you are in.");
  for (const { folder, trusted, at } of all) {
    if (json) tellJson({ folder, trusted, at });
    else tell(`${at.slice(0, 10)}  ${trusted ? "trusted" : "opened without"}  ${visible(folder, "")}`);
  }
  return 0;
}

/** Of a folder that is gone, too. */
function remove(configDir: string, typed: string | undefined): number {
  const names = typed === undefined ? [realFolder(undefined)] : [typed.replace(/(?<=.)\/+$/, ""), ...realOf(typed)];
  const found = names.filter((name) => removeTrust(configDir, name));
  if (found.length === 0) throw new UsageError(`nothing was said of ${names.at(-1) ?? ""}: agent trust list`);
  tell(`${visible(found[0] ?? "", "")} is no longer trusted: the next start asks`);
  return 0;
}

function realOf(path: string): string[] {
  try {
    return [realpathSync(path)];
  } catch {
    return [];
  }
}

function realFolder(typed: string | undefined): string {
  try {
    return realpathSync(typed ?? process.cwd());
  } catch (error) {
    throw new UsageError(`there is no folder ${typed ?? "where you are"}`, { cause: error });
  }
}
