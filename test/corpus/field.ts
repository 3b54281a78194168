import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import type { ContentBlock } from "../../src/events/block.ts";
import type { FieldReport } from "./case.ts";
import { drive, type Drive, endDrive } from "./drive.ts";
import { ALSO, OWN } from "./field-also.ts";
import { type CaseFolders, type Ground, onHost } from "./ground.ts";
import type { Verdict } from "./score.ts";

/** What one call of a report came to. */
export interface Called {
  status: string;
  /** The tool's words, without what the program adds about landing. */
  text: string;
  content: readonly ContentBlock[];
  seconds: number;
}

/** A report in its folder, with a session that is asked everything and allowed it. */
export interface FieldBench {
  folder: string;
  folders: CaseFolders;
  ground: Ground;
  session: Drive;
  results: Called[];
  call(tool: string, input: Record<string, unknown>): Promise<Called>;
}

const Call = z.union([
  z.strictObject({ tool: z.string(), input: z.record(z.string(), z.unknown()) }),
  z.strictObject({ outside: z.string() }),
]);

/**
 * Runs a report: its calls in one session, then its `check` commands and what is known of `expect` beyond them (`field-also.ts`).
 * What is told in words alone is not runnable here, unless somebody wrote down what to do.
 */
export async function runField(report: FieldReport, ground: Ground, folders: CaseFolders): Promise<[Verdict, string]> {
  const own = OWN[report.id];
  const calls = z.array(Call).safeParse(report.action.calls ?? []);
  const [also, checks] = [ALSO[report.id], report.check ?? []];
  if (own === undefined && (report.action.kind !== "tool" || !calls.success || calls.data.length === 0))
    return ["not runnable", `told in words (${report.action.kind})${provedBy(report.id)}`];
  if (own === undefined && also === undefined && checks.length === 0)
    return ["not runnable", "what is right is told in words alone"];
  for (const line of report.setup) {
    const ran = await onHost(line, folders, "-c");
    if (ran.code !== 0) return ["not runnable", `its setup fails here: ${line}: ${ran.out}`];
  }
  const session = await drive(folders, ground, { mode: "ask" });
  const bench = benchOf(folders, ground, session);
  try {
    if (own === undefined) await play(bench, calls.data ?? []);
    else await own(bench);
    const wrong = await failedChecks(checks, folders);
    if (wrong.length > 0) return ["miss", wrong.join("; ")];
    await also?.(bench);
    return ["right", "ok"];
  } catch (error) {
    return ["miss", error instanceof Error ? error.message : String(error)];
  } finally {
    await endDrive(session);
  }
}

async function failedChecks(checks: readonly string[], folders: CaseFolders): Promise<string[]> {
  const wrong: string[] = [];
  for (const line of checks) {
    const ran = await onHost(line, folders, "-c");
    if (ran.code !== 0) wrong.push(`${line} ended with ${ran.code} ${ran.out}`.trim());
  }
  return wrong;
}

function benchOf(folders: CaseFolders, ground: Ground, session: Drive): FieldBench {
  const results: Called[] = [];
  return {
    folder: folders.project,
    folders,
    ground,
    session,
    results,
    async call(tool, input) {
      const { facts, seconds } = await session.run([{ tool, input }], ["yes"]);
      const end = facts.findLast((fact) => fact.type === "call.finished");
      const content = end?.content ?? [];
      const texts = content.flatMap((b) => (b.type === "text" && !b.text.startsWith("[Landed in") ? [b.text] : []));
      return { status: end?.status ?? "no end", text: texts.join("\n"), content, seconds };
    },
  };
}

/** A file is Read before its first change where the report leaves that out. */
async function play(bench: FieldBench, calls: readonly z.infer<typeof Call>[]): Promise<void> {
  const isRead = new Set<unknown>();
  for (const call of calls) {
    if ("outside" in call) {
      await onHost(call.outside, bench.folders, "-c");
      continue;
    }
    const path = call.input["file_path"];
    if ((call.tool === "Edit" || call.tool === "Write") && !isRead.has(path))
      await bench.call("Read", { file_path: path });
    isRead.add(path);
    bench.results.push(await bench.call(call.tool, call.input));
  }
}

/** Tests of the project that name a report in a title or a comment. */
function provedBy(id: string): string {
  const root = join(import.meta.dirname, "..");
  const tests = readdirSync(root, { recursive: true, encoding: "utf8" }).filter((file) => /\.test\.tsx?$/.test(file));
  const named = tests.filter((file) => readFileSync(join(root, file), "utf8").includes(id));
  return named.length === 0 ? "" : `; proved by test/${named.join(", test/")}`;
}
