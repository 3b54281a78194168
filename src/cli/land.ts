import { layersOf } from "../events/layers.ts";
import { denyAll } from "../permissions/asker.ts";
import { openStore } from "../session/store.ts";
import { sanitize } from "../util/visible.ts";
import type { LandOptions } from "./args-land.ts";
import type { RunOptions } from "./args.ts";
import { pathList, say, tell, tellJson } from "./diff-text.ts";
import { programDirs } from "../session/environment.ts";
import { readLog } from "./read-log.ts";
import { wire } from "./wire.ts";

/** `agent land ID`: lands what a session has pending, days later too (W6). 1: something could not land, and stays pending. */
export async function landSession(
  wanted: string,
  { how, json }: { how: LandOptions; json: boolean },
  version: string,
): Promise<number> {
  const store = openStore(programDirs(process.env));
  const { state } = await readLog(store, wanted);
  const layers = layersOf(state);
  // What the copy merely keeps lands when it is asked for. A review that had begun may have died: opening ends it.
  const begun = state.steps.some((step) => step.from !== undefined);
  if (!begun && !layers.some((layer) => layer.pended || how.withRegenerable)) {
    const text = `nothing is pending in session ${state.id}`;
    if (json) tellJson({ ok: true, session_id: state.id, text, paths: [] });
    else say(text);
    return 0;
  }
  const added = state.roots.filter((root) => root.kind === "added").map((root) => root.path);
  const session = await wire(optionsFor(added), version, state.folder).open(denyAll("nobody is asked"), state.id);
  try {
    for (const notice of session.notices) process.stderr.write(`agent: ${sanitize(notice)}\n`);
    const { only, ...rest } = how;
    const report = await session.land({ ...rest, ...(only.length === 0 ? {} : { only }), yes: true });
    if (json) tellJson({ ok: report.ok, session_id: state.id, text: report.text, paths: report.paths });
    else
      for (const row of [...report.text.split("\n"), ...pathList(report.paths).map((path) => `  ${path}`)]) tell(row);
    return report.ok ? 0 : 1;
  } finally {
    await session.close();
  }
}

function optionsFor(addDirs: readonly string[]): RunOptions {
  return {
    print: true,
    format: "text",
    inputFormat: "text",
    continue: false,
    answers: [],
    addDirs,
    allow: [],
    ask: [],
    bypass: false,
    trustFolder: false,
    allowedTools: [],
    disallowedTools: [],
    deny: [],
    strict: false,
    plain: false,
    rehearse: false,
    tour: false,
  };
}
