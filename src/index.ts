export { z } from "zod";
export type { ContentBlock, ReplyBlock } from "./events/block.ts";
export type { Decision, Effect, Mode, Need, Risk, Rule } from "./events/effect.ts";
export type { EndReason, LogEvent, SessionEvent, Usage } from "./events/event.ts";
export type { LiveEvent } from "./events/live-event.ts";
export type { SessionState } from "./events/state.ts";
export type { HookEvent, HookFields, HookInput } from "./hooks/moment.ts";
export type { ProgramHook as Hook, ProgramHooks as Hooks } from "./hooks/read.ts";
export type { Model, ModelEvent, ModelRequest } from "./model/model.ts";
export { scriptedModel, type Script } from "./model/scripted.ts";
export type { Answer, Asker, Question } from "./permissions/asker.ts";
export { denyAll } from "./permissions/asker.ts";
export { questionText } from "./permissions/question-text.ts";
export type { ProgramAgent as Agent } from "./session/agents-given.ts";
export type { Env } from "./session/environment.ts";
export {
  programQuery as query,
  programSession as openSession,
  toEnd,
  type ProgramOptions as OpenOptions,
} from "./session/program-session.ts";
export type { QueryResult, Session } from "./session/session.ts";
export { ToolError } from "./tools/program-error.ts";
export type { ProgramFiles as ToolFiles } from "./tools/program-files.ts";
export {
  programTool as defineTool,
  type ProgramAnswer as ToolAnswer,
  type ProgramCall as ToolCall,
  type ProgramEffects as ToolEffects,
  type ProgramTool as Tool,
} from "./tools/program-tool.ts";
export type { Clock } from "./util/deps.ts";
