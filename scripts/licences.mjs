import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const OWN = fileURLToPath(new URL("licences/", import.meta.url));
const PACKAGE = /^(.*\/node_modules\/((?:@[^/]+\/)?[^/]+))\//;
/** What a package has of others within its own files, as its bundler marks it. */
const WITHIN = /#region \S*node_modules\/\.pnpm\/((?:@[^+/]+\+)?[^@/]+)@([^_/]+)/g;

/** Writes the licences of all that is bundled beside it, as `THIRD-PARTY.txt`; the build fails where one can't be found. */
export const licences = {
  name: "licences",
  generateBundle(_options, bundle) {
    const ids = Object.values(bundle).flatMap(({ moduleIds = [] }) => moduleIds);
    this.emitFile({ type: "asset", fileName: "THIRD-PARTY.txt", source: noticesOf(ids) });
  },
};

/** `modules`: paths of files that were bundled. */
function noticesOf(modules) {
  const found = new Map();
  for (const id of modules) {
    const [, dir, name] = PACKAGE.exec(id) ?? [];
    if (dir === undefined) continue;
    const { version, license } = JSON.parse(readFileSync(join(dir, "package.json"), "utf8"));
    found.set(`${name} ${version} (${license})`, textOf(dir, name));
    for (const [, within, its] of readFileSync(id.replace(/\?.*/, ""), "utf8").matchAll(WITHIN))
      found.set(`${within.replace("+", "/")} ${its}, within ${name}`, textOf(undefined, within));
  }
  // Many share one text.
  const texts = new Map();
  for (const [head, text] of [...found].toSorted(([a], [b]) => (a < b ? -1 : 1)))
    texts.set(text, [...(texts.get(text) ?? []), head]);
  const parts = [...texts].map(([text, heads]) => `${heads.join("\n")}\n\n${text}\n`);
  return ["Understudy contains these packages, each under its own licence.\n", ...parts].join(
    `\n${"=".repeat(80)}\n\n`,
  );
}

/** Its own files, else what `scripts/licences/` has for one that brings none. */
function textOf(dir, name) {
  const brought =
    dir === undefined ? [] : readdirSync(dir).filter((file) => /^(licen[cs]e|notice|copying)/i.test(file));
  const files =
    brought.length > 0 ? brought.map((file) => join(dir, file)) : [join(OWN, `${name.replace(/[/+]/, "-")}.txt`)];
  try {
    return files.map((file) => readFileSync(file, "utf8").replaceAll("\r", "").trim()).join("\n\n");
  } catch {
    throw new Error(`${name} is bundled and has no file with its licence: put the text into scripts/licences/`);
  }
}
