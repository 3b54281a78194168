import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { HookSource } from "../../src/hooks/hook.ts";
import { hookSet } from "../../src/hooks/hook-set.ts";
import type { HookEvent } from "../../src/hooks/moment.ts";
import { hooksOf } from "../../src/hooks/read.ts";
import { HooksSetting } from "../../src/hooks/schema.ts";
import type { ReadHooks } from "../../src/session/hook-files.ts";

/** Hooks as a session is given them, out of what a settings file says. */
export function hooksFrom(written: unknown, source: HookSource = "user"): () => ReadHooks {
  const setting = HooksSetting.parse(written);
  const hooks = hooksOf(setting, { source, file: "settings.json" });
  return () => ({ ...hookSet(hooks), stopRounds: setting.stopRounds ?? 3, notices: [] });
}

/** One command for one event. */
export function oneHook(event: HookEvent, command: string, more: Record<string, unknown> = {}): unknown {
  const { matcher, ...rest } = more;
  return {
    [event]: [{ ...(matcher === undefined ? {} : { matcher }), hooks: [{ type: "command", command, ...rest }] }],
  };
}

/** A shell script in a folder; its path. */
export function hookScript(folder: string, name: string, body: string, mode = 0o755): string {
  const path = join(folder, name);
  writeFileSync(path, `#!/bin/sh\n${body}\n`);
  chmodSync(path, mode);
  return path;
}

/** A command that prints an answer. */
export function says(answer: unknown): string {
  return `cat >/dev/null; printf '%s' '${JSON.stringify(answer).replaceAll("'", "'\\''")}'`;
}
