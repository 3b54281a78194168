import { createHash } from "node:crypto";
import { z } from "zod";

/** SHA-256 of some bytes, in hex. */
export const Hash = z.string().regex(/^[0-9a-f]{64}$/, "a SHA-256 in hex");

/** Bytes by their SHA-256, where all machines of a run can get at them. What is there already is never sent again. */
export interface Blobs {
  /** Those of these hashes that are not there. What is there stays for as long as a run may take. */
  lacking(hashes: readonly string[]): Promise<string[]>;
  put(hash: string, bytes: Uint8Array): Promise<void>;
  get(hash: string): Promise<Uint8Array | undefined>;
}

export function hashOfBytes(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/** Puts these bytes there, and gives their hash. */
export async function putBytes(blobs: Blobs, bytes: Uint8Array): Promise<string> {
  const hash = hashOfBytes(bytes);
  if ((await blobs.lacking([hash])).length > 0) await blobs.put(hash, bytes);
  return hash;
}

/** The bytes of this hash, and no others. @throws Error where there are none, or others. */
export async function getBytes(blobs: Blobs, hash: string): Promise<Uint8Array> {
  const bytes = await blobs.get(hash);
  if (bytes === undefined) throw new Error(`The queue no longer has the content ${hash.slice(0, 12)}.`);
  if (hashOfBytes(bytes) !== hash) throw new Error(`The queue has other bytes under ${hash.slice(0, 12)}.`);
  return bytes;
}

/** A value as JSON, checked when it comes back. */
export function putJson(blobs: Blobs, value: unknown): Promise<string> {
  return putBytes(blobs, Buffer.from(JSON.stringify(value)));
}

export async function getJson<T>(blobs: Blobs, hash: string, schema: z.ZodType<T>): Promise<T> {
  return schema.parse(JSON.parse(Buffer.from(await getBytes(blobs, hash)).toString("utf8")));
}
