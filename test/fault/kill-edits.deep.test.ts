import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { listSessions } from "../../src/events/sessions.ts";
import { verifyDecided } from "../../src/session/verify-landed.ts";
import { bundle } from "../support/bundle.ts";
import { deep } from "../support/deep.ts";
import { logOf } from "../support/example.ts";
import { allMoments, type Moment, partOf, runKilled, some } from "../support/kill-each.ts";
import { place, type Place } from "../support/session.ts";
import { treeHash } from "../support/tree.ts";

let built: Awaited<ReturnType<typeof bundle>>;
beforeAll(async () => {
  built = await bundle("edits-session.ts");
});
afterAll(() => built.remove());

const run = (at: Place, moment?: Moment) => runKilled(built.file, at, moment);

function prepare(): Place {
  const at = place("kill-edits");
  writeFileSync(join(at.folder, "a.txt"), "one\ntwo\nthree\n");
  return at;
}

async function load(at: Place) {
  return logOf(at, listSessions(join(at.state, "understudy", "sessions"))[0]?.id ?? "");
}

async function outcome(at: Place) {
  const { state, events } = await load(at);
  const asked = join(at.home, "asked.txt");
  const questions = existsSync(asked) ? readFileSync(asked, "utf8").trimEnd().split("\n") : [];
  return {
    tree: treeHash(at.folder, { git: false }),
    calls: [...state.calls.values()].map(({ tool, result }) => [tool, result?.status]),
    steps: state.steps.map(({ status, summary }) => [status, summary?.entries.map((e) => e.path)]),
    ended: state.query?.ended,
    // Every question is about all that was not decided on yet: none is about a part of it.
    asked: new Set(questions),
    breaches: verifyDecided(events).breaches,
  };
}

describe("kill -9 at the facts of edits that one question is about", () => {
  it(
    "E3, P5: killed at any of them and resumed, the same lands, the same is left out, and what was answered is not asked again",
    { timeout: 1_200_000 },
    async () => {
      const calm = prepare();
      expect(await run(calm)).toBe("0");
      const wanted = await outcome(calm);
      // No path is twice in one question.
      expect(wanted.asked).toEqual(new Set(["2: a.txt new/b.txt", "3: a.txt c.txt d.txt"]));
      expect(wanted.calls.map(([, status]) => status)).toEqual(["ok", "ok", "ok", "ok", "denied", "ok"]);
      expect(wanted.breaches).toEqual([]);
      const { events } = await load(calm);
      const first = (type: string) => events.findIndex((e) => e.type === type) + 1;
      const known = ["permission.asked", "permission.decided"].map((type): Moment => ({
        log: "",
        line: first(type),
        when: "after",
      }));
      const all = allMoments(new Map([["", events]]));
      const chosen = partOf([...known, ...all.slice(0, deep(0, all.length))], process.env["EVENT_PART"]);
      const seen = await some(chosen, deep(1, 2), async (moment) => {
        const at = prepare();
        const ends = [await run(at, moment), await run(at)];
        return { moment, ends, ...(await outcome(at)) };
      });
      expect(seen).toEqual(chosen.map((moment) => ({ moment, ends: ["SIGKILL", "0"], ...wanted })));
    },
  );
});
