export const LONG_TESTS: readonly string[];
