import type { ChangeSummary } from "../events/effect.ts";
import type { SessionEvent } from "../events/event.ts";
import { rehearses } from "../events/layers.ts";
import type { LoopDeps } from "../loop/deps.ts";
import { capped } from "../loop/capped.ts";
import { landByRule } from "../loop/land-by-rule.ts";
import { pend } from "../loop/pend.ts";
import { changeName } from "../loop/say.ts";
import { text } from "../events/block.ts";
import { commandLimits } from "../sandbox/limits.ts";
import type { ShellExit } from "../sandbox/sandbox.ts";
import { asData } from "../tools/as-data.ts";
import type { ToolContext } from "../tools/tool.ts";
import { showPath } from "../util/bytes.ts";
import type { ChangeSet } from "../workspace/change.ts";

const BARE =
  "not run: commands can't be contained on this machine, so this one would change the folder itself, and this is a rehearsal (/rehearse off ends it; !! runs it outside)";

export interface ShellResult {
  exit: number | null;
  output: string;
  note: string;
}

/**
 * A command that the person typed behind `!` (U8): runs in the copy, lands unasked through the door, can be undone; in plan mode it sees
 * the folder read-only. The model is told with the next message.
 */
export async function* runShell(
  command: string,
  deps: LoopDeps,
  signal: AbortSignal,
): AsyncGenerator<SessionEvent, ShellResult> {
  const operationId = deps.makeId("op");
  const ctx = await deps.context({ callId: operationId, operationId }, signal, deps.asker);
  const { mode, shell } = deps.log.state;
  if (rehearses(deps.log.state) && !ctx.sandbox.contained) return { exit: null, output: "", note: BARE };
  const limits = { ...commandLimits(ctx.settings.bash.maxTimeoutMs), ...ctx.settings.bash.copy };
  const run = ctx.sandbox.run(
    { operationId, command, cwd: shell.cwd, env: shell.env, mode, network: false, layers: ctx.view.layers, limits },
    signal,
  );
  let step = await run.next();
  for (; step.done !== true; step = await run.next())
    yield { type: "tool.output", callId: operationId, text: step.value.text };
  const exit = { ...step.value, output: deps.log.secrets.mask(step.value.output) };
  yield await deps.log.append({
    type: "shell.ran",
    operationId,
    command,
    outside: false,
    exit: exit.code,
    output: exit.output,
    ...(exit.retriedOn === undefined ? {} : { retriedOn: exit.retriedOn }),
  });
  if (exit.cwd !== shell.cwd || JSON.stringify(exit.env) !== JSON.stringify(shell.env)) {
    yield await deps.log.append({ type: "shell.moved", cwd: exit.cwd, env: { ...exit.env }, by: "person" });
  }
  const note = exit.changes === undefined ? "" : yield* bring(exit.changes, exit, ctx, deps, signal);
  yield await deps.log.append({ type: "note.added", text: await told(command, exit, note, operationId, deps) });
  return { exit: exit.code, output: exit.output, note };
}

/** Lands what the person did themselves, unasked; in a rehearsal it waits with the rest. Gives words on what came of it. */
export async function* bring(
  set: ChangeSet,
  exit: Pick<ShellExit, "output" | "reason">,
  ctx: ToolContext,
  deps: LoopDeps,
  signal: AbortSignal,
): AsyncGenerator<SessionEvent, string> {
  const { operationId } = ctx;
  const summary = await deps.workspace.summarize(set, deps.facts(deps.log.state), ctx.view, signal);
  const changes = summary.entries.length + summary.git.length;
  if ((changes === 0 && summary.regenerable.length === 0) || signal.aborted || exit.reason === "interrupted") {
    await deps.workspace.drop(operationId);
    return "";
  }
  await deps.workspace.saveProposal(set);
  const outcome = { status: "ok" as const, content: [text(exit.output)], touched: [] };
  yield await deps.log.append({ type: "changes.proposed", callId: operationId, operationId, outcome, summary });
  await deps.log.barrier();
  if (rehearses(deps.log.state) && changes > 0) {
    yield* pend({ set, summary, view: ctx.view }, () => [], deps);
    return `pending: ${named(summary)}`;
  }
  const regenerable = set.changes.filter((c) => deps.regenerable(c));
  const landing = await deps.workspace.land(set, regenerable);
  if (!landing.ok) {
    const conflicts = landing.conflicts.map((c) => ({ root: c.root, path: showPath(c.path), why: c.why }));
    yield await deps.log.append({ type: "changes.conflicted", operationId, conflicts, files: summary.files });
    return `nothing landed, these changed meanwhile: ${conflicts.map((c) => c.path).join(", ")}`;
  }
  if (changes > 0)
    yield await deps.log.append({ type: "changes.landed", operationId, summary, by: "person", touched: [] });
  if (regenerable.length > 0) {
    const { files, bytes } = await deps.workspace.keep(set, (c) => deps.regenerable(c));
    yield await deps.log.append({
      type: "changes.kept",
      operationId,
      files,
      bytes,
      paths: regenerable.slice(0, 200).map((c) => showPath(c.path)),
    });
    yield* landByRule(operationId, deps, signal);
  }
  const names = named(summary);
  return names === "" ? "" : `landed: ${names}`;
}

function named(summary: ChangeSummary): string {
  const names = [...summary.entries.map((e) => changeName(e)), ...summary.git.map((g) => g.text)];
  return `${names.slice(0, 20).join(", ")}${names.length > 20 ? `, and ${names.length - 20} more` : ""}`;
}

async function told(
  command: string,
  exit: ShellExit,
  note: string,
  operationId: string,
  deps: LoopDeps,
): Promise<string> {
  const [block] = await capped(operationId, [text(exit.output)], deps);
  const output = block?.type === "text" ? asData(block.text) : "";
  return `The person ran a command:\n$ ${command}\n${output}\n[Exit code ${exit.code ?? exit.signal ?? "none"}${note === "" ? "" : `; ${note}`}]`;
}
