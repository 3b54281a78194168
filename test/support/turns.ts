/** How often an act let others in (`setImmediate`). */
export async function turnsOf(act: () => Promise<unknown>): Promise<number> {
  const own = globalThis.setImmediate;
  let count = 0;
  globalThis.setImmediate = Object.assign((...args: Parameters<typeof own>) => {
    count += 1;
    return own(...args);
  }, own);
  try {
    await act();
  } finally {
    globalThis.setImmediate = own;
  }
  return count;
}
