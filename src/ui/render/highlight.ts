import type { Style } from "../theme.ts";
import { line, type Line, type Span } from "./spans.ts";

type Lowlight = ReturnType<typeof import("lowlight").createLowlight>;
type Nodes = ReturnType<Lowlight["highlight"]>["children"];

/** Longer blocks stay uncoloured: colouring costs a quarter of a millisecond a line. */
const MAX_LINES = 200;
const STYLES: readonly [prefix: string, style: Style][] = [
  ["hljs-comment", "comment"],
  ["hljs-quote", "comment"],
  ["hljs-keyword", "keyword"],
  ["hljs-literal", "number"],
  ["hljs-number", "number"],
  ["hljs-string", "string"],
  ["hljs-regexp", "string"],
  ["hljs-addition", "added"],
  ["hljs-deletion", "removed"],
  ["hljs-title", "name"],
  ["hljs-section", "name"],
  ["hljs-attr", "name"],
  ["hljs-name", "name"],
  ["hljs-built_in", "type"],
  ["hljs-type", "type"],
];
let lowlight: Lowlight | undefined;
let loading: Promise<void> | undefined;

/** Loads the grammars, once; until then code is shown uncoloured. Kept out of the first frame on purpose. */
export function loadHighlight(): Promise<void> {
  loading ??= import("./grammars.ts").then(({ makeLowlight }) => {
    lowlight = makeLowlight();
  });
  return loading;
}

/** Another number: what was laid out before has no colours yet. */
export function highlightVersion(): number {
  return lowlight === undefined ? 0 : 1;
}

/** Names of files that have no ending. */
const NAMED: Readonly<Record<string, string>> = {
  dockerfile: "dockerfile",
  makefile: "makefile",
  gnumakefile: "makefile",
};

/** The language that a path's name tells; undefined where it tells none. */
export function langOf(path: string): string | undefined {
  const name = (path.split("/").at(-1) ?? "").toLowerCase();
  return NAMED[name] ?? /[^.]\.(\w{1,8})$/.exec(name)?.[1];
}

/** Sanitized code as lines with the colours of its language, as far as the grammars are loaded and know it. */
export function highlight(code: string, lang: string | undefined): Line[] {
  const name = lang?.match(/^[\w+#.-]+/)?.[0].toLowerCase();
  const plain = (): Line[] => code.split("\n").map((text) => line(text, name === undefined ? "code" : undefined));
  if (lowlight === undefined || name === undefined || !lowlight.registered(name)) return plain();
  if (code.split("\n").length > MAX_LINES) return plain();
  try {
    return linesOf(lowlight.highlight(name, code).children, undefined);
  } catch {
    return plain();
  }
}

function linesOf(nodes: Nodes, style: Style | undefined): Line[] {
  const rows: Span[][] = [[]];
  collect(nodes, style, (text, as) => {
    const [first = "", ...more] = text.split("\n");
    if (first !== "") rows.at(-1)?.push({ text: first, style: as });
    for (const part of more) rows.push(part === "" ? [] : [{ text: part, style: as }]);
  });
  return rows;
}

function collect(nodes: Nodes, style: Style | undefined, add: (text: string, style: Style | undefined) => void): void {
  for (const node of nodes) {
    if (node.type === "text") add(node.value, style);
    else if (node.type === "element") collect(node.children, styleOf(node.properties["className"]) ?? style, add);
  }
}

function styleOf(classes: unknown): Style | undefined {
  if (!Array.isArray(classes)) return undefined;
  return STYLES.find(([prefix]) => classes.some((c) => typeof c === "string" && c.startsWith(prefix)))?.[1];
}
