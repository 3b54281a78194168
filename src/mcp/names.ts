import { createHash } from "node:crypto";

/** As long as a tool's name may be where the service reads it. */
const MOST = 64;
/** A longer name than this is no name: nobody can tell it from another by its beginning. */
const LONGEST = 256;
/** Control signs and what turns the writing direction: nobody means them in a name. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;

/** What goes between `mcp__server__` and the rest of the world, or why there is none. */
export type Named = { name: string } | { refused: string };

/**
 * A tool's name as it stands in `mcp__server__tool`: letters, digits, `_` and `-`, 64 with all that stands before it. One that had to be
 * changed carries a hash of what it was, so that it is the same in every session, whatever other tools there are, and no other tool's.
 * @param builtin names of the program's own tools, which nobody else's may have.
 */
export function safeName(server: string, given: string, builtin: ReadonlySet<string>): Named {
  if (given === "") return { refused: "it has no name" };
  if (UNSEEN.test(given)) return { refused: "its name holds control signs" };
  if (given.length > LONGEST) return { refused: `its name has ${given.length} characters` };
  if (builtin.has(given)) return { refused: `${given} is the name of a built-in tool` };
  const room = MOST - `mcp__${server}__`.length;
  const plain = given.replaceAll(/[^A-Za-z0-9_-]/g, "_");
  if (plain === given && given.length <= room) return { name: given };
  const mark = createHash("sha256").update(given).digest("hex").slice(0, 8);
  return { name: `${plain.slice(0, room - mark.length - 1)}_${mark}` };
}

export function fullName(server: string, tool: string): string {
  return `mcp__${server}__${tool}`;
}
