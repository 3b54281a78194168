// Builds dist/ with rolldown: lazy chunks, production React, no dev tools of Ink.
import { existsSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";

const root = fileURLToPath(new URL("..", import.meta.url));

/** Builds into `dist/`; an entry that is not written yet is left out. */
export async function build() {
  const entries = { cli: "src/cli/main.ts", index: "src/index.ts" };
  const input = Object.fromEntries(Object.entries(entries).filter(([, file]) => existsSync(root + file)));
  if (Object.keys(input).length === 0) return;
  rmSync(root + "dist", { recursive: true, force: true });
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
    dir: root + "dist",
    format: "esm",
    minify: true,
    sourcemap: true,
    chunkFileNames: "[name]-[hash].js",
  });
  await bundle.close();
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await build();
