import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import type { SecurityCase } from "./case.ts";
import { runCalls, type CasePlace } from "./call-case.ts";
import { ownGround } from "./own-files.ts";
import type { Seen } from "./score.ts";

const Hook = z.strictObject({
  event: z.string(),
  output: z.unknown().optional(),
  exit: z.number().optional(),
  stderr: z.string().optional(),
  sleep: z.number().optional(),
  missing: z.boolean().optional(),
});
const Input = z.strictObject({
  hooks: z.array(Hook),
  call: z.strictObject({ tool: z.string(), input: z.unknown() }),
});
type Hook = z.infer<typeof Hook>;

/** Seconds; one that hangs is ended by it. */
const TIMEOUT = 3;

/** A call with hooks of the person's, which count in any folder. What they answer is in the case. */
export async function runHook(c: SecurityCase, place: CasePlace): Promise<Seen | string> {
  const input = Input.safeParse(c.input);
  if (!input.success) return `hooks of this shape: ${input.error.issues[0]?.message ?? ""}`;
  const ground = ownGround(place);
  const dir = join(place.folders.base, "hooks");
  mkdirSync(dir);
  const hooks: Record<string, unknown[]> = {};
  for (const [n, hook] of input.data.hooks.entries()) {
    const command = join(dir, `hook-${n}.sh`);
    if (hook.missing !== true) writeFileSync(command, scriptOf(hook));
    if (hook.missing !== true) chmodSync(command, 0o755);
    (hooks[hook.event] ??= []).push({ hooks: [{ type: "command", command, timeout: TIMEOUT }] });
  }
  writeFileSync(join(ground.config, "settings.json"), JSON.stringify({ hooks }), { mode: 0o600 });
  const { call } = input.data;
  return runCalls({ ...c, tool: call.tool, input: call.input }, [call], { ...place, ground });
}

function scriptOf({ output, exit = 0, stderr = "", sleep = 0 }: Hook): string {
  const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
  const lines = [
    "#!/bin/sh",
    "cat > /dev/null",
    ...(sleep > 0 ? [`sleep ${sleep}`] : []),
    ...(stderr === "" ? [] : [`printf '%s\\n' ${quoted(stderr)} >&2`]),
    ...(output === undefined ? [] : [`printf '%s' ${quoted(JSON.stringify(output))}`]),
    `exit ${exit}`,
  ];
  return `${lines.join("\n")}\n`;
}
