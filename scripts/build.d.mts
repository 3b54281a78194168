/** Builds into `dist/`; the old one stays until the new one is whole. */
export function build(): Promise<void>;
