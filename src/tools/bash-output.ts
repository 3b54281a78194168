import { z } from "zod";
import type { Group } from "../sandbox/group.ts";
import { failed, quiet } from "./outcome.ts";
import { findShell, tellShell } from "./shell-result.ts";
import { defineTool, type Outcome, type ToolContext } from "./tool.ts";

const Input = z.strictObject({
  shell_id: z.string().describe("As Bash named it"),
  filter: z.string().optional().describe("Regular expression; lines that don't match count as read"),
  wait_ms: z.int().min(1).max(120_000).optional().describe("At most"),
  land: z.boolean().optional().describe("See above"),
});
type Input = z.infer<typeof Input>;

const LOOK_MS = 25;

/** Tells what a background shell said and did (T1). */
export const bashOutputTool = defineTool<Input>({
  name: "BashOutput",
  description: `Reads a background shell that Bash started with run_in_background: what is new of its output, whether it runs or how it ended, which files it changed. Use it rather than a loop: wait_ms waits for news.
What it changes is not in the folder yet: it is put before the person when the shell ends, at the end of your turn, or now with land: true. It has no unix sockets: listen on 127.0.0.1.
Example: {"shell_id":"bg_1","wait_ms":5000,"filter":"error|ready"}`,
  input: Input,
  subject: (input) => input.shell_id,
  needs: () => Promise.resolve([]),
  parallel: () => false,
  run: (input, ctx) => quiet(() => read(input, ctx)),
});

async function read(input: Input, ctx: ToolContext): Promise<Outcome> {
  const group = findShell(input.shell_id, ctx);
  if (typeof group === "string") return failed(group);
  if (input.wait_ms !== undefined) await news(group, input.wait_ms, ctx);
  return tellShell(group, ctx, { filter: input.filter, land: input.land });
}

async function news(group: Group, ms: number, { clock, signal }: ToolContext): Promise<void> {
  for (let waited = 0; waited < ms && group.end === undefined && group.unread.size === 0; waited += LOOK_MS) {
    if (signal.aborted) return;
    await clock.sleep(LOOK_MS, signal);
  }
}
