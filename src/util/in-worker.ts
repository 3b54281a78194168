import { Worker } from "node:worker_threads";

/** Milliseconds and MB of JavaScript's memory for one answer. */
export interface WorkerLimits {
  ms: number;
  heapMb: number;
}

/**
 * The first message of the worker `name`, which lies beside the file `from` (its `import.meta.url`) as it is written, and as it is built.
 * For libraries that meet bytes of strangers: undefined when it takes longer or more than it may, or fails. It sees no environment.
 * Rejects for an aborted signal alone.
 */
export async function inWorker<T>(
  name: string,
  from: string,
  workerData: unknown,
  most: WorkerLimits,
  signal: AbortSignal,
): Promise<T | undefined> {
  signal.throwIfAborted();
  const worker = new Worker(new URL(`./${name}.${from.endsWith(".ts") ? "ts" : "js"}`, from), {
    workerData,
    resourceLimits: { maxOldGenerationSizeMb: most.heapMb },
    execArgv: [],
    env: {},
    stdout: true,
    stderr: true,
  });
  let timer: NodeJS.Timeout | undefined;
  let stop = (): void => {};
  try {
    const answer = await new Promise<T | undefined>((resolve) => {
      stop = () => resolve(undefined);
      timer = setTimeout(stop, most.ms);
      signal.addEventListener("abort", stop, { once: true });
      worker.once("message", (said: T) => resolve(said));
      worker.on("error", stop).once("exit", stop);
    });
    signal.throwIfAborted();
    return answer;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", stop);
    await worker.terminate();
  }
}
