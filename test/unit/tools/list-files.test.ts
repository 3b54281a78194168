import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { openRig } from "../../support/rig.ts";
import { place } from "../../support/session.ts";

async function listed(session: { beside: { files(signal: AbortSignal): AsyncIterable<readonly string[]> } }) {
  const all: string[] = [];
  for await (const some of session.beside.files(new AbortController().signal)) all.push(...some);
  return all.toSorted();
}

it("IN-11: the files that @ offers: not what .gitignore names or a Read deny hides, but what waits in a rehearsal", async () => {
  const at = place("list-files");
  for (const dir of ["src", "node_modules/x", ".git"]) mkdirSync(join(at.folder, dir), { recursive: true });
  const files = [".gitignore", "src/a.ts", "src/gone.ts", "my notes.md", ".env", "node_modules/x/i.js", ".git/config"];
  for (const file of files) writeFileSync(join(at.folder, file), file === ".gitignore" ? "node_modules\n" : "");
  const rules = [{ text: "Read(.env)", action: "deny", source: "project" } as const];
  const rig = await openRig(at, "auto", { rules, more: { rehearse: true } });
  onTestFinished(() => rig.session.close());
  expect(await listed(rig.session)).toEqual([".gitignore", "my notes.md", "src/a.ts", "src/gone.ts"]);
  await rig.call("Write", { file_path: "src/new.ts", content: "" }, "yes");
  await rig.call("Delete", { file_path: "src/gone.ts" }, "yes");
  expect(await listed(rig.session)).toEqual([".gitignore", "my notes.md", "src/a.ts", "src/new.ts"]);
});
