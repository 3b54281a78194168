import { createHash, type Hash } from "node:crypto";
import { z } from "zod";
import { LogBody } from "./event.ts";

/** From this length on a log says what it begins with; checking every line of a shorter one costs less than it saves. */
const WORTH = 1 << 20;

/**
 * What the head vouches for: the first `bytes` bytes of the log, by SHA-256. Each of their lines was verified and read, or written, by a
 * program whose events have this `form`; so a load need not do it line by line again. It says nothing that the lines don't say.
 */
export const Prefix = z.object({ bytes: z.number(), digest: z.string(), form: z.string() });
export type Prefix = z.infer<typeof Prefix>;

/** The digest of a log that grows. */
export class PrefixDigest {
  readonly #hash: Hash;
  #bytes: number;

  constructor(hash = createHash("sha256"), bytes = 0) {
    this.#hash = hash;
    this.#bytes = bytes;
  }
  add(bytes: Uint8Array): void {
    this.#hash.update(bytes);
    this.#bytes += bytes.length;
  }
  get bytes(): number {
    return this.#bytes;
  }
  digest(): string {
    return this.#hash.copy().digest("hex");
  }
  /** For the head; undefined where it isn't worth it. */
  prefix(): Prefix | undefined {
    if (this.#bytes < WORTH) return undefined;
    return { bytes: this.#bytes, digest: this.digest(), form: eventForm() };
  }
}

let form: string | undefined;

/** Changes with every change of the events' shapes, so that what an older program checked is checked anew. */
export function eventForm(): string {
  form ??= createHash("sha256")
    .update(JSON.stringify(z.toJSONSchema(LogBody, { unrepresentable: "any" })))
    .digest("hex")
    .slice(0, 16);
  return form;
}
