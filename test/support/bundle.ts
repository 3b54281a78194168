import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { rolldown } from "rolldown";

const root = resolve(import.meta.dirname, "../..");

/** Builds a program of `test/support/` as the product is built; gives its path and what removes it. */
export async function bundle(entry: string): Promise<{ file: string; remove(): void }> {
  const dir = mkdtempSync(join(tmpdir(), "understudy-bundle-"));
  const built = await rolldown({
    input: { main: join(root, "test/support", entry) },
    cwd: root,
    platform: "node",
    external: [/^node:/],
    resolve: { alias: { "react-devtools-core": join(root, "scripts/no-devtools.mjs") } },
    transform: { define: { "process.env.NODE_ENV": '"production"', "process.env.DEV": '"false"' } },
    logLevel: "warn",
  });
  await built.write({ dir, format: "esm", entryFileNames: "[name].mjs", chunkFileNames: "[name]-[hash].mjs" });
  await built.close();
  return { file: join(dir, "main.mjs"), remove: () => rmSync(dir, { recursive: true, force: true }) };
}
