import { later } from "../util/later.ts";
import { type Page, plainPage, tidy } from "./web-text.ts";

const dom = later<typeof import("linkedom")>("linkedom");
const readability = later<typeof import("@mozilla/readability")>("@mozilla/readability");
const turndown = later<typeof import("turndown")>("turndown");
const tables = later<typeof import("@joplin/turndown-plugin-gfm")>("@joplin/turndown-plugin-gfm");

/** A page with less text than this in its article is taken whole. */
const MIN_ARTICLE = 250;
/** What nobody reads. */
const UNREAD =
  "script, style, noscript, template, iframe, object, embed, svg, canvas, link, meta, input, select, button";

/** Within these the libraries need a second or two; some of them take minutes for ten times as much. */
const MOST = { depth: 100, tags: 12_000, rows: 600 };

/** HTML as Markdown, its links as whole addresses. Nothing in it runs or is loaded. */
export function readPage(html: string, address: string): Page {
  if (isTooMuch(html)) return plainPage(html);
  const { document } = dom().parseHTML(
    /<html[\s>]/i.test(html) ? html : `<!doctype html><html><body>${html}</body></html>`,
  );
  const title = (document.querySelector("title")?.textContent ?? "").replace(/\s+/g, " ").trim();
  const base = baseOf(document, address);
  for (const node of document.querySelectorAll(UNREAD)) node.remove();
  // A cell across a million columns is a million cells in Markdown.
  for (const cell of document.querySelectorAll("[colspan], [rowspan]"))
    for (const name of ["colspan", "rowspan"]) cell.removeAttribute(name);
  resolveLinks(document, base);
  const article = articleOf(document);
  const markdown = toMarkdown(article ?? document.querySelector("body")?.innerHTML ?? "");
  return { title, markdown: tidy(markdown), whole: article === undefined };
}

/** Elements that end by themselves, or hold nothing. */
const FLAT = new Set(
  "area base br col embed hr img input link meta source track wbr p li dt dd td th tr thead tbody tfoot option".split(
    " ",
  ),
);

/** By its tags, before anything is parsed. */
function isTooMuch(html: string): boolean {
  let [depth, tags, rows] = [0, 0, 0];
  for (const [, end, name = ""] of html.matchAll(/<(\/?)([a-z][\w-]*)/gi)) {
    const low = name.toLowerCase();
    if (++tags > MOST.tags || (low === "tr" && end === "" && ++rows > MOST.rows)) return true;
    if (FLAT.has(low)) continue;
    depth = end === "/" ? Math.max(0, depth - 1) : depth + 1;
    if (depth > MOST.depth) return true;
  }
  return false;
}

function baseOf(document: Document, address: string): string {
  const named = document.querySelector("base")?.getAttribute("href") ?? "";
  return URL.canParse(named, address) ? new URL(named, address).href : address;
}

/** Links as whole web addresses, so that the model can fetch them; others are words. Pictures are their descriptions. */
function resolveLinks(document: Document, base: string): void {
  for (const link of document.querySelectorAll("a[href]")) {
    const href = link.getAttribute("href") ?? "";
    const to = URL.canParse(href, base) ? new URL(href, base) : undefined;
    const followed = to !== undefined && (to.protocol === "http:" || to.protocol === "https:") && !href.startsWith("#");
    if (followed) link.setAttribute("href", to.href);
    else link.removeAttribute("href");
  }
  for (const picture of document.querySelectorAll("img")) {
    const words = (picture.getAttribute("alt") ?? "").trim();
    if (words === "") picture.remove();
    else picture.replaceWith(document.createTextNode(`[picture: ${words}]`));
  }
}

/** The HTML of what the page is about, without what stands around it. */
function articleOf(document: Document): string | undefined {
  const { Readability } = readability();
  // It takes the document apart.
  const copy = document.cloneNode(true) as Document;
  const found = new Readability(copy, { charThreshold: MIN_ARTICLE, keepClasses: true }).parse();
  return (found?.length ?? 0) >= MIN_ARTICLE ? (found?.content ?? undefined) : undefined;
}

function toMarkdown(html: string): string {
  const Service = turndown();
  const service = new Service({
    headingStyle: "atx",
    codeBlockStyle: "fenced",
    bulletListMarker: "-",
    emDelimiter: "*",
  });
  service.use(tables().gfm);
  return service.turndown(html);
}
