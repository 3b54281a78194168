import type { ContentBlock } from "../events/block.ts";
import type { Servers } from "../mcp/servers.ts";
import type { Attached } from "./attach.ts";
import { mentionsIn } from "./mentions.ts";

/** Of one message. */
const MOST = 10;

/**
 * Adds what the words name by `@server:uri`, where that server offers that very address: nothing that a pasted text makes up is asked of
 * anyone. `dir`: for what the model can't be shown as it is.
 */
export async function withResources(
  attached: Attached,
  words: string,
  { servers, dir }: { servers: Servers | undefined; dir: string },
  signal: AbortSignal,
): Promise<Attached> {
  if (servers === undefined) return attached;
  const named = mentionsIn(words).flatMap(({ readings }) => {
    const found = readings.map(({ path }) => servers.resource(path)).find((at) => at !== undefined);
    return found === undefined ? [] : [found];
  });
  const all = [...new Map(named.map((at) => [`${at.server}:${at.uri}`, at])).entries()].slice(0, MOST);
  const content: ContentBlock[] = [...attached.content];
  const notes = [...attached.notes];
  for (const [name, at] of all) {
    try {
      content.push(...(await servers.readResource(at, dir, signal)).map((block) => labelled(block, name)));
    } catch (error) {
      notes.push(`@${name} is not attached: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  return { ...attached, content, notes };
}

/** Where it comes from is said ahead of it, in the same block: nothing inside can stand before that. */
function labelled(block: ContentBlock, name: string): ContentBlock {
  const attached = `read @${name}`;
  if (block.type !== "text") return { ...block, attached };
  return {
    ...block,
    text: `(Attached to the message: the resource ${JSON.stringify(name)} of a server.)\n${block.text}`,
    attached,
  };
}
