import { text } from "../events/block.ts";
import { capped } from "../loop/capped.ts";
import type { LoopDeps } from "../loop/deps.ts";
import { asData } from "../tools/as-data.ts";

/** Commands that the person runs by `!!` in their own shell, outside the copy (U8). */
export interface OwnShell {
  /** It ran: for the record, its words alone. */
  ran(command: string, exit: number | null): Promise<void>;
  /** The person lets the model see what it said; it reads that with the next message. */
  show(command: string, exit: number | null, output: string): Promise<void>;
}

/** Of an open session. */
export function ownShell(deps: LoopDeps): OwnShell {
  return {
    async ran(command, exit) {
      const operationId = deps.makeId("op");
      await deps.log.append({ type: "shell.ran", operationId, command, outside: true, exit, output: "" });
    },
    async show(command, exit, output) {
      const [block] = await capped(deps.makeId("op"), [text(deps.log.secrets.mask(output))], deps);
      const said = block?.type === "text" ? asData(block.text) : "";
      const end = exit === null ? "ended by a signal" : `exit code ${exit}`;
      const words = `The person ran a command in their own shell, outside the copy, and shows you what it said:\n$ ${command}\n${said}\n[${end}]`;
      await deps.log.append({ type: "note.added", text: words });
    },
  };
}
