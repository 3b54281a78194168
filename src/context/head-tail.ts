/** Head and tail of a text that is too long, with a note between that names the file with the whole of it (L9). */
export function headAndTail(whole: string, max: number, file: string): string {
  const head = wholeLines(whole.slice(0, Math.floor(max * 0.7)), "head");
  const tail = wholeLines(whole.slice(-Math.floor(max * 0.25)), "tail");
  const left = whole.length - head.length - tail.length;
  return `${head}\n[… ${left} of ${whole.length} characters left out; the whole result: ${file} (Read it by offset, or Grep it) …]\n${tail}`;
}

/** Cut at a line end where one is near, never inside a surrogate pair. */
function wholeLines(piece: string, part: "head" | "tail"): string {
  const at = part === "head" ? piece.lastIndexOf("\n") : piece.indexOf("\n");
  if (part === "head") return (at > piece.length * 0.8 ? piece.slice(0, at) : piece).replace(/[\ud800-\udbff]$/, "");
  return (at >= 0 && at < piece.length * 0.2 ? piece.slice(at + 1) : piece).replace(/^[\udc00-\udfff]/, "");
}
