import { join } from "node:path";
import { layersOf } from "../events/layers.ts";
import { notesBefore } from "../context/notes.ts";
import { buildRequest, toolSpecs } from "../context/request.ts";
import { checkName, mayRun } from "../loop/check.ts";
import { gateNow } from "../loop/above.ts";
import type { LoopDeps } from "../loop/deps.ts";
import { runInCopy } from "../loop/hook-copy.ts";
import type { ServerLine } from "../mcp/servers.ts";
import type { Asker } from "../permissions/asker.ts";
import { readDenied } from "../permissions/rule-match.ts";
import { inRoots } from "../permissions/rule-roots.ts";
import { getPage } from "../sandbox/net-get.ts";
import type { ToolContext } from "../tools/tool.ts";
import { regenerableOf } from "../workspace/pieces.ts";
import { isBelow, pathIn, rootOf } from "../workspace/roots.ts";
import { stepFolderOf } from "../workspace/steps.ts";
import type { Workspace } from "../workspace/workspace.ts";
import { judgeBy } from "./judge.ts";
import { maskedAsker } from "./live-keys.ts";
import type { LiveParts } from "./live-parts.ts";
import { costOf } from "./prices.ts";
import { deniedByLink } from "./hard-links.ts";
import { isOwnText } from "./live-texts.ts";
import { runAgent } from "./spawn.ts";
import { ownFolders, spill } from "./store.ts";
import { effortNow } from "./switch.ts";
import { withFeature } from "./long-work.ts";
import { programVersion } from "./version.ts";
import { topNames } from "./top-names.ts";

/** One page: what is read of it, and how long it may take. */
const WEB = {
  accept: "text/markdown, text/html, application/xhtml+xml, text/plain;q=0.9, */*;q=0.5",
  maxBytes: 4 << 20,
  timeoutMs: 30_000,
};
const agentName = (): string => `Understudy/${programVersion()}`;

/** Everything the loop uses, out of an open session. */
export function loopDeps(parts: LiveParts, inbox: LoopDeps["inbox"]): LoopDeps {
  const { options, log, workspace, sandbox, ignored } = parts;
  const { clock, makeId, config, store, machine } = options;
  const checks = withFeature(config.checks, log.state);
  const specs = toolSpecs(parts.servers?.set.listed ?? options.tools);
  const resultsDir = join(store.results, log.state.id);
  const deps: LoopDeps = {
    log,
    tools: parts.servers?.set.all ?? options.agent?.servers?.with(options.tools) ?? options.tools,
    workspace,
    sandbox: () => Promise.resolve(sandbox),
    asker: maskedAsker(options.asker, log.secrets),
    clock,
    makeId,
    limits: config.limits,
    ...(parts.hooks === undefined ? {} : { hooks: parts.hooks, hookInCopy: runInCopy }),
    ...(checks === undefined ? {} : { checks }),
    held: () => options.agent?.held() ?? log.state,
    ...(options.agent === undefined ? { judge: (by, task, signal) => judgeBy(by, task, parts, deps, signal) } : {}),
    model: () => options.openModel(log.state.model),
    fallback: () => (config.fallbackModel === undefined ? undefined : options.openModel(config.fallbackModel)),
    request: (state, model) =>
      buildRequest(state, model, {
        specs,
        ...(config.systemPrompt === undefined ? {} : { base: log.secrets.mask(config.systemPrompt) }),
        ...(config.appendSystemPrompt === undefined ? {} : { append: log.secrets.mask(config.appendSystemPrompt) }),
        effort: effortNow(parts),
      }),
    notes: (state) =>
      notesBefore(state, {
        platform: machine.platform,
        today: new Date(clock.now()).toISOString().slice(0, 10),
        git: parts.git,
        top: () =>
          topNames(
            state.folder,
            hiddenIn(workspace, denialsOf(parts, deps), [], () => false),
          ),
        alone: options.asker.nobody === true,
        ...(parts.wider === undefined ? {} : { wider: parts.wider }),
        contained: sandbox.contained,
        agents: startsAgents(deps) ? parts.agents.book.told() : [],
        ...withServers(parts),
        checks: checks?.list.filter((check) => mayRun(check, state)).map(checkName) ?? [],
      }),
    rules: () => inRoots(parts.rules.now(), pathsOf(workspace)),
    async saveRule(text) {
      const rule = await options.saveRule(text);
      // Read from the file at the next start; until then it counts from here.
      parts.rules.add(rule);
      return rule;
    },
    savedTo: options.savedTo,
    facts: (state) => ({ made: state.made, ignored }),
    regenerable: (c) => regenerableOf(c, ignored) !== undefined,
    context: (call, signal, asker) => Promise.resolve(toolContext(parts, deps, call, resultsDir, { signal, asker })),
    spill: (callId, text) => spill(resultsDir, callId, text),
    ...(parts.news === undefined ? {} : { news: parts.news }),
    cost: (model, usage) => costOf(model, usage, config.prices),
    recall: async (words) => (await parts.texts?.recall(words)) ?? [],
    inbox,
    ...(options.agent === undefined ? {} : { above: options.agent.above }),
    unrecorded: () => parts.agents.unrecorded(log.state),
  };
  return deps;
}

function startsAgents({ tools }: LoopDeps): boolean {
  return tools.some((tool) => tool.agents === true);
}

function pathsOf({ roots }: Workspace): string[] {
  return roots.map((root) => root.path);
}

function toolContext(
  parts: LiveParts,
  deps: LoopDeps,
  call: { callId: string; operationId: string },
  resultsDir: string,
  { signal, asker }: { signal: AbortSignal; asker: Asker },
): ToolContext {
  const { options, log, workspace, sandbox } = parts;
  const { roots } = workspace;
  const layers = layerIds(parts).map((id) => stepFolderOf({ roots, foldersDir: options.store.folders }, id));
  const denials = denialsOf(parts, deps);
  return {
    ...call,
    roots,
    view: workspace.view(layers),
    workspace,
    sandbox,
    state: () => log.state,
    mode: () => gateNow(deps).mode,
    signal,
    clock: options.clock,
    resultsDir,
    readable: [resultsDir, ...(parts.texts?.readable() ?? [])],
    ...(parts.texts === undefined ? {} : { skills: parts.texts.forTools }),
    ...(parts.texts?.notes === undefined ? {} : { notes: parts.texts.notes }),
    hidden: hiddenIn(
      workspace,
      denials,
      ownFolders(options.store),
      (path) => isBelow(resultsDir, path) || isOwnText(parts.texts, path),
    ),
    settings: withinResult(options.config),
    secrets: log.secrets,
    getPage: (address, stop) =>
      getPage(address, { ...WEB, env: options.machine.env, signal: stop, agent: agentName() }),
    askPerson: (question) => asker.askPerson(question, signal),
    runAgent: (task) => runAgent(task, parts, deps, { ...call, signal, asker }),
  };
}

/** What the model is told of tool servers: its own, or those of the session above. */
function withServers({ servers, options }: LiveParts): { servers?: ServerLine[] } {
  const lines = servers?.lines() ?? options.agent?.servers?.lines();
  return lines === undefined ? {} : { servers: lines };
}

interface Denials {
  byName: (path: string) => boolean;
  byLink?: ((path: string) => boolean) | undefined;
}

function denialsOf({ workspace }: LiveParts, deps: LoopDeps): Denials {
  const { rules: ruled } = gateNow(deps);
  return { byName: readDenied(ruled), byLink: deniedByLink(ruled, pathsOf(workspace)) };
}

/** What Read denies cover now, by absolute path. */
export function deniedNow(parts: LiveParts): (absolutePath: string) => boolean {
  return hiddenIn(parts.workspace, denialsOf(parts, loopDeps(parts, { take: () => [] })), [], () => false);
}

/** A sub-agent sees what the session above keeps and rehearses, and its own on top. */
function layerIds({ options, log }: LiveParts): string[] {
  const own = layersOf(log.state).map((layer) => layer.operationId);
  const below = options.agent?.below().filter((id) => !own.includes(id)) ?? [];
  return [...below, ...own];
}

/** A Read ends its page before the loop would cut the middle out of it, so that what it says about the next offset is true. */
function withinResult({ tools, limits }: LiveParts["options"]["config"]): ToolContext["settings"] {
  return { ...tools, read: { ...tools.read, maxChars: Math.min(tools.read.maxChars, limits.resultChars) } };
}

/**
 * Rules name paths relative to their root, files outside by their absolute path. The program's own folders are hidden where a root
 * holds them (outside they are asked about as everything is), but for results, notes and skills that the model is told to read.
 */
function hiddenIn(
  { roots }: Workspace,
  { byName, byLink }: Denials,
  own: readonly string[],
  open: (path: string) => boolean,
): (absolutePath: string) => boolean {
  return (path) => {
    const root = roots[rootOf(roots, path)];
    if (byLink?.(path) === true) return true;
    if (root === undefined) return byName(path);
    const ours = own.some((folder) => isBelow(folder, path)) && !open(path);
    return ours || byName(pathIn(root.path, path));
  };
}
