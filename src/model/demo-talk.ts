import type { Message, RequestBlock } from "./model.ts";

/** What the tour needs to know of a conversation, read off the request alone, so that a resumed one goes on where it stopped. */
export interface Talk {
  /** Results of the tour's calls since it began, by step. */
  glob?: Result;
  grep?: Result;
  read?: Result;
  asked?: Result;
  write?: Result;
  /** It came to an end, by a reply without a call. */
  over: boolean;
  /** Calls and replies so far; makes ids that differ. */
  replies: number;
  mode: string;
  /** The newest words of the person; undefined while only results come back. */
  said?: string;
}

export interface Result {
  text: string;
  failed: boolean;
}

export const OVERVIEW = "TODO-overview.md";
export const TODO = "\\bTODO\\b";

/** Reads the conversation. The person's word "tour" starts it over. */
export function readTalk(messages: readonly Message[]): Talk {
  const start = Math.max(
    0,
    messages.findLastIndex((m) => m.role === "user" && /\btour\b/i.test(saidIn(m))),
  );
  const since = messages.slice(start);
  const results = new Map(since.flatMap(({ content }) => content.flatMap(resultOf)));
  const talk: Talk = {
    over: since.some((m) => m.role === "assistant" && m.content.every((b) => b.type !== "tool_use")),
    replies: messages.filter((m) => m.role === "assistant").length,
    mode: modeIn(messages),
  };
  for (const block of since.flatMap((m) => m.content)) {
    const step = block.type === "tool_use" ? stepOf(block.name, block.input) : undefined;
    const result = block.type === "tool_use" ? results.get(block.id) : undefined;
    if (step !== undefined && result !== undefined) talk[step] = result;
  }
  const last = messages.at(-1);
  const said = last?.role === "user" ? saidIn(last) : "";
  return said === "" ? talk : { ...talk, said };
}

type Step = "glob" | "grep" | "read" | "asked" | "write";

function stepOf(tool: string, input: Record<string, unknown>): Step | undefined {
  switch (tool) {
    case "Glob":
      return "glob";
    case "Grep":
      return input["pattern"] === TODO ? "grep" : undefined;
    case "Read":
      return input["file_path"] === OVERVIEW ? undefined : "read";
    case "AskUser":
      return "asked";
    case "Write":
      return input["file_path"] === OVERVIEW ? "write" : undefined;
    default:
      return undefined;
  }
}

function resultOf(block: RequestBlock): [string, Result][] {
  if (block.type !== "tool_result") return [];
  const text = block.content.flatMap((b) => (b.type === "text" ? [b.text] : [])).join("\n");
  return [[block.tool_use_id, { text, failed: block.is_error === true }]];
}

/** The person's words in a message: neither results nor notes of the program. */
function saidIn({ content }: Message): string {
  return content
    .flatMap((b) => (b.type === "text" && !b.text.startsWith("<note>") ? [b.text.trim()] : []))
    .join("\n")
    .trim();
}

function modeIn(messages: readonly Message[]): string {
  const notes = messages.flatMap((m) =>
    m.content.flatMap((b) => (b.type === "text" && b.text.startsWith("<note>") ? [b.text] : [])),
  );
  return notes.map((note) => /^Mode: (\w+)/m.exec(note)?.[1]).findLast((mode) => mode !== undefined) ?? "ask";
}
