/** A table of texts. `right`: columns of figures, which end at the same place. */
export interface Table {
  header: readonly string[];
  rows: readonly (readonly string[])[];
  right?: readonly number[];
}

/** Lines stand above the table, notes below it. */
export interface Section {
  title: string;
  lines: readonly string[];
  table?: Table;
  notes: readonly string[];
}

/** What every form of a report says: the terminal, Markdown and the page differ in how they show it. Texts are not yet made safe for any of them. */
export interface Report {
  title: string;
  /** The verdict, in one sentence or two. */
  verdict: readonly string[];
  /** Name and value. */
  facts: readonly (readonly [string, string])[];
  sections: readonly Section[];
}
