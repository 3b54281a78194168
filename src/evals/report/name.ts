import type { RunHeader } from "../trial.ts";

/** A run's model, and its variant where it has one: the plain one's files are none. */
export function nameOf({ model, variant, variantHash }: RunHeader): string {
  return variantHash === "" ? model : `${model}, variant ${variant}`;
}
