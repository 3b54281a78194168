import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { z } from "zod";
import { parseRecording, repliesOf, type RecordedReply } from "../../src/model/recorded.ts";
import type { Call } from "./baseline.ts";

const FOLDER = resolve(import.meta.dirname, "../../fixtures/work");

const Sent = z.object({
  type: z.literal("prompt.submitted"),
  content: z.array(z.object({ type: z.literal("text"), text: z.string() })),
});
const Finished = z.object({ type: z.literal("call.finished"), callId: z.string(), status: z.string() });

/** A recorded piece of work: what was said and done, on which project. */
export interface Work {
  name: string;
  /** Holds `start/`, the project, and perhaps `setup.sh`. */
  dir: string;
  prompts: readonly z.infer<typeof Sent>["content"][];
  replies: readonly RecordedReply[];
  calls: readonly (Call & { id: string })[];
  /** How each call ended when it was recorded. */
  ends: ReadonlyMap<string, string>;
}

/** The names of all recorded pieces of work. */
export function workNames(): string[] {
  return readdirSync(FOLDER, { withFileTypes: true }).flatMap((e) => (e.isDirectory() ? [e.name] : []));
}

export function readWork(name: string): Work {
  const dir = join(FOLDER, name);
  const events = parseRecording(readFileSync(join(dir, "session.jsonl"), "utf8"));
  const replies = repliesOf(events);
  const calls = replies.flatMap(({ blocks }) => blocks.flatMap((b) => (b.type === "tool_use" ? [b] : [])));
  const all = <T>(kind: z.ZodType<T>): T[] => events.flatMap((event) => kind.safeParse(event).data ?? []);
  return {
    name: name.replaceAll("-", " "),
    dir,
    prompts: all(Sent).map(({ content }) => content),
    replies,
    calls,
    ends: new Map(all(Finished).map(({ callId, status }) => [callId, status])),
  };
}
