/** What is known of a model by the beginning of its name, in tokens. As of 2026-11; the service's own list is the truth. */
interface Known {
  contextWindow: number;
  maxOutput: number;
}

const KNOWN: readonly (readonly [prefix: string, known: Known])[] = [
  ["claude-haiku-4-5", { contextWindow: 200_000, maxOutput: 64_000 }],
  ["claude-sonnet-4", { contextWindow: 200_000, maxOutput: 64_000 }],
  ["claude-opus-4", { contextWindow: 200_000, maxOutput: 32_000 }],
  ["claude-", { contextWindow: 200_000, maxOutput: 64_000 }],
];

/** For a server that nobody knows (a local one): small enough for most. */
const UNKNOWN: Known = { contextWindow: 128_000, maxOutput: 16_000 };

/** Window and longest reply of a model. */
export function knownModel(id: string): Known {
  return KNOWN.find(([prefix]) => id.startsWith(prefix))?.[1] ?? UNKNOWN;
}
