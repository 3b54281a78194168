import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Root } from "../../src/events/event.ts";
import { opaqueJson } from "../../src/workspace/opaque.ts";
import { createView } from "../../src/workspace/view.ts";
import type { View } from "../../src/workspace/workspace.ts";
import { needs } from "../support/runnable.ts";
import { scratch } from "../support/scratch.ts";
import { sh } from "../support/workspace-step.ts";

/** A folder as nested maps; a file is its text. */
type Model = Map<string, Model | string>;
/** What a layer says about one path: a file, a merged folder, an opaque folder, a whiteout. */
type Say = { path: string[]; what: "file" | "folder" | "opaque" | "gone"; text: string };

const names = fc.constantFrom("a", "b", "c");
const say: fc.Arbitrary<Say> = fc.record({
  path: fc.array(names, { minLength: 1, maxLength: 3 }),
  what: fc.constantFrom("file", "folder", "opaque", "gone"),
  text: fc.string({ maxLength: 3 }),
});

/** Later words about a path, or about what lies above or below it, are dropped: a layer says one thing of each. */
function sound(says: Say[]): Say[] {
  const kept: Say[] = [];
  for (const one of says) {
    const clash = kept.some((k) => {
      const [short, long] = k.path.length <= one.path.length ? [k, one] : [one, k];
      const above = long.path.slice(0, short.path.length).join("/") === short.path.join("/");
      return above && (short.path.length === long.path.length || short.what === "file" || short.what === "gone");
    });
    if (!clash) kept.push(one);
  }
  return kept.toSorted((a, b) => a.path.length - b.path.length);
}

function apply(model: Model, one: Say): void {
  let at = model;
  for (const name of one.path.slice(0, -1)) {
    const next = at.get(name);
    const folder: Model = next instanceof Map ? next : new Map();
    at.set(name, folder);
    at = folder;
  }
  const last = one.path.at(-1) ?? "";
  const old = at.get(last);
  if (one.what === "gone") at.delete(last);
  else if (one.what === "file") at.set(last, one.text);
  else if (one.what === "opaque" || !(old instanceof Map)) at.set(last, new Map());
}

function write(base: string, one: Say): void {
  const path = join(base, one.path.join("/"));
  mkdirSync(dirname(path), { recursive: true });
  if (one.what === "file") writeFileSync(path, one.text);
  else if (one.what === "gone") sh(base, `mknod '${path}' c 0 0`);
  else mkdirSync(path, { recursive: true });
}

async function read(view: View, dir: string): Promise<Model> {
  const found: Model = new Map();
  for (const { name, type } of await view.list(dir)) {
    const at = join(dir, name);
    const size = (await view.resolve(at)).size;
    found.set(name, type === "folder" ? await read(view, at) : `${type} ${size}`);
  }
  return found;
}
function flat(model: Model): Model {
  const entries = [...model].toSorted(([a], [b]) => (a < b ? -1 : 1));
  return new Map(entries.map(([k, v]) => [k, v instanceof Map ? flat(v) : v]));
}
function sized(model: Model): Model {
  return new Map([...model].map(([k, v]) => [k, v instanceof Map ? sized(v) : `file ${Buffer.byteLength(v)}`]));
}

describe("the view", () => {
  it("W6: over random layers it is what merging them one by one gives", async (ctx) => {
    needs(ctx, process.getuid?.() === 0 ? undefined : "whiteouts can be made by root alone");
    const layers = fc.array(fc.array(say, { maxLength: 6 }).map(sound), { minLength: 1, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(layers, async (all) => {
        const base = scratch("prop");
        const roots: Root[] = [{ path: join(base, "p"), kind: "folder" }];
        const steps = all.slice(1).map((_, n) => join(base, `s${n}`));
        const model: Model = new Map();
        mkdirSync(join(base, "p"));
        all.forEach((says, n) => {
          const upper = n === 0 ? join(base, "p") : join(base, `s${n - 1}/u0`);
          mkdirSync(upper, { recursive: true });
          // The folder itself has no whiteouts: there, "gone" is simply not made.
          const real = n === 0 ? says.filter((s) => s.what !== "gone") : says;
          for (const one of real) write(upper, one);
          for (const one of real) apply(model, one);
          const opaque = real.filter((s) => s.what === "opaque").map((s) => s.path.join("/"));
          if (n > 0) writeFileSync(join(base, `s${n - 1}/opaque.json`), opaqueJson([opaque]));
        });
        expect(flat(await read(createView(roots, steps), join(base, "p")))).toEqual(flat(sized(model)));
      }),
      { numRuns: 60 },
    );
  });
});
