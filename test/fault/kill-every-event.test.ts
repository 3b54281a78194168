import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { LogEvent } from "../../src/events/event.ts";
import { bundle } from "../support/bundle.ts";
import { deep } from "../support/deep.ts";
import { chargesOf, logsOf, outcomeOf } from "../support/killed-outcome.ts";
import { allMoments, differences, type Moment, partOf, runKilled, some, spread } from "../support/kill-each.ts";
import { missingTool, needs } from "../support/runnable.ts";
import { place, type Place } from "../support/session.ts";

interface Session {
  name: string;
  program: string;
  prepare(this: void): Place;
  /** How often a card is charged. */
  charges: number;
  /** What else has to be the same. */
  also(this: void, at: Place): unknown;
  /** Facts that it has to hold, in any of its logs. */
  holds: readonly string[];
  /** Moments that once went wrong. */
  known(this: void, logs: ReadonlyMap<string, readonly LogEvent[]>): Moment[];
}

/** History and state of the folder's repository, where it has one. */
function gitOf(at: Place): string[] {
  const git = (...args: string[]) => execFileSync("git", ["-C", at.folder, ...args], { encoding: "utf8" });
  return [git("log", "--format=%H %s"), git("status", "--short"), git("fsck")];
}

const alone: Session = {
  name: "tools, questions, a rehearsal, landings, a background shell, git",
  program: "long-session.ts",
  charges: 2,
  also: gitOf,
  holds: ["changes.dropped", "changes.squashed", "changes.undone", "check.ran", "group.ended"],
  prepare() {
    const at = place("kill");
    writeFileSync(join(at.config, "settings.json"), '{"checks":[{"name":"two","command":"grep -q two a.txt"}]}');
    const commit = "git -c user.name=t -c user.email=t@t.invalid commit -qm start";
    const dates = "GIT_AUTHOR_DATE=2026-01-01T00:00:00Z GIT_COMMITTER_DATE=2026-01-01T00:00:00Z";
    const sh = `git init -q -b main . && echo one > a.txt && echo keep > precious.txt && touch -d @1700000000 a.txt && echo node_modules > .gitignore && git add -A && ${dates} ${commit}`;
    execFileSync("bash", ["-ec", sh], { cwd: at.folder, env: { PATH: process.env["PATH"] ?? "", HOME: at.home } });
    return at;
  },
  known(logs) {
    const first = (type: string) => (logs.get("")?.findIndex((e) => e.type === type) ?? -1) + 1;
    return [first("reply.completed"), first("changes.dropped"), first("group.started") + 1].map((line) => ({
      log: "",
      line,
      when: "before",
    }));
  },
};

const withAgents: Session = {
  name: "sub-agents side by side and below each other, results cleared, summaries",
  program: "agents-session.ts",
  charges: 2,
  also: () => undefined,
  holds: ["agent.ended", "context.cleared", "context.compacted", "permission.decided"],
  prepare() {
    const at = place("kill");
    writeFileSync(join(at.config, "settings.json"), '{"compact":{"window":32000}}');
    mkdirSync(join(at.config, "agents"));
    const carver = "---\nname: carver\ndescription: Carves\nisolation: layer\n---\nCarve what you are told.\n";
    writeFileSync(join(at.config, "agents/carver.md"), carver);
    mkdirSync(join(at.folder, "long"));
    for (const name of ["a", "b", "c", "d", "e", "f"])
      writeFileSync(join(at.folder, "long", `${name}.txt`), `Words of the file ${name}.\n`.repeat(400));
    writeFileSync(join(at.folder, "precious.txt"), "keep\n");
    return at;
  },
  known(logs) {
    const last = (log: string, type: string) => (logs.get(log)?.findLastIndex((e) => e.type === type) ?? -1) + 1;
    const ended = last("", "agent.ended");
    return [
      // An agent's end was known, but not what the call came to: the agent ran again.
      { log: "", line: ended, when: "after" },
      // The sum of an agent's own layer was proposed, or had landed, and nothing settled it.
      ...["changes.proposed", "changes.landed", "changes.squashed"].map((type): Moment => ({
        log: "-a4",
        line: last("-a4", type),
        when: "after",
      })),
    ];
  },
};

/** `npm run deep` kills at every moment; `EVENT_PART=2/6` at a part of them. */
const KILLS = Number(process.env["EVENT_KILLS"] ?? deep(1, Infinity));
const AT_ONCE = deep(1, 2);

describe("kill -9 at the facts of a long session", () => {
  it.for([alone, withAgents])(
    "E3, W5, W6, L4, C3, C5: $name: killed ahead of a fact and behind it, resumed, everything is as undisturbed; nothing outside happens twice",
    { timeout: 3_600_000 },
    async ({ program, prepare, charges, also, holds, known }, ctx) => {
      needs(ctx, missingTool("git"));
      const built = await bundle(program);
      const calm = prepare();
      expect(await runKilled(built.file, calm)).toBe("0");
      const outcome = async (at: Place) => ({ ...(await outcomeOf(at)), also: also(at) });
      const wanted = await outcome(calm);
      expect(wanted.breaches).toEqual([]);
      const { events, agents } = await logsOf(calm);
      const logs = new Map([["", events], ...[...agents].map(([end, log]) => [end, log.events] as const)]);
      const seen = new Set([...logs.values()].flat().map((e) => e.type as string));
      expect(holds.filter((type) => !seen.has(type))).toEqual([]);
      const moments = partOf([...known(logs), ...spread(allMoments(logs), KILLS)], process.env["EVENT_PART"]);
      const right = { ...wanted, ends: ["SIGKILL", "0"], twice: [], untold: [] };
      const wrong = await some(moments, AT_ONCE, async (moment) => {
        const at = prepare();
        const ends = [await runKilled(built.file, at, moment), await runKilled(built.file, at)];
        const found = { ...(await outcome(at)), ends, ...(await chargesOf(at, charges)) };
        const { log, line, when } = moment;
        const name = `${when} ${log}${line}, ${logs.get(log)?.[line - 1]?.type}`;
        return differences(found, right).map((text) => `${name}: ${text}`);
      });
      built.remove();
      expect(wrong.flat()).toEqual([]);
    },
  );
});
