import { realpathSync } from "node:fs";
import { join } from "node:path";
import { loadKey } from "../events/key.ts";
import type { EventLog } from "../events/log.ts";
import { openLog } from "../events/open-log.ts";
import type { LoopDeps } from "../loop/deps.ts";
import { hidesOf } from "../permissions/hides.ts";
import { inRoots } from "../permissions/rule-roots.ts";
import type { Hides } from "../sandbox/hides.ts";
import { openSandbox } from "../sandbox/open.ts";
import type { SandboxOptions } from "../sandbox/sandbox.ts";
import { notShown } from "../sandbox/shown.ts";
import { fileSystemSync } from "../sandbox/sync-fs.ts";
import { whiteoutMaker } from "../sandbox/whiteout.ts";
import { findGitProgram } from "../workspace/git.ts";
import { branchOf, findGit } from "../workspace/git-place.ts";
import { findIgnored } from "../workspace/ignored.ts";
import { openWorkspace } from "../workspace/open.ts";
import { findRoots, widerWorkTree } from "../workspace/roots.ts";
import type { Workspace } from "../workspace/workspace.ts";
import { AgentBook } from "./agents-book.ts";
import { LiveAgents } from "./agents-live.ts";
import { withBackground } from "./background.ts";
import { beginWork } from "./begin-work.ts";
import { catchUp } from "./catch-up.ts";
import { forkSession } from "./fork.ts";
import { NO_HOOKS } from "./hook-files.ts";
import { hookNews, LiveHooks } from "./live-hooks.ts";
import { LiveSession } from "./live.ts";
import type { LiveParts } from "./live-parts.ts";
import { liveTexts } from "./live-texts.ts";
import { deniedNow, loopDeps } from "./loop-deps.ts";
import { type LiveServers, liveServers } from "./mcp-live.ts";
import { movedWords } from "./moved.ts";
import { watchSteps } from "./news.ts";
import type { OpenOptions } from "./options.ts";
import { ruleNews } from "./policy-news.ts";
import { liveRules, rulesTold } from "./policy-live.ts";
import { setRehearsal } from "./rehearse.ts";
import { recoverSums } from "./rehearse-rest.ts";
import { rootsWith } from "./rehearse-roots.ts";
import type { Session } from "./session.ts";
import { type OutsideParts, runsOutside, withServersOnce } from "./runs-outside.ts";
import { openTrust, trustNotices } from "./session-trust.ts";
import { agentNews } from "./spawn-news.ts";
import { ownFolders } from "./store.ts";

/**
 * Opens a new session, or an old one to go on with: loads and repairs its log, lets the door complete or roll back what a dead process
 * left, and brings the log up to what the door's journal knows (W8).
 * @throws LogError or Error with one readable line; nothing stays open then.
 */
export async function openSession(options: OpenOptions): Promise<Session> {
  const parts = await openParts(options);
  try {
    return await begin(parts);
  } catch (error) {
    await parts.workspace.close();
    await parts.log.close().catch(() => undefined);
    throw error;
  }
}

/** The parts of a session, whoever runs it. */
export async function openParts(given: OpenOptions): Promise<LiveParts> {
  const options = withServersOnce(given);
  const { store, clock } = options;
  const found = await findRoots({ folder: options.folder, addDirs: options.addDirs });
  const folder = found[0]?.path ?? options.folder;
  const create = options.resume === undefined;
  const { agent } = options;
  const sessionId =
    (options.fork === undefined ? options.resume : undefined) ?? agent?.id ?? options.id ?? newId(options);
  if (options.resume !== undefined && options.fork !== undefined) {
    const { program, defaults, fork } = options;
    await forkSession(options.resume, { store, clock, program, sessionId, mode: defaults.mode, before: fork.before });
  }
  const log = await openLog({
    sessionsDir: store.sessions,
    contentDir: store.content,
    sessionId,
    key: loadKey(store.key),
    clock,
    create,
    ...(options.secrets === undefined ? {} : { secrets: options.secrets }),
  });
  try {
    const roots = rootsWith(log.state, found);
    const paths = roots.map((r) => r.path);
    options.bypass?.(paths);
    const gitProgram = findGitProgram(options.machine.env["PATH"] ?? "", paths);
    const syncFs = fileSystemSync(paths);
    const own = ownFolders(store);
    const whiteout = whiteoutMaker(paths);
    let hooks: LiveHooks | undefined;
    const running = (): OutsideParts => {
      const { own: mine = [], brought = [] } = options.servers?.() ?? {};
      return { ...(hooks?.set ?? NO_HOOKS), servers: [...mine, ...brought], trusted: log.state.trusted };
    };
    const deps = {
      clock,
      makeId: options.makeId,
      outside: runsOutside(running, folder, roots, options.machine),
      git: gitProgram,
      own,
      whiteout,
      ...(syncFs === undefined ? {} : { syncFs }),
    };
    const workspace = await openWorkspace({ roots, foldersDir: store.folders, sessionId }, deps);
    let servers: LiveServers | undefined;
    try {
      let caught: string[] = [];
      if (create) {
        const { mode = options.defaults.mode, model = options.defaults.model, program } = options;
        const ruled = rulesTold(options.config);
        await log.append({
          type: "session.opened",
          sessionId,
          folder,
          roots: [...roots],
          program,
          mode,
          model,
          ...(agent === undefined ? {} : { parent: agent.parent }),
          ...ruled,
          ...(await branchOf(folder)),
        });
      } else caught = await resumed(log, workspace, options, folder);
      const trust = await openTrust({ log, options });
      const rules = agent?.rules ?? liveRules(options.config);
      const hides = (): Hides | undefined =>
        hidesOf(agent?.above.gate().rules ?? [...inRoots(rules.now(), paths), ...log.state.rules]);
      const copy = copyOptions({ ...options, secrets: log.secrets }, workspace, sessionId, hides);
      const [ignored, sandbox, place] = await Promise.all([
        findIgnored(roots),
        openCopy(copy, options, workspace),
        findGit(folder),
      ]);
      const wider = sandbox.contained ? await widerWorkTree(roots, folder) : undefined;
      const git = place !== undefined;
      const steps = watchSteps(log, workspace);
      hooks =
        options.hooks === undefined ? undefined : new LiveHooks(log, options, () => options.hooks?.() ?? NO_HOOKS);
      servers = agent === undefined ? liveServers(log, workspace, options) : undefined;
      const otherRules = ruleNews(log, options.ruleFiles, rules);
      const agents = new LiveAgents(agent?.book ?? bookOf(options, log), openAgent);
      const parts: LiveParts = {
        options,
        log,
        workspace: withBackground({ log, workspace: steps.workspace, sandbox, clock, foldersDir: store.folders }),
        sandbox,
        ignored,
        rules,
        git,
        news: async () => [
          ...(await steps.news()),
          ...(await hookNews(log, hooks)),
          ...(await otherRules()),
          ...(await texts.news()),
          ...(await agentNews(parts, () => loopDeps(parts, { take: () => [] }))),
        ],
        agents,
        ...(hooks === undefined ? {} : { hooks }),
        ...(servers === undefined ? {} : { servers }),
        caught: [
          ...trustNotices(trust),
          ...(agent === undefined && sandbox.contained ? notShown(copy) : []),
          ...[hooks, servers, agents.book].flatMap((one) => one?.notices ?? []),
          ...caught,
        ],
        ...(trust === undefined ? {} : { trust }),
        ...(wider === undefined ? {} : { wider }),
      };
      const texts = liveTexts(() => parts, { workTree: place?.workTree, hidden: () => deniedNow(parts) });
      parts.texts = texts;
      return parts;
    } catch (error) {
      await servers?.set.close();
      await workspace.close();
      throw error;
    }
  } catch (error) {
    await log.close().catch(() => undefined);
    throw error;
  }
}

/** Kinds of agents are read when the session opens. */
function bookOf({ store, tools, folder, agents }: OpenOptions, log: EventLog): AgentBook {
  const place = { configDir: store.config, folder, known: tools.map(({ name }) => name) };
  return new AgentBook(place, () => log.state.trusted, agents);
}

/** A sub-agent's session: no front-end has it, its loop runs in a call of the session above. */
async function openAgent(options: OpenOptions): Promise<{ parts: LiveParts; deps: LoopDeps }> {
  const parts = await openParts(options);
  const deps = loopDeps(parts, { take: () => [] });
  await parts.hooks?.begin();
  // Of one with a layer of its own a dead process may have left the landing of its sum half done.
  await recoverSums(parts, deps);
  return { parts, deps };
}

/** Ends what a dead process left of a review, and begins the rehearsal that the command line asked for (W6). */
async function begin(parts: LiveParts): Promise<Session> {
  const { options } = parts;
  const deps = loopDeps(parts, { take: () => [] });
  await parts.hooks?.begin();
  const reviewed = await recoverSums(parts, deps);
  if (options.bypass !== undefined) await parts.log.append({ type: "bypass.changed", on: true, by: "flag" });
  if (options.rehearse === true) await setRehearsal(parts, true, "flag");
  await beginWork(parts);
  return new LiveSession({ ...parts, reviewed });
}

/** Sorted by time, and unique. */
function newId({ clock, makeId }: OpenOptions): string {
  const stamp = new Date(clock.now()).toISOString().slice(0, 19).replaceAll(/[-:]/g, "").replace("T", "-");
  return `${stamp}${makeId("")}`;
}

/** Gives what the person is told of others' doing meanwhile. */
async function resumed(log: EventLog, workspace: Workspace, options: OpenOptions, folder: string): Promise<string[]> {
  const moved = movedWords(log.state, folder);
  const ruled = rulesTold(options.config);
  await log.append({
    type: "session.resumed",
    program: options.program,
    folder,
    roots: [...workspace.roots],
    ...ruled,
    ...(await branchOf(folder)),
  });
  const facts = await catchUp(log, workspace);
  const { mode, model, effort } = options;
  if (mode !== undefined && mode !== log.state.mode) await log.append({ type: "mode.changed", mode, by: "flag" });
  if (model !== undefined && model !== log.state.model) await log.append({ type: "model.changed", model, by: "flag" });
  // What was typed now goes before what was chosen in the session.
  if (effort !== undefined && log.state.effort !== undefined && effort !== log.state.effort)
    await log.append({ type: "effort.changed", effort, by: "flag" });
  const told = facts.flatMap((f) => (f.type === "note.added" ? [f.text.replace(/ Read again[^.]*\.$/, "")] : []));
  return moved === undefined ? told : [moved, ...told];
}

function copyOptions(
  { store, machine, secrets, config }: OpenOptions,
  workspace: Workspace,
  sessionId: string,
  hides: () => Hides | undefined,
): SandboxOptions {
  return {
    roots: workspace.roots,
    homeDir: join(store.sessions, `${sessionId}.home`),
    personHome: machine.home,
    stateDir: store.state,
    configDir: realpathSync(store.config),
    resultsDir: join(store.results, sessionId),
    env: machine.env,
    uid: machine.uid,
    gid: machine.gid,
    ...(secrets === undefined ? {} : { secrets }),
    hides,
    ...(config.shown === undefined ? {} : { shown: config.shown }),
    ...(machine.sandboxes === undefined ? {} : { only: machine.sandboxes }),
  };
}

function openCopy(options: SandboxOptions, { machine, clock }: OpenOptions, workspace: Workspace) {
  return openSandbox(options, {
    newStep: (operationId) => workspace.newStep(operationId),
    clock,
    arch: machine.arch,
    platform: machine.platform,
  });
}
