import { totalmem } from "node:os";
import type { SandboxLimits } from "./sandbox.ts";

/** Of the machine's memory, or of the container's. */
const MEMORY_SHARE = 0.75;

/** What one command may use, where settings say nothing else (S2: in code, not in the prompt). */
export function commandLimits(timeoutMs: number): SandboxLimits {
  const constrained = process.constrainedMemory();
  const memory = constrained > 0 ? Math.min(constrained, totalmem()) : totalmem();
  return {
    timeoutMs,
    processes: 4096,
    fileSizeMb: 4096,
    layerMb: 8192,
    memoryMb: Math.max(512, Math.floor((memory * MEMORY_SHARE) / 2 ** 20)),
  };
}
