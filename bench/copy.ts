import { createInterface } from "node:readline";
import { ordinaryUser, startAs } from "../test/support/as-user.ts";
import type { Figure } from "./measure.ts";

/** The bars of the disposable copy, as root where we are root, and as an ordinary user; each in a process of its own. */
export async function* copyFigures(): AsyncGenerator<Figure> {
  const uid = process.getuid?.() ?? 0;
  const self = { name: "self", uid, gid: process.getgid?.() ?? 0 };
  const user = ordinaryUser();
  const accounts = [self, ...(uid === 0 && user !== undefined ? [user] : [])];
  for (const account of accounts) {
    const { child, remove } = startAs(account, "../../bench/copy-child.ts", []);
    try {
      child.stderr?.pipe(process.stderr, { end: false });
      const ended = new Promise<number | null>((resolve) => child.on("close", resolve));
      if (child.stdout === null) throw new Error("no output to read");
      for await (const line of createInterface(child.stdout)) yield JSON.parse(line) as Figure;
      const code = await ended;
      if (code !== 0) throw new Error(`bench of the copy as uid ${account.uid} ended with ${code}`);
    } finally {
      child.kill();
      remove();
    }
  }
}
