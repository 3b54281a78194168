import { historyEntry, type HistoryEntry } from "./history.ts";
import type { EditorState } from "./buffer.ts";

/** Whose texts are looked through. */
export const SCOPES = ["session", "project", "all"] as const;
export type Scope = (typeof SCOPES)[number];
export type Scoped = Readonly<Record<Scope, readonly HistoryEntry[]>>;

/** Ctrl-R: an incremental search backwards through sent texts (IN-9). Immutable. */
export interface Search {
  query: string;
  scope: Scope;
  /** Matches skipped by Ctrl-R, newest first. */
  skip: number;
  /** Comes back when the search is left by Esc. */
  draft: HistoryEntry;
}
export interface Found {
  entry: HistoryEntry;
  /** Where the query stands in the text, to be highlighted. */
  from: number;
  to: number;
}

export function startSearch(draft: Pick<EditorState, "text" | "chips">, scope: Scope = "project"): Search {
  return { query: "", scope, skip: 0, draft: historyEntry(draft) };
}

/** More or less of the query: the search begins at the newest again. */
export function typeSearch(search: Search, query: string): Search {
  return { ...search, query, skip: 0 };
}

/** The next older match; stays where there is none. */
export function olderMatch(search: Search, entries: Scoped): Search {
  const next = { ...search, skip: search.skip + 1 };
  return found(next, entries) === undefined ? search : next;
}

export function nextScope(search: Search): Search {
  const scope = SCOPES[(SCOPES.indexOf(search.scope) + 1) % SCOPES.length] ?? "project";
  return { ...search, scope, skip: 0 };
}

/** The match that is shown; none for an empty query. Letters in lower case match both cases. */
export function found(search: Search, entries: Scoped): Found | undefined {
  const { query } = search;
  if (query === "") return undefined;
  const exact = query !== query.toLowerCase();
  let skip = search.skip;
  for (const entry of entries[search.scope].toReversed()) {
    // Lower case of some letters is longer; then the place would be wrong.
    const lower = entry.text.toLowerCase();
    const text = exact || lower.length !== entry.text.length ? entry.text : lower;
    const from = text.lastIndexOf(query);
    if (from >= 0 && skip-- === 0) return { entry, from, to: from + query.length };
  }
  return undefined;
}
