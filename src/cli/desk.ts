import { dirname, join } from "node:path";
import { openDrafts } from "../ui/input/draft-file.ts";
import type { Desk } from "../ui/screen/desk.ts";
import { systemClock } from "../util/system.ts";
import type { Wired } from "./wire.ts";

/** The person's own editor and unsent texts, beside what was sent in this project. */
export function deskIn({ folder, historyFile, secrets, settings }: Wired): Desk {
  const { env, pid } = process;
  const dir = dirname(historyFile);
  return {
    ...settings.editor,
    env,
    edit: async (text, path) =>
      (await import("../ui/term/editor.ts")).editOutside(text, { env, cwd: folder, dir }, path),
    open: async (path) => (await import("../ui/term/editor.ts")).editInPlace(path, { env, cwd: folder, dir }),
    drafts: openDrafts(join(dir, "drafts"), {
      pid,
      now: () => systemClock.now(),
      isAlive,
      mask: (text) => secrets.mask(text),
    }),
  };
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
