import { askUserTool } from "./ask-user.ts";
import { bashOutputTool } from "./bash-output.ts";
import { bashTool } from "./bash.ts";
import { deleteTool } from "./delete.ts";
import { editTool } from "./edit.ts";
import { exitPlanTool } from "./exit-plan.ts";
import { globTool } from "./glob.ts";
import { grepTool } from "./grep.ts";
import { killShellTool } from "./kill-shell.ts";
import { readTool } from "./read.ts";
import { rememberTool } from "./remember.ts";
import { skillTool } from "./skill.ts";
import { taskTool } from "./task.ts";
import { todoWriteTool } from "./todo-write.ts";
import type { Tool } from "./tool.ts";
import { webFetchTool } from "./web-fetch.ts";
import { writeTool } from "./write.ts";

/** Every built-in tool, by name; its own file is the only other place that knows it (T2). */
export const builtinTools: readonly Tool[] = [
  askUserTool,
  bashOutputTool,
  bashTool,
  deleteTool,
  editTool,
  exitPlanTool,
  globTool,
  grepTool,
  killShellTool,
  readTool,
  rememberTool,
  skillTool,
  taskTool,
  todoWriteTool,
  webFetchTool,
  writeTool,
];
