import { sanitize } from "../../util/visible.ts";

/** One parameter of a colour or a weight of ours; none that blinks or conceals. */
const PARAM = String.raw`(?:[0-479]|[29]\d|[34][0-79]|10[0-7]|[34]8;5;\d{1,3}|[34]8;2(?:;\d{1,3}){3})`;
/** Letters, and such styles: what nearly every row is made of. */
const PLAIN = new RegExp(
  String.raw`^(?:[\x20-\x7e\xa0-\xac\xae-\u02ff\u2010-\u2027\u2030-\u205e\u2190-\u2bff\ufffd]|\x1b\[(?:${PARAM}(?:;${PARAM})*)?m)*$`,
);

/**
 * The last look at a row before the terminal gets it. Rows come clean; one that doesn't is still no command to the terminal, and no more
 * than one row: colours and weight pass, whatever else a terminal acts on is gone.
 */
export function guarded(row: string): string {
  return PLAIN.test(row) ? row : sanitize(row, { sgr: true }).replaceAll("\n", "⏎").replaceAll("\t", " ");
}
