import { attachedTo, type ContentBlock, textOf } from "../events/block.ts";
import type { Item, SessionState } from "../events/state.ts";
import { startOf } from "../util/halves.ts";

/** The conversation as text: for the file that a compaction leaves, and for a model that can't be sent it whole. */
export function transcript(state: SessionState, items: readonly Item[], mostOfResult = Infinity): string[] {
  return items.flatMap((item): string[] => {
    switch (item.kind) {
      case "prompt":
        return [`[${item.seq}] The person: ${said(item.content)}`];
      case "note":
        return [`[${item.seq}] Note: ${item.text}`];
      case "reply":
        return replyText(state, item, mostOfResult);
    }
  });
}

function replyText({ calls }: SessionState, item: Extract<Item, { kind: "reply" }>, most: number): string[] {
  return item.blocks.flatMap((block): string[] => {
    if (block.type === "text") return block.text.trim() === "" ? [] : [`[${item.seq}] The model: ${block.text}`];
    if (block.type !== "tool_use" || item.cut !== undefined) return [];
    const result = calls.get(block.id)?.result;
    const words = result === undefined ? "(none)" : said(result.content);
    const shown = words.length > most ? `${words.slice(0, most * 0.7)}\n[… cut …]\n${words.slice(-most * 0.2)}` : words;
    return [
      `[${item.seq}] Call ${block.name} ${JSON.stringify(block.input)}`,
      `[${item.seq}] Result${result === undefined || result.status === "ok" ? "" : ` (${result.status})`}: ${shown}`,
    ];
  });
}

/** The text, and what was attached by name. */
function said(content: readonly ContentBlock[]): string {
  return [textOf(content), ...attachedTo(content).map((words) => `(${words})`)].filter((w) => w !== "").join("\n");
}

/** Entries put together to parts of at most so many characters; one that is longer is cut into several. */
export function partsOf(entries: readonly string[], most: number): string[] {
  const parts: string[] = [];
  let open = "";
  for (const entry of entries.flatMap((e) => pieces(e, most))) {
    if (open !== "" && open.length + entry.length + 1 > most) {
      parts.push(open);
      open = "";
    }
    open += open === "" ? entry : `\n${entry}`;
  }
  return open === "" ? parts : [...parts, open];
}

/** Cut between two signs, never within one. */
function pieces(entry: string, most: number): string[] {
  const out: string[] = [];
  let at = 0;
  do {
    const piece = startOf(entry.slice(at), Math.max(2, most));
    out.push(piece);
    at += piece.length;
  } while (at < entry.length);
  return out;
}
