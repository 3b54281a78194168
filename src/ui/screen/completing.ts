import { openMention } from "../../session/mentions.ts";
import type { Session } from "../../session/session.ts";
import type { Clock } from "../../util/deps.ts";
import { isBelow } from "../../workspace/roots.ts";
import { FileIndex } from "../input/complete/file-index.ts";
import { prefixMode } from "../input/editor/edit.ts";
import type { Store } from "../store/store.ts";
import type { ScreenState } from "./state.ts";

/** So many are shown at most. */
const MOST = 50;
/** A list of files is taken anew when it is wanted and older than that. */
const FRESH_MS = 10_000;
const RECENT = 10;

/** Looks for files while a path is typed behind `@` (IN-11). Lists and searches give way to keys; nothing runs while nothing is typed. */
export class Completing {
  readonly #store: Store<ScreenState>;
  readonly #session: () => Session;
  readonly #clock: Clock;
  #index: FileIndex | undefined;
  #of: Session | undefined;
  #listedAt = -Infinity;
  #listing: AbortController | undefined;
  #query: string | undefined;
  #search = new AbortController();

  constructor(store: Store<ScreenState>, session: () => Session, clock: Clock) {
    this.#store = store;
    this.#session = session;
    this.#clock = clock;
  }

  /** After keys: looks whether a path is being typed, and for what fits it. */
  sync(): void {
    const { editor, search, files } = this.#store.get();
    const typed = search === undefined && prefixMode(editor) === "prompt";
    const query = typed ? openMention(editor.text.slice(0, editor.cursor))?.query : undefined;
    if (query === this.#query) return;
    this.#query = query;
    this.#search.abort();
    if (query === undefined) {
      if (files !== undefined) this.#store.setNow((state) => ({ ...state, files: undefined }));
      return;
    }
    this.#list();
    void this.#find();
  }

  close(): void {
    this.#search.abort();
    this.#listing?.abort();
  }

  async #find(): Promise<void> {
    const [query, index] = [this.#query, this.#index];
    if (query === undefined || index === undefined) return;
    this.#search.abort();
    const { signal } = (this.#search = new AbortController());
    const show = (paths: readonly string[]) => {
      if (!signal.aborted) this.#store.setNow((state) => ({ ...state, files: { query, paths } }));
    };
    show(await index.search(query, { most: MOST, signal, onSome: show }));
  }

  /** Lists the files, where that was not done just now; an older list serves until the new one is whole. */
  #list(): void {
    const session = this.#session();
    if (session !== this.#of) {
      this.close();
      [this.#of, this.#index, this.#listing, this.#listedAt] = [session, undefined, undefined, -Infinity];
    }
    if (this.#listing !== undefined || this.#clock.now() - this.#listedAt < FRESH_MS) return;
    const stop = (this.#listing = new AbortController());
    void this.#read(session, stop.signal)
      .catch(() => undefined)
      .finally(() => {
        if (this.#listing === stop) this.#listing = undefined;
      });
  }

  async #read(session: Session, signal: AbortSignal): Promise<void> {
    const index = new FileIndex(this.#clock);
    index.setRecent(recentOf(session));
    this.#index ??= index;
    for await (const files of session.beside.files(signal)) {
      if (signal.aborted) return;
      index.add(files);
      if (this.#index === index) void this.#find();
    }
    this.#listedAt = this.#clock.now();
    this.#index = index;
    await this.#find();
  }
}

/** What the session read or wrote last, newest first. */
function recentOf(session: Session): string[] {
  const { folder, touched } = session.state();
  return [...touched.keys()]
    .slice(-RECENT)
    .toReversed()
    .map((path) => (isBelow(folder, path) ? path.slice(folder.length + 1) : path));
}
