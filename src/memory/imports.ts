/** Names that a file pulls in by `@path`, in order, each once. What stands in code is no import. Pure. */
export function importsIn(text: string): string[] {
  const names = [...withoutCode(text).matchAll(IMPORT)].flatMap(([, name = ""]) => {
    const bare = name.replace(/[.,;:!?)\]}'"»”]+$/u, "");
    // A word such as @alice is a person, an address has something in front of its @.
    return /[./]/.test(bare.replace(/^\.+$/, "")) ? [bare] : [];
  });
  return [...new Set(names)];
}

const IMPORT = /(?<![^\s(["'«“])@((?:\\ |[^\s\\@`])+)/gu;
const FENCE = /^ {0,3}(`{3,}|~{3,})/;

/** Fenced blocks and code spans as blanks: their length stays. */
function withoutCode(text: string): string {
  let fence: string | undefined;
  const rows = text.split("\n").map((row) => {
    const mark = FENCE.exec(row)?.[1];
    if (fence === undefined && mark === undefined) return row;
    if (fence === undefined) fence = mark;
    else if (mark !== undefined && mark[0] === fence[0] && mark.length >= fence.length && /^[\s`~]*$/.test(row))
      fence = undefined;
    return "";
  });
  return withoutSpans(rows.join("\n"));
}

/** A span ends at as many backticks as it began with; backticks without an end are no span. Paragraphs bound it. */
function withoutSpans(text: string): string {
  return text
    .split(/\n[ \t]*\n/)
    .map((paragraph) => {
      let out = "";
      let at = 0;
      const marks = [...paragraph.matchAll(/`+/g)];
      for (let i = 0; i < marks.length; i++) {
        const open = marks[i];
        const close = marks.findIndex((mark, n) => n > i && mark[0].length === open?.[0].length);
        const end = marks[close];
        if (open === undefined || end === undefined) continue;
        out += paragraph.slice(at, open.index);
        at = end.index + end[0].length;
        i = close;
      }
      return out + paragraph.slice(at);
    })
    .join("\n\n");
}
