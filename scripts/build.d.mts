import type { RolldownOptions } from "rolldown";

/** How everything is bundled, test programs too. */
export const bundling: RolldownOptions;
/** Builds into `dist/`; the old one stays until the new one is whole. */
export function build(): Promise<void>;
