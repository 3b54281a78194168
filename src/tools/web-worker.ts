// Reads one page in a thread of its own; see `web-reader.ts`.
import { parentPort, workerData } from "node:worker_threads";
import { readPage } from "./web-page.ts";

const { html, address } = workerData as { html: string; address: string };
parentPort?.postMessage(readPage(html, address));
