/**
 * Names that rules begin with in the settings of other programs of this kind: what means the same here, or nothing where this program
 * has no such tool (yet). So a settings file that people already have reads as it stands, and a mistyped name is still a mistake.
 */
export const ELSEWHERE: ReadonlyMap<string, string | undefined> = new Map([
  ["MultiEdit", "Edit"],
  ["NotebookEdit", "Edit"],
  ["NotebookRead", "Read"],
  ["LS", "Read"],
  ["AskUserQuestion", "AskUser"],
  ["KillBash", "KillShell"],
  ["WebSearch", undefined],
  ["Task", undefined],
  ["Agent", undefined],
  ["Skill", undefined],
  ["SlashCommand", undefined],
  ["ExitPlan", undefined],
  ["ExitPlanMode", undefined],
  ["EnterPlanMode", undefined],
  ["ToolSearch", undefined],
  ["CallTool", undefined],
]);
