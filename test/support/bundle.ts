import { copyFileSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
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
  // As the product lies in its package: beside it what tells the version, and packages that are not bundled.
  const dist = join(dir, "dist");
  await built.write({ dir: dist, format: "esm", entryFileNames: "[name].mjs", chunkFileNames: "[name]-[hash].mjs" });
  await built.close();
  copyFileSync(join(root, "package.json"), join(dir, "package.json"));
  symlinkSync(join(root, "node_modules"), join(dir, "node_modules"));
  return { file: join(dist, "main.mjs"), remove: () => rmSync(dir, { recursive: true, force: true }) };
}
