import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Mode } from "../../src/events/effect.ts";
import type { Asker, Question } from "../../src/permissions/asker.ts";
import { collect, openAt } from "../../test/support/open-at.ts";
import { rememberedAs, wouldAsk } from "./baseline.ts";
import type { Work } from "./call.ts";
import { makeRepo } from "./repo.ts";

/** Questions of one piece of work. */
export interface Asked {
  name: string;
  calls: number;
  /** Calls that failed, since a piece of work that stumbles proves nothing. */
  failed: string[];
  /** Of ours: reasons, one a question. */
  asked: string[];
  /** Questions of a program that asks before every write and every command that isn't on a list. */
  floor: number;
}

/** `each`: a plain yes each time. `remember`: "for this session" wherever it is offered. */
export type Person = "each" | "remember";

/** Does a piece of work in a fresh project, with the real copy and door, a person saying yes. */
export async function play(work: Work, mode: Mode, person: Person): Promise<Asked> {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "understudy-questions-")));
  const at = {
    folder: join(base, "shop"),
    config: join(base, "config"),
    state: join(base, "state"),
    home: join(base, "home"),
  };
  for (const dir of Object.values(at)) mkdirSync(dir);
  try {
    makeRepo(at.folder, at.home);
    const asked: string[] = [];
    const script = { turns: [...work.turns.map((calls) => ({ calls: [...calls] })), { text: "Done." }] };
    const session = await openAt(at, { script, asker: saysYes(person, asked), more: { mode } });
    const { events } = await collect(session.submit([{ type: "text", text: work.name }], new AbortController().signal));
    await session.close();
    const failed = events.flatMap((e) =>
      e.type === "call.finished" && e.status !== "ok"
        ? [`${e.status}: ${JSON.stringify(e.content).slice(0, 300)}`]
        : [],
    );
    return { name: work.name, calls: work.turns.flat().length, failed, asked, floor: floorOf(work, person) };
  } finally {
    rmSync(base, { recursive: true, force: true });
  }
}

function saysYes(person: Person, asked: string[]): Asker {
  return {
    ask: ({ decision, offer }: Question) => {
      asked.push(decision.reason);
      if (person === "each" || offer === undefined) return Promise.resolve({ kind: "yes" });
      return Promise.resolve({ kind: "yes", remember: { scope: "session", rule: offer.session } });
    },
    askPerson: () => Promise.resolve("as you think"),
  };
}

function floorOf(work: Work, person: Person): number {
  const asking = work.turns.flat().filter(wouldAsk);
  if (person === "each") return asking.length;
  const names = asking.map(rememberedAs);
  return new Set(names.filter((n) => n !== undefined)).size + names.filter((n) => n === undefined).length;
}
