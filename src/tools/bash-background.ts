import type { Group } from "../sandbox/group.ts";
import { SandboxError } from "../sandbox/sandbox-error.ts";
import type { ShellCommand } from "../sandbox/sandbox.ts";
import { failed } from "./outcome.ts";
import { tellShell } from "./shell-result.ts";
import type { Outcome, ToolContext } from "./tool.ts";

/** What a server has to say comes soon; what takes longer is BashOutput's. */
const FIRST_MS = 1500;
const QUIET_MS = 250;
const LOOK_MS = 25;

const INSTEAD =
  "Start it, use it and end it in one command instead: `npm start & sleep 2; curl -s localhost:3000; kill %1`";

/** Starts a command that goes on (SANDBOX 0.4); the result has its first output. `ports` were asked about. */
export async function startBackground(
  command: ShellCommand,
  ports: readonly number[],
  ctx: ToolContext,
): Promise<Outcome> {
  const { groups, kind } = ctx.sandbox;
  if (groups === undefined)
    return failed(`Nothing ran: commands can't go on in the background here (${kind}). ${INSTEAD}.`);
  if (command.mode === "plan")
    return failed(`Nothing ran: in plan mode nothing goes on in the background. ${INSTEAD}.`);
  if (command.network && ports.length > 0)
    return failed("Nothing ran: with network: true it listens on this machine itself, where no port has to be opened.");
  if (command.hosts !== undefined && ports.length > 0)
    return failed(
      "Nothing ran: a shell with hosts has a network of its own, whose ports can't be opened. Leave out ports or network.",
    );
  const known = ctx.state().groups;
  const id = `bg_${known.length + 1}`;
  // The call's own step is for what is collected at once. Run again after a crash it starts another shell, whose step is another too.
  const step = `${ctx.operationId}-bg`;
  const operationId = known.some((g) => g.operationId === step) ? `${ctx.operationId}-${id}` : step;
  let group: Group;
  const opened: string[] = [];
  try {
    group = await groups.start({ ...command, operationId }, id, ctx.signal);
    for (const port of ports) {
      const { at } = await groups.openPort(port, id);
      const other = at === port ? "" : ` (${port} is taken there)`;
      opened.push(`Port ${port} of the copy is open for the person: http://127.0.0.1:${at}/${other}`);
    }
  } catch (error) {
    if (!(error instanceof SandboxError)) throw error;
    const begun = groups.find(id);
    await begun?.kill();
    if (begun !== undefined) await groups.forget(begun);
    return failed(`Not started in the background: ${error.message}.`);
  }
  await firstWords(group, ctx);
  const alone =
    command.hosts === undefined ? [] : ["It has a network of its own: later commands don't reach its ports."];
  const first = [
    `Started in the background as shell ${id}: BashOutput reads it, KillShell ends it.`,
    ...alone,
    ...opened,
  ];
  const outcome = await tellShell(group, ctx, { first: first.join("\n") });
  return { ...outcome, group: { groupId: id, operationId, command: command.command, cwd: command.cwd } };
}

/** Waits for its first output, and for that to come to a pause. */
async function firstWords(group: Group, { clock, signal }: ToolContext): Promise<void> {
  let [size, still] = [0, 0];
  for (let waited = 0; waited < FIRST_MS && group.end === undefined && !signal.aborted; waited += LOOK_MS) {
    still = group.unread.size === size && size > 0 ? still + LOOK_MS : 0;
    if (still >= QUIET_MS) return;
    size = group.unread.size;
    await clock.sleep(LOOK_MS, signal);
  }
}
