/** A page as its reader sees it. `whole`: no article was found in it, so all of its text is there, menus too. `plain`: too large or deep for more than its bare text. */
export interface Page {
  title: string;
  markdown: string;
  whole: boolean;
  plain?: true;
}

/** The bare text of a page, in a time that grows with its length alone. */
export function plainPage(html: string): Page {
  return { title: "", markdown: tidy(wordsOf(html)), whole: true, plain: true };
}

/** No trailing spaces, no runs of empty lines. */
export function tidy(markdown: string): string {
  return markdown
    .split("\n")
    .map((line) => line.trimEnd())
    .join("\n")
    .replace(/\n{3,}/g, "\n\n")
    .trim();
}

/** The text between the tags, scripts and styles left out. */
function wordsOf(html: string): string {
  let unread: string | undefined;
  const parts = html.split(/<(?=[a-z/!])/i).map((part, n) => {
    if (n === 0) return part;
    const [, end, name = ""] = /^(\/?)([a-z][\w-]*)/i.exec(part) ?? [];
    const low = name.toLowerCase();
    if (unread === undefined && end === "" && (low === "script" || low === "style")) unread = low;
    else if (unread === low && end === "/") unread = undefined;
    const text = part.slice(part.indexOf(">") + 1);
    return unread === undefined ? text : "";
  });
  return parts.join(" ");
}
