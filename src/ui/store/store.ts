/** State outside React. Its shape is made for `useSyncExternalStore(store.subscribe, () => select(store.get()))`. */
export interface Store<S> {
  get(): S;
  /** Changes the state at once; subscribers hear of it within `throttleMs`, however often it changes. */
  set(change: (state: S) => S): void;
  /** Changes it and tells subscribers now: for keys, which must not wait. */
  setNow(change: (state: S) => S): void;
  subscribe(listener: () => void): () => void;
  /** Tells subscribers now, if something changed since. */
  flushNow(): void;
  /** Nothing is told any more. */
  close(): void;
}

export interface StoreOptions {
  throttleMs: number;
  /** Runs the telling; corks the terminal around it, so that transcript and frame are one write. */
  around?: (tell: () => void) => void;
}

/** A throttled store: the cost of the screen follows frames, not tokens. No timer runs while nothing changes. */
export function createStore<S>(initial: S, options: StoreOptions): Store<S> {
  const { throttleMs, around = (tell) => tell() } = options;
  const listeners = new Set<() => void>();
  let state = initial;
  let changed = false;
  let closed = false;
  let timer: NodeJS.Timeout | undefined;
  const flush = () => {
    clearTimeout(timer);
    timer = undefined;
    if (!changed || closed) return;
    changed = false;
    around(() => listeners.forEach((listener) => listener()));
  };
  const apply = (change: (state: S) => S) => {
    const next = change(state);
    if (Object.is(next, state)) return;
    state = next;
    changed = true;
  };
  return {
    get: () => state,
    set(change) {
      apply(change);
      if (changed && !closed) timer ??= setTimeout(flush, throttleMs);
    },
    setNow(change) {
      apply(change);
      flush();
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    flushNow: flush,
    close() {
      closed = true;
      clearTimeout(timer);
    },
  };
}
