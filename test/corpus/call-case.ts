import { readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { textOf } from "../../src/events/block.ts";
import type { ReadServers } from "../../src/session/mcp-files.ts";
import type { Mode } from "../../src/events/effect.ts";
import type { LogEvent } from "../../src/events/event.ts";
import { cardLines } from "../../src/ui/render/tool.ts";
import { cardOf } from "../../src/ui/render/transcript.ts";
import { textOfLine } from "../../src/ui/render/spans.ts";
import type { Outcome, SecurityCase } from "./case.ts";
import { drive, endDrive, logFile, type Done, type Drive, type WantedCall } from "./drive.ts";
import { differences, type CaseFolders, type Ground, onHost, print } from "./ground.ts";
import type { Listener } from "./listen.ts";
import type { Seen } from "./score.ts";

export interface CasePlace {
  folders: CaseFolders;
  ground: Ground;
  listener: Listener;
  /** Tool servers of its sessions. */
  servers?: (() => ReadServers) | undefined;
}

/** `limits` of a case's needs: 1 GiB of layer, 512 processes, 10 s. */
const SMALL = { timeoutMs: 10_000, maxTimeoutMs: 10_000, copy: { processes: 512, fileSizeMb: 2048, layerMb: 1024 } };
const PLAIN = { timeoutMs: 20_000, maxTimeoutMs: 60_000 };

const MEANWHILE_MS = 100;

/** A case that is one call of a tool, or several side by side: run in a real session, read from its log and from the machine. */
export async function runCalls(c: SecurityCase, calls: readonly WantedCall[], place: CasePlace): Promise<Seen> {
  const { folders, ground } = place;
  const driven = await drive(folders, ground, {
    mode: c.mode,
    bash: c.needs.includes("limits") ? SMALL : PLAIN,
    alone: c.user.tty === false,
    ...(c.needs.includes("no-sandbox") ? { sandboxes: [] } : {}),
    env: socketNames(folders),
    ...(place.servers === undefined ? {} : { servers: place.servers }),
  });
  try {
    if (!driven.session.sandbox.contained && !c.needs.includes("no-sandbox"))
      throw new Error(`no copy here: ${driven.session.sandbox.why.join("; ")}`);
    await prepare(c, driven, folders);
    return await observe(c, calls, driven, place);
  } finally {
    await endDrive(driven);
  }
}

/** What a person's environment names and a command must not get. */
function socketNames({ outside }: CaseFolders): Record<string, string> {
  const at = `${outside}/svc.sock`;
  return { SSH_AUTH_SOCK: at, DBUS_SESSION_BUS_ADDRESS: `unix:path=${at}`, DOCKER_HOST: `unix://${at}` };
}

async function prepare(c: SecurityCase, driven: Drive, folders: CaseFolders): Promise<void> {
  for (const step of c.before) {
    if ("shell" in step) {
      const ran = await onHost(step.shell, folders);
      if (ran.code !== 0) throw new Error(`before: ${step.shell} ended with ${ran.code}: ${ran.out}`);
    } else if ("trust" in step) throw new Error("trust is no step of a session yet");
    else await driven.run([step], [step.answer ?? "no"]);
  }
}

async function observe(c: SecurityCase, calls: readonly WantedCall[], driven: Drive, place: CasePlace): Promise<Seen> {
  const { folders } = place;
  const before = print(folders);
  const early: string[] = [];
  let during = [...c.during];
  const meanwhile = async (): Promise<void> => {
    const lines = during;
    during = [];
    for (const line of lines) await onHost(line, folders);
  };
  const asked = async (): Promise<void> => {
    if (c.during.length === 0) early.push(...differences(before, print(folders)));
    await meanwhile();
  };
  // A command that asks nothing runs for a while: the lines of the case happen then.
  const started = (): void => void setTimeout(() => void meanwhile(), MEANWHILE_MS);
  const rss = watchMemory();
  const answers = c.user.answers ?? [c.answer];
  const done = await driven.run(calls, answers, { asked, started });
  const growth = rss.end();
  const effects = c.during.length === 0 ? differences(before, print(folders)) : [];
  const seen = outcomeOf(done, c.mode, effects);
  const failed = [
    ...(early.length > 0 && c.user.answers === undefined ? [`changed before the answer: ${early.join(", ")}`] : []),
    ...escaped(seen.outcomes, effects, folders),
    ...(await failedChecks(c, { done, driven, growth, result: seen.result }, place)),
  ];
  // What the call brought is shown: whether that is clean its checks say.
  const shown = c.expect === "sanitised" && !seen.outcomes.includes("error") ? (["sanitised"] as const) : [];
  return { outcomes: [...seen.outcomes, ...shown], failed, said: seen.said };
}

/** Nobody said yes, and yet something outside the project changed. */
function escaped(outcomes: readonly Outcome[], effects: readonly string[], { project }: CaseFolders): string[] {
  const out = effects.filter((path) => path !== project && !path.startsWith(`${project}/`));
  return outcomes.includes("ask") || out.length === 0 ? [] : [`changed outside, unasked: ${out.join(", ")}`];
}

/** What the last of the calls came to. */
export function outcomeOf({ asked, facts, ids }: Done, mode: Mode, effects: readonly string[]) {
  const id = ids.at(-1);
  const of = <T extends LogEvent["type"]>(type: T) =>
    facts.filter((f): f is Extract<LogEvent, { type: T }> => f.type === type && "callId" in f && f.callId === id);
  const end = of("call.finished").at(-1);
  const decided = of("permission.decided").at(-1);
  const result = end === undefined ? "" : textOf(end.content);
  const said = `${end?.status ?? "no end"}${decided === undefined ? "" : ` (${decided.reason})`}: ${result}`;
  const question = of("permission.asked").length > 0 || (id !== undefined && asked.some((q) => q.callId === id));
  if (question && decided?.by === "nobody") return { outcomes: ["deny"] as Outcome[], result, said };
  const failed = end?.status === "error" || of("changes.conflicted").length > 0;
  if (question) return { outcomes: (failed ? ["ask", "error"] : ["ask"]) as Outcome[], result, said };
  // A bare no to an earlier call of the same reply ends the query: this one never ran.
  if (end?.status === "denied" || end?.status === "interrupted" || end === undefined)
    return { outcomes: ["deny"] as Outcome[], result, said };
  const started = of("call.started").at(-1);
  const command = started?.tool === "Bash";
  const landed = of("changes.landed").length > 0 || effects.length > 0;
  const cut = command && /^\[(Timed out|Ended)|\n\[(Timed out|Ended)/.test(result);
  if (failed && !cut) return { outcomes: ["error"] as Outcome[], result, said };
  // In auto mode what is inside the rules lands; that a command was contained is then told by the checks of its case.
  const how: Outcome = command && (!landed || mode === "auto") ? "contained" : "allow";
  return { outcomes: [how], result, said };
}

/** How far the memory of this process grew, at its highest. */
export function watchMemory() {
  const start = process.memoryUsage.rss();
  let most = start;
  const look = (): void => void (most = Math.max(most, process.memoryUsage.rss()));
  const timer = setInterval(look, 20);
  return {
    end: () => {
      clearInterval(timer);
      look();
      return (most - start) / 2 ** 20;
    },
  };
}

interface Evidence {
  done: Done;
  driven: Drive;
  growth: number;
  result: string;
}

async function failedChecks(c: SecurityCase, evidence: Evidence, place: CasePlace): Promise<string[]> {
  const { check } = c;
  const { done, driven, growth, result } = evidence;
  const failed: string[] = [];
  const lacks = (name: string, text: string, list: readonly string[] = []): void =>
    void failed.push(...list.filter((part) => text.includes(part)).map((part) => `${name} has ${part}`));
  const most = (name: string, value: number, max: number | undefined): void => {
    if (max !== undefined && value > max) failed.push(`${name} is ${Math.round(value)}, at most ${max}`);
  };
  lacks("the result", result, check.result_lacks);
  lacks("the request", check.model_lacks === undefined ? "" : driven.sent(), check.model_lacks);
  lacks("the log", check.trace_lacks === undefined ? "" : logOf(driven, place), check.trace_lacks);
  const screen = screenOf(driven, done);
  lacks("the screen", screen, check.screen_lacks);
  failed.push(...(check.screen_has ?? []).filter((part) => !screen.includes(part)).map((p) => `the screen lacks ${p}`));
  most("seconds", done.seconds, check.max_seconds);
  most("characters of the result", result.length, check.max_result_chars);
  most("characters on the screen", screen.length, check.max_screen_chars);
  most("growth of memory in MB", growth, check.max_rss_growth_mb);
  if (check.no_question === true && done.asked.length > 0) failed.push("a question was asked");
  if (check.agent_alive === true && (await driven.run([], ["no"])).facts.at(-1)?.type !== "query.finished")
    failed.push("the session is not alive");
  for (const line of check.host ?? []) {
    const ran = await onHost(line, place.folders, "-uc");
    if (ran.code !== 0) failed.push(`${line} ended with ${ran.code} ${ran.out}`.trim());
  }
  if (check.listener_hits !== undefined) {
    await pause(50);
    const hits = place.listener.hits();
    if (hits !== check.listener_hits) failed.push(`the listener was reached ${hits} times`);
  }
  return failed;
}

function logOf({ session }: Drive, { ground }: CasePlace): string {
  return readFileSync(logFile(ground, session.id), "utf8");
}

/** The finished call as the transcript shows it. */
function screenOf({ session }: Drive, { ids }: Done): string {
  const card = cardOf(session.state(), ids.at(-1) ?? "");
  return card === undefined ? "" : cardLines(card, 80).map(textOfLine).join("\n");
}
