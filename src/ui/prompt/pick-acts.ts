import type { SessionRow } from "../render/menu.ts";
import type { Pick, PickAct } from "./pick.ts";

/** Where the picker's sessions come from. All of it comes after the list was drawn. */
export interface PickSource {
  /** What takes longer to know of sessions, by id. */
  details(): Promise<ReadonlyMap<string, Partial<SessionRow>>>;
  /** Ids of the sessions in which each word of a text was written. */
  search(text: string): Promise<ReadonlySet<string>>;
  /** What a session is about: a text each, the newest first. */
  preview(id: string): Promise<readonly string[]>;
  /** Gives the name as it is kept. */
  rename(id: string, name: string): Promise<string>;
  remove(id: string): Promise<void>;
}

type Update = (change: (pick: Pick) => Pick) => void;

/** Adds to the list what takes longer to know. */
export async function addDetails(source: PickSource, update: Update): Promise<void> {
  const more = await source.details().catch(() => new Map<string, Partial<SessionRow>>());
  update((pick) => ({ ...pick, list: pick.list.map((row) => ({ ...row, ...more.get(row.id) })) }));
}

/** Does what a key wanted; what fails is said in the list. */
export async function doAct(act: PickAct, source: PickSource, update: Update): Promise<void> {
  const say = (note: string) => update((pick) => ({ ...pick, note }));
  try {
    switch (act.act) {
      case "search": {
        const ids = await source.search(act.text);
        return update((pick) => (pick.filter.text === act.text ? { ...pick, found: { text: act.text, ids } } : pick));
      }
      case "preview": {
        const rows = await source.preview(act.id);
        return update((pick) =>
          pick.open?.kind === "preview" && pick.open.id === act.id ? { ...pick, open: { ...pick.open, rows } } : pick,
        );
      }
      case "rename": {
        const name = await source.rename(act.id, act.name);
        update((pick) => ({ ...pick, list: pick.list.map((row) => (row.id === act.id ? { ...row, name } : row)) }));
        return say(`It is named ${name}.`);
      }
      case "delete":
        await source.remove(act.id);
        update((pick) => ({ ...pick, list: pick.list.filter((row) => row.id !== act.id) }));
        return say("It is deleted; what it landed stays.");
    }
  } catch (error) {
    say(error instanceof Error ? error.message : String(error));
  }
}
