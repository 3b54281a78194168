import { backendNotices } from "../sandbox/words.ts";
import { forkWords } from "./fork.ts";
import type { LiveParts } from "./live-parts.ts";

/** Said when a session is opened. */
export function noticesOf(parts: LiveParts): readonly string[] {
  const { options, log, workspace, wider, sandbox } = parts;
  const part =
    wider === undefined
      ? []
      : [
          `This folder is part of the repository ${wider}, and commands see the folder only. Start in ${wider}, or with --add-dir ${wider}, if they need what lies beside it; the setting bash.show lets them read it.`,
        ];
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
