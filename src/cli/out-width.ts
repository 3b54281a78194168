/** Columns for rows on stdout: the terminal's, or 100 where it goes elsewhere. */
export function outWidth(): number {
  return process.stdout.isTTY ? Math.max(20, process.stdout.columns - 1) : 100;
}
