import { Worker } from "node:worker_threads";
import { plainPage, type Page } from "./web-page.ts";

/** Milliseconds and MB for one page: some of those that nobody wrote by hand take the libraries minutes. */
const MOST = { ms: 10_000, heapMb: 512 };

/**
 * HTML as Markdown, read beside the program: a page that takes too long, or too much memory, is its bare text. Rejects for an aborted
 * signal alone.
 */
export async function readApart(html: string, address: string, signal: AbortSignal, most = MOST): Promise<Page> {
  signal.throwIfAborted();
  // Beside this file as it is written, and as it is built.
  const file = new URL(`./web-worker.${import.meta.url.endsWith(".ts") ? "ts" : "js"}`, import.meta.url);
  const worker = new Worker(file, {
    workerData: { html, address },
    resourceLimits: { maxOldGenerationSizeMb: most.heapMb },
    execArgv: [],
    env: {},
    stdout: true,
    stderr: true,
  });
  let timer: NodeJS.Timeout | undefined;
  let stop = (): void => {};
  try {
    const page = await new Promise<Page | undefined>((resolve) => {
      stop = () => resolve(undefined);
      timer = setTimeout(stop, most.ms);
      signal.addEventListener("abort", stop, { once: true });
      worker.once("message", (read: Page) => resolve(read));
      worker.on("error", stop).once("exit", stop);
    });
    signal.throwIfAborted();
    return page ?? plainPage(html);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", stop);
    await worker.terminate();
  }
}
