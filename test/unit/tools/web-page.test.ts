import { describe, expect, it } from "vitest";
import { readPage } from "../../../src/tools/web-page.ts";

const AT = "https://docs.example.com/guide/a";
const LONG = "Plain words of the article that somebody reads to the end. ".repeat(12);
const article = (inner: string) =>
  `<!doctype html><html><head><title>How  to\n install</title></head><body><nav><a href="/">Home</a><a href="/x">More</a></nav><article><h1>Install</h1><p>${LONG}</p>${inner}<p>${LONG}</p></article><footer>© nobody</footer></body></html>`;

describe("readPage", () => {
  it("T1: what the page is about, without what stands around it", () => {
    const page = readPage(article("<h2>Steps</h2><ol><li>One</li><li>Two <b>now</b></li></ol>"), AT);
    expect(page).toMatchObject({ title: "How to install", whole: false });
    expect(page.markdown).toContain("## Steps\n\n1.  One\n2.  Two **now**");
    for (const text of ["Home", "nobody"]) expect(page.markdown).not.toContain(text);
  });
  it("T1: code keeps its lines and its spaces, tables are tables", () => {
    const { markdown } = readPage(
      article(
        '<pre><code class="language-js">if (a) {\n  b();\n}</code></pre><table><thead><tr><th>k</th><th>v</th></tr></thead><tbody><tr><td>1</td><td>2</td></tr></tbody></table>',
      ),
      AT,
    );
    expect(markdown).toContain("if (a) {\n  b();\n}");
    expect(markdown).toMatch(/^```/m);
    expect(markdown).toMatch(/\| k +\| v +\|\n\| -+ \| -+ \|\n\| 1 +\| 2 +\|/);
  });
  it("T1: links are whole addresses, and only such that can be fetched", () => {
    const { markdown } = readPage(
      article(
        '<p><a href="../b?c=1#d">rel</a> <a href="//h.example/x">other</a> <a href="#top">top</a> <a href="javascript:alert(1)">js</a> <a href="data:text/html,x">data</a></p>',
      ),
      AT,
    );
    expect(markdown).toContain("[rel](https://docs.example.com/b?c=1#d) [other](https://h.example/x) top js data");
    expect(
      readPage(article('<p><a href="y">in base</a></p>').replace("<title>", '<base href="/deep/er/"><title>'), AT)
        .markdown,
    ).toContain("[in base](https://docs.example.com/deep/er/y)");
  });
  it("T1: pictures are their words, scripts, forms and styles are nothing", () => {
    const { markdown } = readPage(
      article(
        '<p><img src="a.png" alt="a chart"><img src="b.png"></p><script>evil()</script><style>p{}</style><iframe src="x">f</iframe>',
      ),
      AT,
    );
    expect(markdown).toContain("\\[picture: a chart\\]");
    for (const text of ["b.png", "evil", "p{}", "iframe"]) expect(markdown).not.toContain(text);
  });
  it("T1: a page without an article is all of its text, and says so", () => {
    expect(readPage("<ul><li>a</li><li>b</li></ul>", AT)).toEqual({ title: "", markdown: "-   a\n-   b", whole: true });
    expect(readPage("", AT)).toEqual({ title: "", markdown: "", whole: true });
    expect(readPage("just words < and > & more", AT).markdown).toContain("just words");
  });
  it.each([
    ["elements in elements by the ten thousand", `${"<div>".repeat(60_000)}deep<script>x()</script>`],
    ["more tags than a page has", `${"<a".repeat(500_000)}<p>deep`],
    ["lists in lists", `${"<ul><li>".repeat(120)}deep`],
    ["a table of a thousand rows", `<table>${"<tr><td>a</td></tr>".repeat(1000)}</table><style>x()</style>deep`],
  ])("T1: %s cost no more than their bare text", (_name, html) => {
    const page = readPage(html, AT);
    expect(page).toMatchObject({ plain: true, markdown: expect.stringContaining("deep") });
    for (const text of ["<div", "x()"]) expect(page.markdown).not.toContain(text);
  });
});
