// Builds dist/ with rolldown: lazy chunks, production React, no dev tools of Ink.
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";
import { asciiOnly, partOf } from "./chunks.mjs";
import { licences } from "./licences.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const { dependencies, engines } = JSON.parse(readFileSync(root + "package.json", "utf8"));
const WIDTH = root + "src/ui/term/width.ts";
const GRAPHEMES = root + "src/ui/term/graphemes.ts";

/** Packages that `later()` loads are in the bundle and run when they are wanted. */
const bundledLater = {
  name: "bundled-later",
  transform(code, id) {
    if (!id.startsWith(root + "src/")) return null;
    const calls = /\b(later<typeof import\("([^"]+)"\)>\("[^"]+")\)/g;
    return calls.test(code) ? { code: code.replace(calls, '$1, () => require("$2"))'), map: null } : null;
  },
};
/** The screen's libraries measure with our width, which needs no Unicode tables for what our screen mostly shows. */
const fastWidths = {
  name: "fast-widths",
  resolveId: (source, importer) =>
    source === "string-width" && importer !== undefined && importer !== WIDTH ? "\0string-width" : null,
  load: (id) => (id === "\0string-width" ? `export { measured as default } from ${JSON.stringify(WIDTH)};` : null),
};
/** Yoga would fetch() its own data: URL, and Node would load its whole HTTP client for that; without one it decodes. */
const noFetch = {
  name: "no-fetch",
  transform: (code, id) =>
    id.includes("yoga-wasm-base64") ? { code: `const fetch = undefined;${code}`, map: null } : null,
};

/** How everything is bundled, test programs too. */
export const bundling = {
  cwd: root,
  platform: "node",
  external: [
    /^@anthropic-ai\/(bedrock|vertex)-sdk/,
    /^@vscode\/ripgrep/,
    /^(bullmq|ioredis|@silvia-odwyer\/photon-node)$/,
    /^node:/,
  ],
  plugins: [bundledLater, fastWidths, noFetch],
  resolve: { alias: { "react-devtools-core": root + "scripts/no-devtools.mjs" } },
  transform: {
    // The oldest Node that it runs on; what it lacks is written out.
    target: engines.node.replace(">=", "node"),
    define: { "process.env.NODE_ENV": '"production"', "process.env.DEV": '"false"' },
    inject: { "Intl.Segmenter": [GRAPHEMES, "Segmenter"] },
  },
  logLevel: "warn",
};

/** The library's types below `dir`: declarations of `src/index.ts`, and of what it leads to. */
function declare(dir) {
  const flags = "--noEmit false --declaration --emitDeclarationOnly --rootDir src --outDir".split(" ");
  const run = spawnSync(root + "node_modules/.bin/tsc", ["-p", "scripts/types.json", ...flags, dir], {
    cwd: root,
    encoding: "utf8",
  });
  // Mistakes in types are the check's to tell, and stop no build.
  if (!existsSync(join(dir, "index.d.ts"))) throw new Error(`no types were made: ${run.stdout}${run.stderr}`);
  const needed = reached(join(dir, "index.d.ts"), new Set());
  for (const entry of readdirSync(dir, { recursive: true, withFileTypes: true })) {
    const file = join(entry.parentPath, entry.name);
    if (!entry.isFile()) continue;
    if (needed.has(file)) writeFileSync(file, withoutBundled(readFileSync(file, "utf8")));
    else rmSync(file);
  }
}

/** Who installs the package has none of the bundled ones; only inner types name theirs. */
function withoutBundled(types) {
  return types.replace(/^import type \{ ([^}]+) \} from "([^".][^"]*)";$/gm, (line, names, from) =>
    from.startsWith("node:") || from in dependencies
      ? line
      : names
          .split(", ")
          .map((name) => `type ${name} = unknown;`)
          .join("\n"),
  );
}

/** A declaration file and all that it imports. */
function reached(file, known) {
  if (known.has(file) || !existsSync(file)) return known;
  known.add(file);
  for (const [, to] of readFileSync(file, "utf8").matchAll(/(?:from|import)\s*\(?\s*"(\.[^"]+)\.tsx?"/g))
    reached(`${join(dirname(file), to)}.d.ts`, known);
  return known;
}

/** Builds into `dist/`; an entry that is not written yet is left out. The old one stays until the new one is whole. */
export async function build() {
  const entries = {
    cli: "src/cli/main.ts",
    "first-paint": "src/cli/first-paint.ts",
    index: "src/index.ts",
    "web-worker": "src/tools/web-worker.ts",
    "picture-worker": "src/util/picture-worker.ts",
  };
  const input = Object.fromEntries(Object.entries(entries).filter(([, file]) => existsSync(root + file)));
  if (Object.keys(input).length === 0) return;
  // A sibling of dist/, so that the paths in the source maps hold after the move.
  const fresh = `${root}dist.${process.pid}`;
  try {
    const bundle = await rolldown({
      ...bundling,
      plugins: [...bundling.plugins, licences, asciiOnly],
      preserveEntrySignatures: "allow-extension",
      input: Object.fromEntries(Object.entries(input).map(([name, file]) => [name, root + file])),
    });
    await bundle.write({
      dir: fresh,
      format: "esm",
      minify: true,
      sourcemap: true,
      chunkFileNames: "[name]-[hash].js",
      codeSplitting: { includeDependenciesRecursively: false, groups: [{ name: partOf(root), debugName: "parts" }] },
    });
    await bundle.close();
    declare(join(fresh, "types"));
    rmSync(root + "dist", { recursive: true, force: true });
    renameSync(fresh, root + "dist");
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
}

/** Builds where something that goes into it is newer than what was built: folders too, since they tell what was taken away. */
export async function buildIfOlder() {
  const built = statSync(root + "dist/cli.js", { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const sources = readdirSync(root + "src", { recursive: true }).map((name) => `src/${name}`);
  const all = [
    "src",
    ...sources,
    "scripts/build.mjs",
    "scripts/chunks.mjs",
    "scripts/licences.mjs",
    "scripts/no-devtools.mjs",
    "scripts/types.json",
    "package-lock.json",
  ];
  const older = all.some((name) => statSync(root + name).mtimeMs >= built);
  if (older || !existsSync(root + "dist/types/index.d.ts")) await build();
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  try {
    await build();
  } catch (error) {
    // The bundler's message names file and line; a stack of its own would only bury it.
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  }
}
