/** What a terminal may act on or not show, and what some programs take for the end of a line: all of it may stand in a JSON text as it is. */
const UNSEEN = /[\x7f-\x9f\p{Cf}\p{Zl}\p{Zp}]/gu;

/**
 * JSON on one line that may be shown on a terminal and read line by line: controls, marks of direction and invisible signs are written as
 * `\u....`. Reads back as the same value.
 */
export function jsonLine(value: unknown): string {
  return JSON.stringify(value).replaceAll(UNSEEN, escaped);
}

function escaped(sign: string): string {
  return sign.replaceAll(/[^]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
