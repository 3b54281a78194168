/** Ends an exhaustive switch: a new case breaks the build here. */
export function assertNever(value: never): never {
  throw new Error(`unexpected ${JSON.stringify(value)}`);
}
