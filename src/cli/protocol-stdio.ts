import { visible } from "../util/visible.ts";

/** Both ends of a connection over the standard streams. */
export interface ProtocolStdio {
  input: ReadableStream<Uint8Array>;
  output: WritableStream<Uint8Array>;
  /** Aborted when nobody reads stdout any more. */
  gone: AbortSignal;
  /** Whether the input was given up for what came in, as stderr says. */
  readonly broken: () => boolean;
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
  let broken = false;
  const write = stdout.write.bind(stdout);
  stdout.write = stderr.write.bind(stderr);
  stdout.on("error", () => gone.abort());
  stderr.on("error", () => undefined);
  return {
    input: inputOf(stdin, (reason) => {
      if (!(reason instanceof Error)) return;
      broken = true;
      stderr.write(`agent: stdin is not read any more: ${visible(reason.message, "")}\n`);
    }),
    output: new WritableStream({
      write: (piece) =>
        new Promise<void>((resolve, reject) => {
          write(piece, (error) => (error instanceof Error ? reject(error) : resolve()));
        }),
    }),
    gone: gone.signal,
    broken: () => broken,
  };
}

/** Once its reader gives up, nothing is read any more, so that the program can end. */
function inputOf(stdin: NodeJS.ReadStream, gaveUp: (reason: unknown) => void): ReadableStream<Uint8Array> {
  let leave = (): void => undefined;
  return new ReadableStream({
    start(to) {
      const take = (piece: Buffer): void => to.enqueue(new Uint8Array(piece));
      const end = (): void => {
        leave();
        to.close();
      };
      leave = () => {
        stdin.off("data", take).off("end", end).off("error", end);
        stdin.on("error", () => undefined);
        stdin.pause();
      };
      stdin.on("data", take).once("end", end).once("error", end);
    },
    cancel(reason: unknown) {
      leave();
      gaveUp(reason);
    },
  });
}
