/** Both ends of a connection over the standard streams. */
export interface ProtocolStdio {
  input: ReadableStream<Uint8Array>;
  output: WritableStream<Uint8Array>;
  /** Aborted when nobody reads stdout any more. */
  gone: AbortSignal;
}

/**
 * Keeps stdout for a protocol alone: whatever else would be printed there from now on goes to stderr. A reader that goes away is no error.
 */
export function protocolStdio(
  stdin: NodeJS.ReadStream,
  stdout: NodeJS.WriteStream,
  stderr: NodeJS.WriteStream,
): ProtocolStdio {
  const gone = new AbortController();
  const write = stdout.write.bind(stdout);
  stdout.write = stderr.write.bind(stderr);
  stdout.on("error", () => gone.abort());
  stderr.on("error", () => undefined);
  return {
    input: new ReadableStream({
      start(to) {
        stdin.on("data", (piece: Buffer) => to.enqueue(new Uint8Array(piece)));
        stdin.once("end", () => to.close());
        stdin.once("error", () => to.close());
      },
    }),
    output: new WritableStream({
      write: (piece) =>
        new Promise<void>((resolve, reject) => {
          write(piece, (error) => (error instanceof Error ? reject(error) : resolve()));
        }),
    }),
    gone: gone.signal,
  };
}
