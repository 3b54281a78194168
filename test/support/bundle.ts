import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { rolldown } from "rolldown";
import { bundling } from "../../scripts/build.mjs";

const root = resolve(import.meta.dirname, "../..");

/** Builds a program of `test/support/` as the product is built; gives its path and what removes it. */
export async function bundle(entry: string): Promise<{ file: string; remove(): void }> {
  const dir = mkdtempSync(join(tmpdir(), "understudy-bundle-"));
  const built = await rolldown({
    ...bundling,
    input: { main: join(root, "test/support", entry) },
  });
  await built.write({ dir, format: "esm", entryFileNames: "[name].mjs", chunkFileNames: "[name]-[hash].mjs" });
  await built.close();
  return { file: join(dir, "main.mjs"), remove: () => rmSync(dir, { recursive: true, force: true }) };
}
