import { text } from "../events/block.ts";
import { bringBack } from "../loop/bring-back.ts";
import type { LoopDeps } from "../loop/deps.ts";
import { handoffFile } from "../loop/handoff-file.ts";
import { prepare } from "../loop/prepare.ts";
import { locate } from "../tools/paths.ts";
import { stageFile } from "../tools/stage-file.ts";
import { loadBytes } from "../tools/text-file.ts";
import { drained } from "./hearing.ts";

/**
 * Writes a handoff and gives its path: among the session's results, or where a file is named into the folder, through the door, judged and
 * asked about as a Write of the model's (C7). Undefined: it did not land.
 */
export async function writeHandoff(
  words: string,
  file: string | undefined,
  deps: LoopDeps,
  signal: AbortSignal,
): Promise<string | undefined> {
  const content = `# Handoff\n\n${deps.log.secrets.mask(words)}\n`;
  if (file === undefined || file.trim() === "") return handoffFile(deps, content);
  const id = deps.makeId("op");
  const ctx = await deps.context({ callId: id, operationId: id }, signal, deps.asker);
  const input = { file_path: file.trim(), content };
  const call = prepare({ type: "tool_use", id, name: "Write", input }, deps.tools);
  const place = await locate(input.file_path, ctx);
  if (!call.ok || typeof place === "string" || !place.inside) return undefined;
  const old = place.exists ? await loadBytes(place, ctx) : undefined;
  if (typeof old === "string") return undefined;
  const set = await stageFile(place, Buffer.from(content), old, ctx);
  const effect = { tool: "Write", subject: input.file_path, needs: [], contained: ctx.sandbox.contained };
  const outcome = { status: "ok" as const, content: [text("")], touched: [] };
  let landed = false;
  await drained(
    (async function* () {
      const brought = yield* bringBack(set, outcome, { call, effect, ctx }, deps, signal);
      landed = brought.outcome.status === "ok";
    })(),
  );
  return landed ? place.shown : undefined;
}
