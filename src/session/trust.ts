import { lstatSync } from "node:fs";
import type { Clock, MakeId } from "../util/deps.ts";
import { findGit } from "../workspace/git-place.ts";
import { isExecutable, type Part } from "./trust-part.ts";
import { type Person, placeReasons } from "./trust-place.ts";
import { type KeptTrust, readTrust, removeTrust, writeTrust } from "./trust-store.ts";
import { type Survey, surveyFolder } from "./trust-survey.ts";

/** What a trust comes from: an earlier yes that still fits, a yes to this process, `--trust-folder`. */
export type TrustBy = "store" | "person" | "flag";

export interface Difference {
  what: "new" | "changed" | "gone";
  /** As `partId` names it. */
  id: string;
}

/** A folder as it is now, against what the person said of it. */
export interface TrustLook {
  folder: string;
  survey: Survey;
  /** Why it is asked about whatever it brings. */
  reasons: readonly string[];
  /**
   * `nothing`: it brings nothing and nothing was said. `trusted`, `declined`: as was said, and nothing that runs is other. `changed`: what
   * runs is other than what was said yes or no to. `new`: nothing was said that counts here.
   */
  state: "nothing" | "trusted" | "declined" | "changed" | "new";
  /** When it was trusted or declined: ISO time. */
  at?: string;
  by?: TrustBy;
  /** Of what runs, for `changed`. */
  differences: readonly Difference[];
  /** Rules and memory that are other than when it was trusted: this ends no trust. */
  texts: readonly Difference[];
  /** A yes or no is remembered. */
  keeps: boolean;
}

export interface TrustOptions extends Person {
  configDir: string;
  /** Real path. */
  folder: string;
  clock: Clock;
  makeId: MakeId;
  /** `--trust-folder`: for this process, and not remembered. */
  flag?: boolean;
}

/** Whether the person trusts a folder (H5): by its real path, bound to the hash of what runs in it. Reads files, runs nothing. */
export class FolderTrust {
  readonly #options: TrustOptions;
  /** Said in this process: the hash that it was said of. */
  #said: { trusted: boolean; hash: string } | undefined;

  constructor(options: TrustOptions) {
    this.#options = options;
  }

  get folder(): string {
    return this.#options.folder;
  }

  /** Looks anew at the folder and at what was said. */
  async look(): Promise<TrustLook> {
    const { folder, configDir, flag = false } = this.#options;
    const survey = surveyFolder(folder, (await findGit(folder))?.workTree);
    const places = placeReasons(folder, this.#options);
    const keeps = survey.whole && places.every((place) => place.keeps);
    const kept = keeps ? this.#fitting(readTrust(configDir, folder)) : undefined;
    const look = { folder, survey, reasons: places.map(({ why }) => why), keeps, differences: [], texts: [] };
    if (flag) return { ...look, state: "trusted", by: "flag" };
    if (this.#said?.hash === survey.hash)
      return this.#said.trusted ? { ...look, state: "trusted", by: "person" } : { ...look, state: "declined" };
    if (kept === undefined) {
      const open = survey.parts.length === 0 && places.length === 0;
      return { ...look, state: open ? "nothing" : "new" };
    }
    const texts = differences(
      kept.texts,
      survey.parts.filter((part) => !isExecutable(part)),
    );
    if (kept.hash !== survey.hash)
      return {
        ...look,
        state: "changed",
        at: kept.at,
        texts,
        differences: differences(kept.parts, survey.parts.filter(isExecutable)),
      };
    if (!kept.trusted) return { ...look, state: "declined", at: kept.at, texts };
    return { ...look, state: "trusted", by: "store", at: kept.at, texts };
  }

  /** What was said of it while another user owned it counts no more. */
  #fitting(kept: KeptTrust | undefined): KeptTrust | undefined {
    return kept?.owner === lstatSync(this.folder).uid ? kept : undefined;
  }

  /** The person's word on what they were shown. Gives why it could not be remembered, where it should have been: then it counts for this process. */
  say(trusted: boolean, { survey, keeps }: TrustLook): string | undefined {
    this.#said = { trusted, hash: survey.hash };
    return keeps ? this.#keep(trusted, survey, new Date(this.#options.clock.now()).toISOString()) : undefined;
  }

  /** The person was told which texts are other: they are not told again. */
  told({ state, survey, texts, at }: TrustLook): void {
    if (state === "trusted" && texts.length > 0 && at !== undefined) this.#keep(true, survey, at);
  }

  #keep(trusted: boolean, survey: Survey, at: string): string | undefined {
    const { configDir, folder, makeId } = this.#options;
    const kept: KeptTrust = {
      v: 1,
      folder,
      trusted,
      at,
      owner: lstatSync(folder).uid,
      hash: survey.hash,
      parts: idsOf(survey.parts.filter(isExecutable)),
      texts: idsOf(survey.parts.filter((part) => !isExecutable(part))),
    };
    try {
      writeTrust(configDir, kept, makeId);
      return undefined;
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  }

  /** Forgets what was said. Gives whether there was anything. */
  forget(): boolean {
    this.#said = undefined;
    return removeTrust(this.#options.configDir, this.folder);
  }
}

/** Whether the person must be asked before it is opened. */
export function mustAsk({ state }: TrustLook): boolean {
  return state === "new" || state === "changed";
}

/** Each part under a name that stays the same while others come and go. */
export function idsOf(parts: readonly Part[]): Record<string, string> {
  const ids: Record<string, string> = {};
  for (const { kind, path, name, hash } of parts) {
    const id = `${kind} ${path}${name === "" ? "" : ` ${name}`}`;
    let free = id;
    for (let n = 2; Object.hasOwn(ids, free); n++) free = `${id} (${n})`;
    ids[free] = hash;
  }
  return ids;
}

function differences(before: Readonly<Record<string, string>>, parts: readonly Part[]): Difference[] {
  const now = idsOf(parts);
  const gone = Object.keys(before).filter((id) => !Object.hasOwn(now, id));
  const other = Object.entries(now).flatMap(([id, hash]): Difference[] => {
    if (!Object.hasOwn(before, id)) return [{ what: "new", id }];
    return before[id] === hash ? [] : [{ what: "changed", id }];
  });
  return [...other, ...gone.map((id): Difference => ({ what: "gone", id }))];
}
