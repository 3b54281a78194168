import { randomBytes } from "node:crypto";
import type { Clock, MakeId } from "./deps.ts";

/** The machine's clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted === true) return resolve();
      const timer = setTimeout(finish, ms);
      function finish(): void {
        clearTimeout(timer);
        signal?.removeEventListener("abort", finish);
        resolve();
      }
      signal?.addEventListener("abort", finish);
    }),
};

/** `prefix_` and 96 random bits in lower-case base 32, so that it is safe as a file name everywhere. */
export const randomId: MakeId = (prefix) => {
  let n = BigInt("0x" + randomBytes(12).toString("hex"));
  let out = "";
  for (let i = 0; i < 20; i++, n >>= 5n) out += "abcdefghijkmnpqrstuvwxyz23456789"[Number(n & 31n)] ?? "";
  return `${prefix}_${out}`;
};
