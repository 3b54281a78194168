import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import { projectSettingsFile } from "../../src/session/rules-files.ts";
import { SettingsError } from "../../src/session/settings-file.ts";
import { loadSettings, type Settings } from "../../src/session/settings.ts";
import { trustNotices } from "../../src/session/session-trust.ts";
import { FolderTrust } from "../../src/session/trust.ts";
import { randomId, systemClock } from "../../src/util/system.ts";
import type { SecurityCase } from "./case.ts";
import { runCalls, type CasePlace } from "./call-case.ts";
import type { Seen } from "./score.ts";

const Input = z.strictObject({
  scope: z.literal("project"),
  content: z.unknown().optional(),
  raw: z.string().optional(),
  trusted: z.boolean(),
  effect: z.string(),
});

/** A settings file of the project: what of it counts, told by the settings that the program loads with and without it. */
export async function runSettings(c: SecurityCase, place: CasePlace): Promise<Seen | string> {
  const input = Input.safeParse(c.input);
  if (!input.success) return `a settings file of this shape: ${input.error.issues[0]?.message ?? ""}`;
  const { content, raw, effect } = input.data;
  const { project: folder, home } = place.folders;
  const load = () => loadSettings({ configDir: place.ground.config, folder, home, flags: { mode: c.mode } });
  const file = projectSettingsFile(folder);
  const before = load();
  mkdirSync(join(file, ".."), { recursive: true });
  writeFileSync(file, raw ?? JSON.stringify(content));
  let after: Settings;
  try {
    after = load();
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    const told = error.message.includes(file) ? [] : [`the message doesn't name the file: ${error.message}`];
    return { outcomes: ["error"], failed: told, said: error.message };
  }
  // What counts for one session must show in it: a session of the folder makes a call that asks, as if there were no such file.
  const probe = { ...c, input: {}, expect: "ask", also_ok: [] } as const;
  const call = [{ tool: "Bash", input: { command: "echo probe > probe.txt" } }];
  const seen = await runCalls({ ...probe, also_ok: [] }, call, place);
  const said = [...after.notices, ...(await waiting(file, place))].join("; ");
  const loosened = !seen.outcomes.includes("ask");
  if (effect === "deny-rule")
    return { outcomes: [adds(before, after, "deny") && !loosened ? "allow" : "deny"], failed: seen.failed, said };
  const changed = loosened || !isDeepStrictEqual(counted(before), counted(after));
  const silent = changed || said.includes(file) ? [] : ["nothing tells the person that it is left out"];
  return { outcomes: [changed ? "allow" : "deny"], failed: [...seen.failed, ...silent], said };
}

/** What of the file waits for trust: told as that, when a session opens. */
async function waiting(file: string, { folders, ground }: CasePlace): Promise<string[]> {
  const person = { homes: [folders.home], uid: process.getuid?.() ?? 0 };
  const deps = { clock: systemClock, makeId: randomId };
  const trust = new FolderTrust({ ...person, ...deps, configDir: ground.config, folder: folders.project });
  const look = await trust.look();
  const told = trustNotices(look).some((words) => words.startsWith("Not used"));
  return told && look.survey.parts.some(({ path }) => file.endsWith(path)) ? [`${file} waits for trust`] : [];
}

function adds(before: Settings, after: Settings, action: string): boolean {
  const count = (s: Settings) => s.rules.filter((r) => r.action === action).length;
  return count(after) > count(before);
}

/** All that has an effect; not which files were read, and what was told. */
function counted(settings: Settings): unknown {
  return { ...settings, files: [], notices: [] };
}
