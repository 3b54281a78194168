import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Mode } from "../../src/events/effect.ts";
import type { SessionEvent } from "../../src/events/event.ts";
import { recordedModel } from "../../src/model/recorded.ts";
import type { Asker, Question } from "../../src/permissions/asker.ts";
import { systemClock } from "../../src/util/system.ts";
import { collect, openAt } from "../../test/support/open-at.ts";
import { type Call, rememberedAs, wouldAsk } from "./baseline.ts";
import type { Work } from "./work.ts";

/** Questions of one piece of work. */
export interface Asked {
  name: string;
  calls: number;
  /** Calls that did not end as they did when they were recorded, since a play that goes another way proves nothing. */
  strayed: string[];
  /** Of ours: reasons, one a question. */
  asked: string[];
  /** Questions of a program that asks before every write and every command that isn't on a list. */
  floor: number;
}

/** `each`: a plain yes each time. `remember`: "for this session" wherever it is offered. */
export type Person = "each" | "remember";

const PATH = `${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`;

/** Does a recorded piece of work again on its project, the tools for real, with the real copy and door, a person saying yes. */
export async function play(work: Work, mode: Mode, person: Person): Promise<Asked> {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "understudy-questions-")));
  const at = {
    folder: join(base, "project"),
    config: join(base, "config"),
    state: join(base, "state"),
    home: join(base, "home"),
  };
  for (const dir of Object.values(at)) mkdirSync(dir);
  try {
    begin(work, at);
    const asked: string[] = [];
    const model = recordedModel(work.replies, { clock: systemClock });
    const session = await openAt(at, { model, asker: saysYes(person, asked), more: { mode } });
    const events: SessionEvent[] = [];
    for (const content of work.prompts) {
      const said = await collect(session.submit([...content], new AbortController().signal));
      events.push(...said.events);
    }
    await session.close();
    return {
      name: work.name,
      calls: work.calls.length,
      strayed: strayed(work, events),
      asked,
      floor: floorOf(work.calls, person),
    };
  } finally {
    rmSync(base, { recursive: true, force: true });
  }
}

/** The project as it was: its files, a first commit that is the same on every machine, what was done behind it. */
function begin({ dir }: Work, { folder, home }: { folder: string; home: string }): void {
  cpSync(join(dir, "start"), folder, { recursive: true });
  const setup = existsSync(join(dir, "setup.sh")) ? `. ${JSON.stringify(join(dir, "setup.sh"))}` : "";
  // As git would write them: it takes other modes back wherever it writes a file anew, and that is a change.
  const script = `
    chmod -R u=rwX,go=rX . && git init -q -b main . && git config user.email dev@project.example && git config user.name Dev
    git add -A && git commit -qm Start
    ${setup}`;
  const date = "2026-01-05T09:00:00Z";
  execFileSync("bash", ["-euc", script], {
    cwd: folder,
    env: { PATH, HOME: home, GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date },
    // A pipe as input: bash would take it for a remote login and read the machine's own start-up files.
    stdio: ["ignore", "pipe", "pipe"],
  });
}

function strayed({ calls, ends }: Work, events: readonly SessionEvent[]): string[] {
  const finished = new Map(events.flatMap((e) => (e.type === "call.finished" ? [[e.callId, e]] : [])));
  return calls.flatMap(({ id, name, input }) => {
    const end = finished.get(id);
    const expected = leaves(input) ? "denied" : ends.get(id);
    if (end?.status === expected) return [];
    const call = `${name} ${JSON.stringify(input)}`.slice(0, 200);
    const came = end === undefined ? "never ran" : `${end.status}: ${JSON.stringify(end.content).slice(0, 300)}`;
    return [`${call}: recorded as ${expected}, came ${came}`];
  });
}

const leaves = (input: Call["input"]): boolean => input["network"] !== undefined;

/** Yes to everything but the network: what is played reaches nobody, and the model goes on as it was recorded. */
function saysYes(person: Person, asked: string[]): Asker {
  return {
    // As the screen does.
    together: () => true,
    ask: ({ decision, offer, effect }: Question) => {
      asked.push(decision.reason);
      if (effect.needs.some((need) => need.kind === "network"))
        return Promise.resolve({ kind: "no", note: "Go on without it." });
      if (person === "each" || offer === undefined) return Promise.resolve({ kind: "yes" });
      return Promise.resolve({ kind: "yes", remember: { scope: "session", rule: offer.session } });
    },
    askPerson: () => Promise.resolve("as you think"),
  };
}

function floorOf(calls: readonly Call[], person: Person): number {
  const asking = calls.filter(wouldAsk);
  if (person === "each") return asking.length;
  const names = asking.map(rememberedAs);
  return new Set(names.filter((n) => n !== undefined)).size + names.filter((n) => n === undefined).length;
}
