/** A stream's `data:` fields, one event each, joined over their lines; comments and other fields are left out. Any line end counts. */
export async function* sseData(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = "";
  let data: string[] = [];
  const take = function* (line: string): Generator<string> {
    if (line === "") {
      if (data.length > 0) yield data.join("\n");
      data = [];
    } else if (line.startsWith("data:")) data.push(line.slice(line.startsWith("data: ") ? 6 : 5));
  };
  for await (const piece of bytes) {
    const text = rest + decoder.decode(piece, { stream: true });
    // A carriage return at the end may be half of a line end.
    const lines = text.split(/\r\n|\n|\r(?!$)/);
    rest = lines.pop() ?? "";
    for (const line of lines) yield* take(line);
  }
  const last = rest + decoder.decode();
  for (const line of last === "" ? [""] : [last.replace(/\r$/, ""), ""]) yield* take(line);
}
