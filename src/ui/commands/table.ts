import type { Mode } from "../../events/effect.ts";
import { MODES } from "../../events/mode.ts";
import { rehearsalOf } from "../../session/rehearse.ts";
import { agentsCommand } from "./agents.ts";
import { asideCommand } from "./aside.ts";
import { diffCommand } from "./diff.ts";
import { compactCommand, handoffCommand, pinCommand } from "./compact.ts";
import { contextCommand } from "./context.ts";
import { costLines, turnLines } from "./cost.ts";
import type { Command } from "./command.ts";
import { configCommand } from "./config.ts";
import { doctorCommand } from "./doctor.ts";
import { exportCommand, forkCommand, renameCommand } from "./sessions.ts";
import { hooksCommand } from "./hooks.ts";
import { initCommand } from "./init.ts";
import { limitsCommand } from "./limits.ts";
import { keysCommand, themeCommand } from "./look.ts";
import { mcpCommand } from "./mcp.ts";
import { memoryCommand } from "./memory-files.ts";
import { effortCommand, modelCommand } from "./model.ts";
import { permissionsCommand } from "./permissions.ts";
import { shellsCommand } from "./shells.ts";
import { skillsCommand } from "./skills.ts";
import { statusCommand, todoCommand } from "./status.ts";
import { read, report, tell } from "./tell.ts";
import { terminalSetupCommand } from "./terminal-setup.ts";
import { clearScrollbackCommand, copyCommand, transcriptCommand } from "./transcript.ts";
import { trustCommand } from "./trust.ts";
import { changesCommand, redoCommand, rewindCommand, undoCommand } from "./undo.ts";
import { vimCommand } from "./vim.ts";

/** Every slash command, in the order of the menu. */
export const COMMANDS: readonly Command[] = [
  {
    name: "help",
    text: "Commands and keys",
    always: true,
    run: (_args, context) => read(context, "help", (width) => context.help(width)),
  },
  keysCommand,
  {
    name: "mode",
    args: "[plan|ask|auto]",
    text: "What is asked before it lands",
    always: true,
    run: async (args, context) => {
      const mode = MODES.find((m): m is Mode => m === args);
      if (args !== "" && mode === undefined)
        return tell(context, `No mode ${args}. There are plan, ask and auto.`, "error");
      if (mode === undefined)
        return tell(
          context,
          `This is ${context.session.state().mode} mode. /mode plan, /mode ask or /mode auto changes it.`,
        );
      await context.session.setMode(mode);
    },
  },
  permissionsCommand,
  hooksCommand,
  memoryCommand,
  initCommand,
  skillsCommand,
  mcpCommand,
  modelCommand,
  effortCommand,
  undoCommand,
  redoCommand,
  rewindCommand,
  changesCommand,
  diffCommand,
  trustCommand,
  {
    name: "rehearse",
    args: "[on|off]",
    text: "Changes wait in the copy for one review, or land step by step",
    run: async (args, context) => {
      if (args !== "" && args !== "on" && args !== "off")
        return tell(context, "/rehearse on, /rehearse off, or /rehearse to see which.", "error");
      if (args !== "") return report(context, await context.session.setRehearsal(args === "on"));
      const rehearsal = rehearsalOf(context.session.state());
      tell(
        context,
        rehearsal === undefined
          ? "Changes land step by step. /rehearse on lets them wait for one review."
          : `Rehearsing, ${rehearsal.pending} pending. /land reviews it, /rehearse off ends it when nothing waits.`,
      );
    },
  },
  {
    name: "land",
    args: "[drop]",
    text: "Reviews and lands what is pending, or what the copy keeps",
    run: async (args, context) => {
      if (args !== "" && args !== "drop")
        return tell(context, "/land reviews what is pending; /land drop drops all of it.", "error");
      report(context, await context.session.land(args === "drop" ? { drop: true } : {}));
    },
  },
  agentsCommand,
  shellsCommand,
  {
    name: "port",
    args: "[NUMBER]",
    text: "Opens a port of a background server to your browser",
    always: true,
    run: async (args, context) => {
      const port = Number(args);
      if (args !== "" && !(Number.isInteger(port) && port >= 1 && port <= 65_535))
        return tell(context, `No port ${args}. /port 3000 opens port 3000 of the copy on 127.0.0.1.`, "error");
      report(context, await context.session.openPort(args === "" ? undefined : port));
    },
  },
  {
    name: "resume",
    args: "[ID]",
    text: "Goes on with another session",
    run: (args, context) => context.resume(args === "" ? undefined : args),
  },
  forkCommand,
  renameCommand,
  exportCommand,
  {
    name: "clear",
    text: "Forgets the conversation; files and undo stay",
    run: async (_args, context) => {
      await context.session.clear();
      tell(context, "The model starts afresh. What landed can still be undone.");
    },
  },
  {
    name: "cost",
    args: "[turns]",
    text: "Tokens and money so far",
    always: true,
    run: async (args, context) => {
      if (args !== "" && args !== "turns")
        return tell(context, "/cost sums up, /cost turns lists each request.", "error");
      const cost = context.session.cost();
      context.say((width) => (args === "turns" ? turnLines(cost, width) : costLines(cost, width)));
    },
  },
  contextCommand,
  compactCommand,
  pinCommand,
  handoffCommand,
  limitsCommand,
  vimCommand,
  terminalSetupCommand,
  transcriptCommand,
  copyCommand,
  clearScrollbackCommand,
  statusCommand,
  configCommand,
  doctorCommand,
  todoCommand,
  asideCommand,
  themeCommand,
  {
    name: "exit",
    also: ["quit"],
    text: "Leaves; agent --resume comes back",
    always: true,
    run: async (_args, context) => context.exit(),
  },
];
