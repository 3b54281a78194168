import { inWorker } from "../util/in-worker.ts";
import { type Page, plainPage } from "./web-text.ts";

/** For one page: some of those that nobody wrote by hand take the libraries minutes. */
const MOST = { ms: 10_000, heapMb: 512 };

/**
 * HTML as Markdown, read beside the program: a page that takes too long, or too much memory, is its bare text. Rejects for an aborted
 * signal alone.
 */
export async function readApart(html: string, address: string, signal: AbortSignal, most = MOST): Promise<Page> {
  const page = await inWorker<Page>("web-worker", import.meta.url, { html, address }, most, signal);
  return page ?? plainPage(html);
}
