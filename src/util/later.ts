import { createRequire } from "node:module";

/**
 * A package that is loaded when it is first wanted, then and there: what the start does not need must not slow it, and what
 * needs it need not wait for a promise. The build adds `bundled`, the package out of `dist/`.
 */
export function later<T>(name: string, bundled?: () => T): () => T {
  let loaded: T | undefined;
  return () => (loaded ??= bundled === undefined ? (createRequire(import.meta.url)(name) as T) : bundled());
}
