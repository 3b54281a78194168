import { once } from "node:events";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import type { Work } from "./script.ts";

/** A request as it came. Times are milliseconds since the epoch, with fractions: of the whole request, and of the reply's end. */
export interface Seen {
  at: number;
  answeredAt: number;
  path: string;
  raw: string;
  /** Of the work itself: it offered tools. */
  main: boolean;
}

export interface Job {
  work: Work;
  /** Name of the program's tool that reads a file, and its input as JSON with @path@ inside. */
  tool: string;
  template: string;
  folder: string;
}

export interface Server {
  url: string;
  /** From now on it gives this work; the log begins anew. */
  give(job: Job): Promise<void>;
  log(): Promise<Seen[]>;
  close(): Promise<void>;
}

/** Starts the server in a thread of its own. */
export async function startServer(): Promise<Server> {
  const worker = new Worker(join(import.meta.dirname, "server-worker.ts"));
  const answer = async (): Promise<{ port?: number; log?: Seen[] }> => {
    const [message] = (await once(worker, "message")) as [{ port?: number; log?: Seen[] }];
    return message;
  };
  const { port } = await answer();
  return {
    url: `http://127.0.0.1:${port}`,
    async give(job) {
      worker.postMessage({ kind: "work", ...job });
      await answer();
    },
    async log() {
      worker.postMessage({ kind: "log" });
      return (await answer()).log ?? [];
    },
    close: async () => void (await worker.terminate()),
  };
}
