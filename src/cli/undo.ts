import { openWorkspace } from "../workspace/open.ts";
import { findRoots } from "../workspace/roots.ts";
import { openStore } from "../session/store.ts";
import { showPath } from "../util/bytes.ts";
import { randomId, systemClock } from "../util/system.ts";
import { sanitize } from "../util/visible.ts";
import { programDirs } from "./environment.ts";

/** `agent undo`: the newest landed step of this folder, whichever session it was. Sessions learn of it from the journal (W8). */
export async function undoLanded(operation: string | undefined, _version: string): Promise<number> {
  const store = openStore(programDirs(process.env));
  const roots = await findRoots({ folder: process.cwd() });
  const workspace = await openWorkspace(
    { roots, foldersDir: store.folders, sessionId: "agent-undo" },
    { clock: systemClock, makeId: randomId },
  );
  try {
    for (const note of workspace.recovered) say(note);
    const steps = (await workspace.journal()).filter((s) => s.status === "landed");
    const step = operation === undefined ? steps.at(-1) : steps.find((s) => s.operationId === operation);
    if (step === undefined) {
      say(
        operation === undefined
          ? "nothing to undo in this folder"
          : `there is no landed step ${operation} in this folder`,
      );
      return 1;
    }
    const report = await workspace.undo(step.operationId);
    for (const c of report.conflicts) say(`${showPath(c.path)}: ${c.why}`);
    if (!report.ok) {
      say("nothing was undone");
      return 1;
    }
    process.stdout.write(sanitize(`Undone ${step.operationId} of ${step.at.slice(0, 16).replace("T", " ")}:`) + "\n");
    for (const { path } of report.paths)
      process.stdout.write(`  ${sanitize(showPath(path)).replaceAll("\n", "\\n")}\n`);
    return 0;
  } finally {
    await workspace.close();
  }
}

function say(text: string): void {
  process.stderr.write(`agent: ${sanitize(text)}\n`);
}
