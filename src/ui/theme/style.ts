/** What a piece of text can mean. */
export const STYLES = [
  "dim",
  "bold",
  "italic",
  "strike",
  "heading",
  "accent",
  "person",
  "ok",
  "error",
  "warning",
  "added",
  "removed",
  "addedWord",
  "removedWord",
  "code",
  "quote",
  "link",
  "selected",
  "plan",
  "ask",
  "auto",
  "bypass",
  "keyword",
  "string",
  "number",
  "comment",
  "name",
  "type",
] as const;

/** What a piece of text means; the theme says how it looks. Meaning is never told by colour alone (N-2). */
export type Style = (typeof STYLES)[number];
