import { createHash, createHmac, createSecretKey, type Hash, type KeyObject } from "node:crypto";

/** Bytes of `,"mac":"<64 hex>"}`, by which every line ends. */
const TAIL = 74;
const TAIL_FORM = /^,"mac":"([0-9a-f]{64})"\}$/;

export type ChainKey = KeyObject;
/** The key in the form that node takes fast: raw bytes would be made into one anew for every line. */
export function chainKey(bytes: Uint8Array): ChainKey {
  return createSecretKey(bytes);
}

/** Hex HMAC-SHA256 over `before` and the text. */
function hmac(key: ChainKey, before: string, ...parts: (string | Uint8Array)[]): string {
  const h = createHmac("sha256", key).update(before);
  for (const part of parts) h.update(part);
  return h.digest("hex");
}

/**
 * Closes a line. `json` is the event without its mac, one object; `before` is the mac of the line before, empty for the first.
 * The mac comes last, so that a reader checks the very bytes that were written and never a re-serialised copy.
 */
export function seal(key: ChainKey, before: string, json: string): { mac: string; line: string } {
  const mac = hmac(key, before, json);
  return { mac, line: `${json.slice(0, -1)},"mac":"${mac}"}\n` };
}

/** The mac of a line (without its line end) when it is right, else undefined. */
export function verified(key: ChainKey, before: string, line: Buffer): string | undefined {
  const stated = statedMac(line);
  if (stated === undefined) return undefined;
  const mac = hmac(key, before, line.subarray(0, line.length - TAIL), "}");
  return mac === stated ? mac : undefined;
}

/** The mac that a line claims. */
export function statedMac(line: Buffer): string | undefined {
  return TAIL_FORM.exec(line.toString("latin1", Math.max(0, line.length - TAIL)))?.[1];
}

/** Signs the head of a session's log: who can write the folder but lacks the key can't make a cut log look whole. */
export function signHead(key: ChainKey, sessionId: string, json: string): string {
  return hmac(key, `head:${sessionId}:`, json);
}

/**
 * What a chain that starts anew goes over: everything since the last line that verified, so that a `session.foreign` line and what
 * follows it can't be moved to another log or behind other lines.
 */
export interface Residue {
  add(line: Uint8Array, length: number): void;
  digest(): string;
}
export function residue(lastMac: string): Residue {
  const hash: Hash = createHash("sha256").update(`foreign:${lastMac}\n`);
  return {
    add: (line, length) => void hash.update(`${length}:`).update(line),
    digest: () => hash.copy().digest("hex"),
  };
}
