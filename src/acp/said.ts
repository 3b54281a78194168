import { isAbsolute, relative } from "node:path";
import { fileURLToPath } from "node:url";
import type { ContentBlock as Sent, EmbeddedResource } from "@agentclientprotocol/sdk";
import { text, type ContentBlock } from "../events/block.ts";
import { mediaFacts } from "../events/media.ts";
import { readRegular } from "../util/regular-file.ts";

/** A message of an editor's. `notes`: what of it is left out, and why. */
export interface Said {
  /** With `@path` where a file was named. */
  words: string;
  /** What came along with it. */
  beside: readonly ContentBlock[];
  notes: readonly string[];
}

/** Letters of a text that an editor sends along; the model reads the rest by itself. */
const MOST_TEXT = 60_000;
/** Of a file that is compared with what the editor has. */
const MOST_BYTES = 4 << 20;

/** What an editor's blocks say to the model. `folder`: real path, for short names. */
export async function saidBy(blocks: readonly Sent[], folder: string): Promise<Said> {
  const words: string[] = [];
  const beside: ContentBlock[] = [];
  const notes: string[] = [];
  const add = (block: ContentBlock) => {
    const unfit = block.type === "text" ? undefined : mediaFacts(block).unfit;
    if (unfit === undefined) beside.push(block);
    else notes.push(`${block.attached ?? "an attachment"} is not sent: ${unfit}.`);
  };
  for (const block of blocks) {
    switch (block.type) {
      case "text":
        words.push(block.text);
        break;
      case "resource_link":
        words.push(mention(block.uri, block.name, folder));
        break;
      case "resource": {
        const path = pathOf(block.resource.uri);
        words.push(path === undefined ? block.resource.uri : short(path, folder));
        const got = await embedded(block, path, folder);
        if (typeof got === "string") notes.push(got);
        else add(got);
        break;
      }
      case "image":
        add({
          type: "image",
          source: { type: "base64", media_type: block.mimeType, data: block.data },
          attached: `a picture (${block.mimeType})`,
        });
        break;
      case "audio":
        notes.push("Sound is not sent: no model here takes it.");
        break;
    }
  }
  return { words: joined(words), beside, notes };
}

/** Editors cut a message at what it names; blanks around that are theirs. */
function joined(words: readonly string[]): string {
  return words.reduce(
    (all, next) => (all === "" || /\s$/.test(all) || /^[\s.,;:!?)]/.test(next) ? all + next : `${all} ${next}`),
    "",
  );
}

/** A file as the composer's `@path` names it, which is read when the message is sent; any other address as it is. */
function mention(uri: string, name: string, folder: string): string {
  const path = pathOf(uri);
  if (path === undefined) return `[${name}](${uri})`;
  const lines = /#L(\d+)(?:[-:]L?(\d+))?$/.exec(uri);
  const range = lines === null ? "" : `:${lines[1] ?? ""}${lines[2] === undefined ? "" : `-${lines[2]}`}`;
  const shown = short(path, folder);
  if (/["\n]/.test(shown)) return shown;
  return /^[^\s@"'(),;:]+$/.test(shown) ? `@${shown}${range}` : `@"${shown}"${range}`;
}

function pathOf(uri: string): string | undefined {
  try {
    const url = new URL(uri);
    return url.protocol === "file:" ? fileURLToPath(new URL(url.pathname, "file://")) : undefined;
  } catch {
    return isAbsolute(uri) ? uri : undefined;
  }
}

function short(path: string, folder: string): string {
  const inside = relative(folder, path);
  return inside === "" || inside.startsWith("..") || isAbsolute(inside) ? path : inside;
}

/** What the editor holds, which may be other than what lies on the disk: that is said, since Edit works on the disk. */
async function embedded(
  { resource }: EmbeddedResource,
  path: string | undefined,
  folder: string,
): Promise<ContentBlock | string> {
  const name = path === undefined ? resource.uri : short(path, folder);
  if ("text" in resource) {
    const whole = resource.text.length <= MOST_TEXT;
    const state = path === undefined ? "" : await unsaved(path, resource.text);
    const more = whole ? "" : ` Only its first ${MOST_TEXT} letters of ${resource.text.length} are here.`;
    const head = `(Attached to the message: ${JSON.stringify(name)}, as the editor has it.${state}${more})`;
    return {
      ...text(`${head}\n${resource.text.slice(0, MOST_TEXT)}`),
      attached: `${name} (from the editor)`,
    };
  }
  const { mimeType = null, blob } = resource;
  const source = { type: "base64" as const, media_type: mimeType ?? "", data: blob };
  if (mimeType === "application/pdf") return { type: "document", source, attached: name };
  if (mimeType?.startsWith("image/") === true) return { type: "image", source, attached: name };
  return `${name} is not sent: it is no text, picture or PDF (${mimeType ?? "no type"}).`;
}

async function unsaved(path: string, held: string): Promise<string> {
  const bytes = await readRegular(path, { follow: true, most: MOST_BYTES }).catch(() => undefined);
  if (bytes === undefined) return "";
  const same = bytes.toString("utf8").replaceAll("\r\n", "\n").includes(held.replaceAll("\r\n", "\n"));
  return same ? "" : " It is not what lies on the disk: the person has not saved it, and your tools see the disk.";
}
