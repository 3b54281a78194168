/**
 * Runs async generators side by side, at most `bound` at once, and yields what they yield as it comes.
 * Returns their results in the order of `sources`. An error of one, or a consumer that stops, ends all the others first.
 */
export async function* merge<T, R>(sources: readonly AsyncGenerator<T, R>[], bound: number): AsyncGenerator<T, R[]> {
  const results: R[] = [];
  const running = new Map<number, Promise<{ index: number; step: IteratorResult<T, R> }>>();
  let started = 0;
  const pull = (index: number, source: AsyncGenerator<T, R>) =>
    running.set(
      index,
      source.next().then((step) => ({ index, step })),
    );
  const startMore = () => {
    for (; running.size < bound && started < sources.length; started++) {
      const source = sources[started];
      if (source !== undefined) pull(started, source);
    }
  };
  try {
    for (startMore(); running.size > 0; startMore()) {
      const { index, step } = await Promise.race(running.values());
      running.delete(index);
      const source = sources[index];
      if (step.done === true) results[index] = step.value;
      else if (source !== undefined) {
        pull(index, source);
        yield step.value;
      }
    }
    return results;
  } finally {
    const left = [...running.keys()].flatMap((index) => sources[index] ?? []);
    await Promise.allSettled(left.map((source) => source.return(undefined as R)));
  }
}
