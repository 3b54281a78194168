import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { listSessions } from "../../src/events/sessions.ts";
import { verifyDecided } from "../../src/session/verify-landed.ts";
import { bundle } from "../support/bundle.ts";
import { deep } from "../support/deep.ts";
import { logOf } from "../support/example.ts";
import { place, type Place } from "../support/session.ts";
import { treeHash } from "../support/tree.ts";

const preload = resolve(import.meta.dirname, "../support/kill-at.mjs");
let built: Awaited<ReturnType<typeof bundle>>;
beforeAll(async () => {
  built = await bundle("edits-session.ts");
});
afterAll(() => built.remove());

interface Moment {
  line: number;
  when: "before" | "after";
}

function prepare(): Place {
  const at = place("kill-edits");
  writeFileSync(join(at.folder, "a.txt"), "one\ntwo\nthree\n");
  return at;
}

async function run(at: Place, moment?: Moment): Promise<string> {
  const kill = moment === undefined ? {} : { KILL_LINE: String(moment.line), KILL_WHEN: moment.when };
  const child = spawn(process.execPath, ["--import", preload, built.file, JSON.stringify(at)], {
    env: { PATH: process.env["PATH"] ?? "", HOME: at.home, ...kill },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let err = "";
  child.stderr.setEncoding("utf8").on("data", (s: string) => (err += s));
  const [code, signal] = (await once(child, "close")) as [number | null, NodeJS.Signals | null];
  return `${signal ?? code} ${err}`.trim();
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
      expect(wanted.asked).toEqual(new Set(["5: a.txt c.txt d.txt new/b.txt"]));
      expect(wanted.calls.map(([, status]) => status)).toEqual(["ok", "ok", "ok", "ok", "denied", "ok"]);
      expect(wanted.breaches).toEqual([]);
      const { events } = await load(calm);
      const all = events.slice(1).flatMap(({ seq: line }): Moment[] => [
        { line, when: "before" },
        { line, when: "after" },
      ]);
      const first = (type: string) => all.findIndex(({ line }) => events[line - 1]?.type === type);
      const known = [first("permission.asked") + 1, first("permission.decided") + 1];
      const chosen = all.filter((_, n) => known.includes(n)).concat(all.slice(0, deep(0, all.length)));
      for (const [n, moment] of chosen.entries()) {
        const at = prepare();
        const ends = [await run(at, moment), await run(at)];
        expect({ n, moment, ends, ...(await outcome(at)) }).toEqual({ n, moment, ends: ["SIGKILL", "0"], ...wanted });
      }
    },
  );
});
