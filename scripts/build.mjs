// Builds dist/ with rolldown: lazy chunks, production React, no dev tools of Ink.
import { existsSync, renameSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";

const root = fileURLToPath(new URL("..", import.meta.url));

/** Builds into `dist/`; an entry that is not written yet is left out. The old one stays until the new one is whole. */
export async function build() {
  const entries = { cli: "src/cli/main.ts", index: "src/index.ts" };
  const input = Object.fromEntries(Object.entries(entries).filter(([, file]) => existsSync(root + file)));
  if (Object.keys(input).length === 0) return;
  // A sibling of dist/, so that the paths in the source maps hold after the move.
  const fresh = `${root}dist.${process.pid}`;
  try {
    const bundle = await rolldown({
      input: Object.fromEntries(Object.entries(input).map(([name, file]) => [name, root + file])),
      cwd: root,
      platform: "node",
      external: [/^@vscode\/ripgrep/, /^node:/],
      resolve: { alias: { "react-devtools-core": root + "scripts/no-devtools.mjs" } },
      transform: { define: { "process.env.NODE_ENV": '"production"', "process.env.DEV": '"false"' } },
      logLevel: "warn",
    });
    await bundle.write({
      dir: fresh,
      format: "esm",
      minify: true,
      sourcemap: true,
      chunkFileNames: "[name]-[hash].js",
    });
    await bundle.close();
    rmSync(root + "dist", { recursive: true, force: true });
    renameSync(fresh, root + "dist");
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
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
