import type { Found } from "./choose.ts";
import type { SandboxDeps } from "./open.ts";
import type { Sandbox, SandboxOptions } from "./sandbox.ts";

export function openMac(_options: SandboxOptions, _deps: SandboxDeps, _found: Found): Promise<Sandbox | undefined> {
  return Promise.resolve(undefined);
}
