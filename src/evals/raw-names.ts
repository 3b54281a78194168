import { readdirSync } from "node:fs";

/** Names in a folder, sorted, as text and as the path that `fs` takes: on Linux a name may be no text, and an agent can make one. */
export function namesIn(dir: Buffer): { name: string; at: Buffer }[] {
  return readdirSync(dir, { encoding: "buffer" })
    .map((bytes) => ({ name: textOf(bytes), at: Buffer.concat([dir, Buffer.from("/"), bytes]) }))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

/** Two names are never the same text: what is no UTF-8 is told byte by byte. */
function textOf(bytes: Buffer): string {
  const text = bytes.toString("utf8");
  if (Buffer.from(text).equals(bytes)) return text;
  return bytes.toString("latin1").replace(/[^ -~]/g, (c) => `\\x${c.charCodeAt(0).toString(16).padStart(2, "0")}`);
}
