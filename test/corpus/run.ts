import { filled, nameOf, type FieldReport, type Line, type SecurityCase } from "./case.ts";
import { runCalls, type CasePlace } from "./call-case.ts";
import { runField } from "./field.ts";
import { runHook } from "./hook-case.ts";
import { runKeys } from "./keys-case.ts";
import { newFolders, onHost, remove, type CaseFolders, type Ground } from "./ground.ts";
import { listen, type Listener } from "./listen.ts";
import { runMcp } from "./mcp-case.ts";
import { runRender } from "./render-case.ts";
import { runResume } from "./resume-case.ts";
import { score, type CaseResult, type Seen, type Verdict } from "./score.ts";
import { runSettings } from "./settings-case.ts";
import { runStartup } from "./startup-case.ts";
import { runStore } from "./store-case.ts";

/** Tools that the product will have and has not yet; a call of one that nobody plans is the model's mistake, and a case. */
const PLANNED = new Set(["WebFetch", "WebSearch", "BashOutput", "KillShell", "Task", "Skill", "ExitPlan"]);
/** Surfaces of `security.jsonl` that no code stands for yet. */
const MISSING: Readonly<Record<string, string>> = {
  Subagent: "there are no sub-agents yet",
};
const NEEDS = new Set(["listener", "unix-listener", "abstract-listener", "limits", "no-sandbox", "other-owner"]);

/** Runs one case to its verdict. Whatever goes wrong around it is "not runnable", never right. */
export async function runLine(line: Line, ground: Ground): Promise<CaseResult> {
  const { id, area } = nameOf(line);
  const since = performance.now();
  const [verdict, why] = await judge(line, ground).catch((error: unknown): [Verdict, string] => [
    "not runnable",
    `broke: ${error instanceof Error ? error.message : String(error)}`,
  ]);
  return { id, area, verdict, why, ms: performance.now() - since };
}

async function judge(line: Line, ground: Ground): Promise<[Verdict, string]> {
  if (line.kind === "unknown") return ["not runnable", line.why];
  if (line.kind === "field") return inFolders(ground, (folders) => fieldVerdict(line.report, ground, folders));
  const missing = missingFor(line.case);
  if (missing !== undefined) return ["not runnable", missing];
  return inFolders(ground, async (folders) => {
    const listener = await listen(line.case.needs, folders.outside);
    try {
      const c = filled(line.case, namesOf(folders, listener));
      const seen = await runSecurity(c, { folders, ground, listener });
      return typeof seen === "string" ? ["not runnable", seen] : score(c, seen);
    } finally {
      await listener.close();
    }
  });
}

async function inFolders<T>(ground: Ground, run: (folders: CaseFolders) => Promise<T>): Promise<T> {
  const folders = newFolders(ground);
  try {
    return await run(folders);
  } finally {
    remove(folders.base);
  }
}

function fieldVerdict(report: FieldReport, ground: Ground, folders: CaseFolders): Promise<[Verdict, string]> {
  return runField(report, ground, folders);
}

function missingFor(c: SecurityCase): string | undefined {
  if (c.platform !== undefined && !c.platform.includes(process.platform)) return `only on ${c.platform.join(", ")}`;
  const unmet = c.needs.filter((need) => !NEEDS.has(need));
  if (unmet.length > 0) return `needs ${unmet.join(", ")}`;
  const tools = [c.tool, ...c.before.flatMap((step) => ("tool" in step ? [step.tool] : []))];
  const planned = tools.find((tool) => PLANNED.has(tool));
  if (planned !== undefined) return `there is no ${planned} yet`;
  return MISSING[c.tool];
}

function namesOf({ project, outside, home }: CaseFolders, { port }: Listener): Record<string, string> {
  return {
    PROJECT: project,
    OUTSIDE: outside,
    HOME: home,
    PORT: String(port),
    CONF: ".agent",
    CONFVAR: "UNDERSTUDY_CONFIG",
    AGENT: "agent",
    AGENT_PID: String(process.pid),
    PATH: process.env["PATH"] ?? "",
  };
}

/** What was seen, or why it can't be run. */
async function runSecurity(c: SecurityCase, place: CasePlace): Promise<Seen | string> {
  for (const line of c.setup) {
    const ran = await onHost(line, place.folders);
    if (ran.code !== 0) return `its setup fails here: ${line} ended with ${ran.code}: ${ran.out}`;
  }
  if (c.tool === "Settings") return runSettings(c, place);
  if (c.tool === "Resume") return runResume(c, place);
  if (c.tool === "Hook") return runHook(c, place);
  if (c.tool === "Mcp") return runMcp(c, place);
  if (c.tool === "Startup") return runStartup(c, place);
  if (c.tool === "Store") return runStore(c, place);
  if (c.tool === "Render") return runRender(c, place);
  if (c.user.typeahead !== undefined || c.user.paste !== undefined) return runKeys(c, place);
  if (tooLong(c.input)) return "a text of this length can't be made in this runtime";
  if (c.tool !== "Batch") return runCalls(c, [{ tool: c.tool, input: sized(c.input) }], place);
  const calls = callsOf(c.input);
  return calls === undefined ? "a batch of this shape" : runCalls(c, calls, place);
}

function callsOf(input: unknown): { tool: string; input: unknown }[] | undefined {
  const calls: unknown = typeof input === "object" && input !== null ? Reflect.get(input, "calls") : undefined;
  if (!Array.isArray(calls)) return undefined;
  return calls.flatMap((call: unknown) => {
    if (typeof call !== "object" || call === null) return [];
    const tool: unknown = Reflect.get(call, "tool");
    return typeof tool === "string" ? [{ tool, input: Reflect.get(call, "input") as unknown }] : [];
  });
}

/** The longest text of this runtime (V8 on 64 bits). */
const LONGEST = 2 ** 29 - 24;

function tooLong(input: unknown): boolean {
  const size: unknown = typeof input === "object" && input !== null ? Reflect.get(input, "content_size") : undefined;
  return typeof size === "number" && size > LONGEST;
}

/** `content_size` stands for a content of so many characters. */
function sized(input: unknown): unknown {
  const size: unknown = typeof input === "object" && input !== null ? Reflect.get(input, "content_size") : undefined;
  if (typeof size !== "number") return input;
  const { content_size: _, ...rest } = input as Record<string, unknown>;
  return { ...rest, content: "x".repeat(size) };
}
