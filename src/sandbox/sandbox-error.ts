/** Ours, not the command's: the walls could not be put up, so nothing ran. */
export class SandboxError extends Error {
  override readonly name = "SandboxError";
}

/** Any failure ahead of a command's start, as one. */
export function notStarted(error: unknown): SandboxError {
  if (error instanceof SandboxError) return error;
  const words = error instanceof Error ? error.message : String(error);
  return new SandboxError(`the command could not be started: ${words}`, { cause: error });
}
