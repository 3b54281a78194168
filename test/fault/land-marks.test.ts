import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { removeTree } from "../../src/sandbox/remove.ts";
import { openAt } from "../support/door.ts";
import { needs } from "../support/runnable.ts";
import { sandboxBench } from "../support/sandbox-bench.ts";
import { treeLines } from "../support/tree.ts";

/** New trees with what was moved, linked and replaced among them. */
const COMMANDS = [
  "cp -r old new; mkdir -p a/b; cp -r old a/b",
  "mkdir -p m/q; cp -r old m/q/; mv old/7 m/q/moved",
  "mkdir -p h/q; cp -r old h/q/; ln old/8 h/q/linked",
  "mkdir -p r/q; cp -r old r/q/; mv old/9 r/q/moved; echo new > old/9",
  "rm -rf new; mkdir -p new/z; cp -r old new/z",
];

it("W3 W4: what lands carries none of the overlay's attributes, in whole folders or one by one, and goes again", async (ctx) => {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "understudy-marks-")));
  onTestFinished(() => removeTree(base));
  const [folder, state] = [join(base, "work"), join(base, "state")];
  mkdirSync(join(folder, "old"), { recursive: true });
  mkdirSync(state);
  for (let n = 0; n < 210; n++) writeFileSync(join(folder, "old", `${n}`), `${n}\n`);
  const before = treeLines(folder);
  const ws = await openAt({ folder, foldersDir: join(state, "folders") });
  const roots = [{ path: folder, kind: "folder" as const }];
  const bench = await sandboxBench({ roots: () => roots, stateDir: state, newStep: (id) => ws.newStep(id) });
  onTestFinished(() => bench.close());
  needs(ctx, bench.sandbox.kind.startsWith("overlay") ? undefined : `no overlay: ${bench.sandbox.why.join("; ")}`);
  for (const [n, command] of COMMANDS.entries()) {
    const { changes } = await bench.run(command, { cwd: folder, operationId: `op_${n}` });
    if (changes === undefined) throw new Error(`nothing changed by ${command}`);
    expect(await ws.land(changes)).toMatchObject({ ok: true });
  }
  const archive = execFileSync("tar", ["--xattrs", "--xattrs-include=*", "-cf", "-", "."], {
    cwd: folder,
    maxBuffer: 64 << 20,
  });
  expect(archive.includes(".overlay.")).toBe(false);
  for (const n of [...COMMANDS.keys()].toReversed()) expect(await ws.undo(`op_${n}`)).toMatchObject({ ok: true });
  expect(treeLines(folder)).toEqual(before);
});
