import { execFileSync } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { layersOf } from "../../src/events/layers.ts";
import { stepFolderOf } from "../../src/workspace/steps.ts";
import { createView } from "../../src/workspace/view.ts";
import { deep, deepRuns } from "../support/deep.ts";
import { openRig, type Rig } from "../support/rig.ts";
import { place, type Place } from "../support/session.ts";
import { treeLines } from "../support/tree.ts";

/** Names that the folder has, and some that it has not. */
const path = fc.constantFrom("a", "b", "d", "d/a", "d/b", "d/e", "d/e/a", "e", "e/a", "n", "n/a", "l", "sp ace", "ü");
const text = fc.constantFrom("", "one\n", "two\n", "1\n2\n3\n");

type Step =
  | { tool: "Write"; path: string; text: string }
  | { tool: "Delete"; path: string }
  | { tool: "Bash"; lines: string[] };

const quoted = (p: string): string => `'${p}'`;
const line = fc.oneof(
  fc.tuple(path, text).map(([p, t]) => `[ -d ${quoted(p)} ] || printf '${t.replaceAll("\n", "\\n")}' > ${quoted(p)}`),
  path.map((p) => `rm -rf ${quoted(p)}`),
  path.map((p) => `mkdir -p ${quoted(p)} && echo in > ${quoted(`${p}/f`)}`),
  path.map((p) => `rm -rf ${quoted(p)}; mkdir -p ${quoted(p)}`),
  fc
    .tuple(path, path)
    .map(([p, q]) => `case ${quoted(`${q}/`)} in ${quoted(`${p}/`)}*) ;; *) mv -T ${quoted(p)} ${quoted(q)} ;; esac`),
  fc.tuple(path, path).map(([p, q]) => `[ -d ${quoted(q)} ] || ln -sfn ${quoted(p)} ${quoted(q)}`),
  fc
    .tuple(fc.constantFrom("600", "755", "644"), path)
    .map(([m, p]) => `[ -L ${quoted(p)} ] || chmod ${m} ${quoted(p)}`),
);
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ tool: fc.constant("Write" as const), path, text }),
  fc.record({ tool: fc.constant("Delete" as const), path }),
  fc.record({ tool: fc.constant("Bash" as const), lines: fc.array(line, { minLength: 1, maxLength: 4 }) }),
);

function fill(folder: string): void {
  const files = { a: "a\n", b: "b\n", "d/a": "da\n", "d/e/a": "dea\n", "e/a": "ea\n", "sp ace": "s\n" };
  for (const [name, words] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), words);
  }
  execFileSync("ln", ["-s", "d", "l"], { cwd: folder });
}

/** A step through the session; true where it did what it was asked. */
async function rehearse(rig: Rig, one: Step): Promise<boolean> {
  const done =
    one.tool === "Bash"
      ? await rig.bash(one.lines.join("\n"))
      : await rig.call(
          one.tool,
          one.tool === "Write" ? { file_path: one.path, content: one.text } : { file_path: one.path, recursive: true },
        );
  return done.status === "ok";
}

/** The same in a folder of its own. Write makes what folders are missing on the way, also where a link leads to none yet. */
function plainly(folder: string, one: Step): void {
  if (one.tool === "Write") {
    const leads = execFileSync("realpath", ["-m", "--", join(folder, one.path)], { encoding: "utf8" }).trimEnd();
    mkdirSync(dirname(leads), { recursive: true });
    writeFileSync(leads, one.text);
  } else if (one.tool === "Delete") rmSync(join(folder, one.path), { recursive: true });
  else execFileSync("bash", ["-c", `${one.lines.join("\n")}\ntrue`], { cwd: folder, stdio: "ignore" });
}

describe("a rehearsal of anything", () => {
  it(
    "W6: lands to what the same steps make of a plain folder, and one undo takes it back",
    { timeout: deep(600_000, 3_600_000) },
    async () => {
      const property = fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 6 }), async (steps) => {
        const [at, plain] = [place("re"), place("plain")];
        for (const { folder } of [at, plain]) fill(folder);
        const original = treeLines(at.folder);
        const rig = await openRig(at, "auto", { more: { rehearse: true } });
        try {
          for (const one of steps) if (await rehearse(rig, one)) plainly(plain.folder, one);
          expect(treeLines(at.folder)).toEqual(original);
          const report = await rig.session.land({ yes: true, withRegenerable: true });
          expect(report.ok).toBe(true);
          expect(treeLines(at.folder)).toEqual(treeLines(plain.folder));
          expect(layersOf(rig.session.state())).toEqual([]);
          if (report.paths.length > 0) await rig.session.undo();
          expect(treeLines(at.folder)).toEqual(original);
        } finally {
          await rig.session.close();
        }
      });
      // Says seed, path and counterexample in its first lines, which a report of the long checks quotes.
      await fc.assert(property, { ...deepRuns(6, 300), endOnFailure: true });
    },
  );

  /** What the person does to the folder meanwhile. */
  type Own = { kind: "write" | "remove" | "fill"; path: string };
  const own: fc.Arbitrary<Own> = fc.record({ kind: fc.constantFrom("write", "remove", "fill"), path });

  function meddle(folder: string, { kind, path: name }: Own): void {
    const script = {
      write: `[ -d "$1" ] || { mkdir -p "$(dirname "$1")" && echo mine > "$1"; }`,
      remove: 'rm -rf "$1"',
      fill: 'mkdir -p "$1" && echo mine > "$1/mine"',
    }[kind];
    execFileSync("bash", ["-c", `${script}; true`, "bash", name], { cwd: folder, stdio: "ignore" });
  }

  it(
    "W6: reads see what a command in the copy sees, whatever the person does to the folder meanwhile",
    { timeout: deep(600_000, 3_600_000) },
    async () => {
      const turn = fc.tuple(step, fc.array(own, { maxLength: 2 }));
      const property = fc.asyncProperty(fc.array(turn, { minLength: 1, maxLength: 5 }), async (turns) => {
        const at = place("re");
        fill(at.folder);
        const rig = await openRig(at, "auto", { more: { rehearse: true } });
        try {
          for (const [one, edits] of turns) {
            await rehearse(rig, one);
            for (const edit of edits) meddle(at.folder, edit);
            expect(await seen(rig, at)).toEqual(await inCopy(rig));
          }
        } finally {
          await rig.session.close();
        }
      });
      await fc.assert(property, { ...deepRuns(6, 300), endOnFailure: true });
    },
  );
});

/**
 * Every file by its type and content, as a command finds it. A name that is listed and not there is none: overlay lists the mark of a
 * deletion where the person has removed the folder that it was made for.
 */
async function inCopy(rig: Rig): Promise<string[]> {
  const command = `find . -mindepth 1 | sort | while IFS= read -r p; do
    if [ -L "$p" ]; then echo "link $p"; elif [ -d "$p" ]; then echo "folder $p"; elif [ -e "$p" ]; then echo "file $p $(cat "$p" | tr '\\n' '|')"; fi; done`;
  const { result } = await rig.bash(command);
  const rows = result.split("\n").filter((row) => /^(?:link|folder|file) /.test(row));
  return rows.map((row) => row.replace(" ./", " ").trimEnd()).toSorted();
}

/** The same as Read, Grep, Glob and Edit find it. */
async function seen(rig: Rig, at: Place): Promise<string[]> {
  const { roots } = rig.session.state();
  const foldersDir = join(at.state, "folders");
  const layers = layersOf(rig.session.state()).map((l) => stepFolderOf({ roots, foldersDir }, l.operationId));
  const view = createView(roots, layers);
  const rows: string[] = [];
  const walk = async (folder: string, below: string): Promise<void> => {
    for (const { name, type } of await view.list(folder)) {
      const [full, short] = [`${folder}/${name}`, below === "" ? name : `${below}/${name}`];
      const words =
        type === "file"
          ? ` ${readFileSync((await view.resolve(full, "stay")).real, "utf8").replaceAll("\n", "|")}`
          : "";
      rows.push(`${type} ${short}${words}`);
      if (type === "folder") await walk(full, short);
    }
  };
  await walk(at.folder, "");
  return rows.map((row) => row.trimEnd()).toSorted();
}
