import { backendNotices } from "../sandbox/words.ts";
import { forkWords } from "./fork.ts";
import { homeOf } from "./environment.ts";
import type { LiveParts } from "./live.ts";
import { aboveWords, settingsAbove } from "./settings-above.ts";

/** Said when a session is opened. */
export function noticesOf(parts: LiveParts): readonly string[] {
  const { options, log, workspace, wider, sandbox } = parts;
  const part =
    wider === undefined
      ? []
      : [
          aboveWords(settingsAbove(log.state.folder, wider, homeOf(options.machine.env))),
          `This folder is part of the repository ${wider}, and commands see the folder only. Start in ${wider}, or with --add-dir ${wider}, if they need what lies beside it.`,
        ].filter((words) => words !== undefined);
  return [
    ...(options.notices ?? []),
    ...[forkWords(log.state)].filter((words) => words !== undefined),
    ...log.notices,
    ...workspace.recovered,
    ...(parts.caught ?? []),
    ...(parts.reviewed ?? []),
    ...backendNotices(sandbox.kind, sandbox.why),
    ...part,
  ];
}
