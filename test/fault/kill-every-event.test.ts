import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { textOf } from "../../src/events/block.ts";
import { toMessages } from "../../src/events/messages.ts";
import type { LogEvent } from "../../src/events/event.ts";
import { listSessions } from "../../src/events/sessions.ts";
import type { CallState, SessionState } from "../../src/events/state.ts";
import { apiBreaches } from "../support/api-rules.ts";
import { bundle } from "../support/bundle.ts";
import { deep } from "../support/deep.ts";
import { logOf } from "../support/example.ts";
import { missingTool, needs } from "../support/runnable.ts";
import { place, type Place } from "../support/session.ts";
import { treeHash } from "../support/tree.ts";

const preload = resolve(import.meta.dirname, "../support/kill-at.mjs");
let built: Awaited<ReturnType<typeof bundle>>;
beforeAll(async () => {
  built = await bundle("long-session.ts");
});
afterAll(() => built.remove());

interface Moment {
  line: number;
  /** Ahead of a fact's line all that it tells of has happened; behind it nothing of what comes next has. */
  when: "before" | "after";
}

function prepare(): Place {
  const at = place("kill");
  writeFileSync(join(at.config, "settings.json"), '{"checks":[{"name":"two","command":"grep -q two a.txt"}]}');
  const git = "git -c user.name=t -c user.email=t@t.invalid";
  const dates = "GIT_AUTHOR_DATE=2026-01-01T00:00:00Z GIT_COMMITTER_DATE=2026-01-01T00:00:00Z";
  const sh = `git init -q -b main . && echo one > a.txt && echo keep > precious.txt && touch -d @1700000000 a.txt && echo node_modules > .gitignore && git add -A && ${dates} ${git} commit -qm start`;
  execFileSync("bash", ["-ec", sh], { cwd: at.folder, env: { PATH: process.env["PATH"] ?? "", HOME: at.home } });
  return at;
}

/** Runs the program in a place, killed at a moment or to its end; how it ended. */
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

/** What came of it all. Only times, ids and places differ from run to run, and what a death explains. */
async function outcome(at: Place) {
  const { state } = await load(at);
  const git = (...args: string[]) => execFileSync("git", ["-C", at.folder, ...args], { encoding: "utf8" });
  const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value).replaceAll(at.folder, "FOLDER"));
  return {
    tree: treeHash(at.folder, { git: false }),
    git: [git("log", "--format=%H %s"), git("status", "--short"), git("fsck")],
    fold: plain(foldOf(state)),
    calls: plain([...state.calls.values()].map(callOf)),
    breaches: apiBreaches(toMessages(state), { request: false }),
  };
}

function foldOf(state: SessionState) {
  const { mode, rehearsing, rules, todos, shell, prompts, query, failures, foreign } = state;
  return {
    told: [mode, rehearsing, rules, todos, shell, prompts, foreign],
    ended: [query?.turn, query?.ended],
    failures: [...failures],
    // Git's index holds times.
    touched: [...state.touched.values()]
      .flatMap(({ path, hash, how }) => (path.includes("/.git/") ? [] : [`${how} ${hash} ${path}`]))
      .toSorted(),
    made: [...state.made].map(([path, hash]) => `${path} ${hash}`).toSorted(),
    // A review that a death cut off is dropped, and made anew.
    steps: state.steps
      .filter(({ status, from }) => status !== "squashed" && !(status === "dropped" && from !== undefined))
      .map(({ status, summary }) => [status, summary?.entries]),
    alive: state.groups.filter(({ end }) => end === undefined).length,
    replies: state.items.flatMap((item) => (item.kind === "reply" ? [[item.turn, textOf(item.blocks)]] : [])),
  };
}

function callOf({ tool, input, result }: CallState): unknown[] {
  // A background shell dies with its program, and a charge that was begun is not begun again: both are told so.
  if (tool === "KillShell" || input["run_in_background"] === true) return [tool];
  if (tool === "charge" && result?.status === "unknown") return [tool, "ok", `Charged ${String(input["eur"])} EUR.`];
  const words = textOf(result?.content ?? []).replace(
    /the person said no .*\. The person says/,
    "the person said no. The person says",
  );
  return [tool, result?.status, words];
}

/** The card is charged once a call; of a call that a death cut off nobody knows, and it is told as unknown. */
async function charges(at: Place): Promise<{ twice: string[]; untold: string[] }> {
  const file = join(at.home, "charged.txt");
  const lines = existsSync(file) ? readFileSync(file, "utf8").trimEnd().split("\n") : [];
  const calls = [...(await load(at)).state.calls.values()].filter(({ tool }) => tool === "charge");
  const missing = calls.filter(({ operationId }) => !lines.some((l) => l.endsWith(` ${operationId}`)));
  return {
    twice: lines.length > 2 || new Set(lines).size < lines.length ? lines : [],
    untold: missing.flatMap(({ callId, result }) => (result?.status === "unknown" ? [] : [callId])),
  };
}

/** Where two values differ, with both. */
function differences(seen: unknown, wanted: unknown, path = "", of = 3): string[] {
  if (JSON.stringify(seen) === JSON.stringify(wanted)) return [];
  if (typeof seen !== "object" || typeof wanted !== "object" || seen === null || wanted === null)
    return [`${path} is ${JSON.stringify(seen)}, not ${JSON.stringify(wanted)}`];
  const keys = [...new Set([...Object.keys(seen), ...Object.keys(wanted)])];
  return keys.flatMap((key) => differences(Object(seen)[key], Object(wanted)[key], `${path}/${key}`)).slice(0, of);
}

/** Every moment, or as many as asked for: the same each time, spread over the whole session, and some that once went wrong. */
function moments(events: readonly LogEvent[], count: number): Moment[] {
  const at = (i: number): Moment => ({ line: Math.floor(i / 2) + 1, when: i % 2 === 0 ? "before" : "after" });
  // Ahead of the first line there is no session: the program starts anew, which tells nothing here.
  const all = Array.from({ length: 2 * events.length - 1 }, (_, i) => at(i + 1));
  if (count >= all.length) return all;
  const spread = Array.from({ length: count }, (_, i) => all[Math.floor(((i + 0.5) * all.length) / count)]);
  const first = (type: string) => events.findIndex((e) => e.type === type) + 1;
  const known = [first("reply.completed"), first("changes.dropped"), first("group.started") + 1].map((line) => ({
    line,
    when: "before" as const,
  }));
  return [...known, ...spread.filter((moment) => moment !== undefined)];
}

/** `npm run deep` kills at every moment. */
const KILLS = Number(process.env["EVENT_KILLS"] ?? deep(1, Infinity));

describe("kill -9 at the facts of a long session", () => {
  it(
    "E3, W5, W6, L4: killed ahead of a fact and behind it, resumed, everything is as undisturbed; nothing outside happens twice",
    { timeout: 3_600_000 },
    async (ctx) => {
      needs(ctx, missingTool("git"));
      const calm = prepare();
      expect(await run(calm)).toBe("0");
      const wanted = await outcome(calm);
      expect(wanted.breaches).toEqual([]);
      const { events } = await load(calm);
      expect(events.length).toBeGreaterThan(100);
      const wrong: string[] = [];
      for (const moment of moments(events, KILLS)) {
        const at = prepare();
        const ends = [await run(at, moment), await run(at)];
        const seen = { ...(await outcome(at)), ends, ...(await charges(at)) };
        const right = { ...wanted, ends: ["SIGKILL", "0"], twice: [], untold: [] };
        const found = differences(seen, right).map(
          (text) => `${moment.when} ${moment.line}, ${events[moment.line - 1]?.type}: ${text}`,
        );
        wrong.push(...found);
      }
      expect(wrong).toEqual([]);
    },
  );
});
