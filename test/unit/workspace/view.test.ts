import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Root } from "../../../src/events/event.ts";
import { opaqueJson } from "../../../src/workspace/opaque.ts";
import { createView, PathError } from "../../../src/workspace/view.ts";
import { needs } from "../../support/runnable.ts";
import { scratch } from "../../support/scratch.ts";
import { sh } from "../../support/workspace-step.ts";

function fixture(): { base: string; dir: string; roots: Root[]; layer: (n: number) => string } {
  const base = scratch("view");
  const dir = join(base, "p");
  mkdirSync(join(dir, "src"), { recursive: true });
  mkdirSync(join(base, "outside"));
  writeFileSync(join(dir, "a.txt"), "below");
  writeFileSync(join(dir, "src/x.ts"), "x");
  writeFileSync(join(base, "outside/secret.txt"), "secret");
  const layer = (n: number): string => {
    mkdirSync(join(base, `step${n}/u0`), { recursive: true });
    return join(base, `step${n}`);
  };
  return { base, dir, roots: [{ path: dir, kind: "folder" }], layer };
}
const notRoot = process.getuid?.() === 0 ? undefined : "whiteouts can be made by root alone";

describe("resolve", () => {
  it("W1: a plain file, its folder, the root and what is missing", async () => {
    const { dir, roots } = fixture();
    const view = createView(roots, []);
    const file = await view.resolve(join(dir, "a.txt"));
    expect(file).toMatchObject({
      path: join(dir, "a.txt"),
      real: join(dir, "a.txt"),
      inside: true,
      root: 0,
      exists: true,
      type: "file",
      size: 5,
    });
    expect(await view.resolve(`${dir}//src/./../src/`)).toMatchObject({ path: join(dir, "src"), type: "folder" });
    expect(await view.resolve(dir)).toMatchObject({ path: dir, inside: true, type: "folder" });
    const missing = join(dir, "no/such");
    expect(await view.resolve(missing)).toEqual({ path: missing, real: missing, inside: true, root: 0, exists: false });
    expect(await view.resolve(join(dir, "a.txt/x"))).toMatchObject({ inside: true, exists: false });
  });
  it("path-escape-002/003/021: climbing and a sibling with the same beginning", async () => {
    const { base, dir, roots } = fixture();
    mkdirSync(`${dir}-evil`);
    const view = createView(roots, []);
    for (const path of [
      `${dir}/../outside/secret.txt`,
      `${dir}/src/../../outside/secret.txt`,
      `${dir}/no/../../outside/secret.txt`,
    ]) {
      expect(await view.resolve(path)).toMatchObject({
        path: join(base, "outside/secret.txt"),
        inside: false,
        exists: true,
        root: -1,
      });
    }
    expect(await view.resolve(`${dir}-evil`)).toMatchObject({ inside: false, type: "folder" });
  });
  it("path-escape-004/005/022/023/024: links out, to files, folders and to nothing yet", async () => {
    const { base, dir, roots } = fixture();
    symlinkSync(join(base, "outside/secret.txt"), join(dir, "link.txt"));
    symlinkSync("../outside", join(dir, "d"));
    symlinkSync(join(base, "outside/MARK"), join(dir, "new.txt"));
    const view = createView(roots, []);
    const where = async (path: string): Promise<unknown> => {
      const { path: at, inside, exists } = await view.resolve(join(dir, path));
      return [at, inside, exists];
    };
    expect(await where("link.txt")).toEqual([join(base, "outside/secret.txt"), false, true]);
    expect(await where("d/secret.txt")).toEqual([join(base, "outside/secret.txt"), false, true]);
    expect(await where("new.txt")).toEqual([join(base, "outside/MARK"), false, false]);
    expect(await where("d/sub/MARK")).toEqual([join(base, "outside/sub/MARK"), false, false]);
    expect(await view.resolve(join(dir, "d"), "stay")).toMatchObject({
      path: join(dir, "d"),
      type: "link",
      inside: true,
    });
    expect(await view.resolve(join(dir, "d/"), "stay")).toMatchObject({ type: "link" });
  });
  it("path-escape-006/039: another name of the root folder leads to the real path", async () => {
    const { base, roots, dir } = fixture();
    const view = createView(roots, []);
    expect(await view.resolve(`/proc/self/root${base}/outside/secret.txt`)).toMatchObject({
      path: join(base, "outside/secret.txt"),
      inside: false,
    });
    expect(await view.resolve(`/proc/self/root${dir}/a.txt`)).toMatchObject({ path: join(dir, "a.txt"), inside: true });
  });
  it("W1: above the topmost folder is the topmost folder, after a link as well", async () => {
    const { base, dir, roots } = fixture();
    symlinkSync("/", join(dir, "top"));
    const view = createView(roots, []);
    const secret = join(base, "outside/secret.txt");
    expect(await view.resolve(`${dir}/top/../..${secret}`)).toMatchObject({
      path: secret,
      inside: false,
      exists: true,
    });
    expect(await view.resolve("/../..")).toMatchObject({ path: "/", inside: false });
  });
  it("path-escape-008/009/011: a tilde, a URL and a backslash are plain names", async () => {
    const { dir, roots } = fixture();
    const view = createView(roots, []);
    for (const name of ["~/secret.txt", "file:/x", "..\\outside\\secret.txt"]) {
      expect(await view.resolve(join(dir, name))).toMatchObject({ path: join(dir, name), inside: true, exists: false });
    }
  });
  it("path-escape-010/012/029: NUL, a loop, a name too long, a relative path are errors in words", async () => {
    const { dir, roots } = fixture();
    symlinkSync("loop", join(dir, "loop"));
    const view = createView(roots, []);
    const code = async (path: string): Promise<string> => {
      const error: unknown = await view.resolve(path).catch((e: unknown) => e);
      return error instanceof PathError ? error.code : `no error but ${JSON.stringify(error)}`;
    };
    expect(await code(`${dir}/a.txt\0/../../x`)).toBe("NUL");
    expect(await code(join(dir, "loop"))).toBe("ELOOP");
    expect(await code(join(dir, "loop/x"))).toBe("ELOOP");
    expect(await code(join(dir, "x".repeat(300)))).toBe("ENAMETOOLONG");
    expect(await code("a.txt")).toBe("RELATIVE");
  });
  it("W6: a layer's file covers the folder's, and links lead through layers", async () => {
    const { dir, roots, layer } = fixture();
    const [one, two] = [layer(1), layer(2)];
    writeFileSync(join(one, "u0/a.txt"), "older layer");
    writeFileSync(join(two, "u0/a.txt"), "newest");
    symlinkSync("src", join(one, "u0/s"));
    const view = createView(roots, [one, two]);
    const found = await view.resolve(join(dir, "a.txt"));
    expect([found.path, found.real, readFileSync(found.real, "utf8")]).toEqual([
      join(dir, "a.txt"),
      join(two, "u0/a.txt"),
      "newest",
    ]);
    expect(await view.resolve(join(dir, "s/x.ts"))).toMatchObject({
      path: join(dir, "src/x.ts"),
      real: join(dir, "src/x.ts"),
      inside: true,
    });
  });
  it("W6: a link in a layer out of the roots is outside", async () => {
    const { base, dir, roots, layer } = fixture();
    symlinkSync(join(base, "outside"), join(layer(1), "u0/o"));
    expect(await createView(roots, [layer(1)]).resolve(join(dir, "o/secret.txt"))).toMatchObject({
      inside: false,
      exists: true,
    });
  });
});

describe("links that lead nowhere yet", () => {
  it("path-escape: .. behind a name that is missing, or no folder, leads nowhere, as in the system", async () => {
    const { dir, roots } = fixture();
    symlinkSync("q/../../outside", join(dir, "src/l"));
    symlinkSync("x.ts/../x.ts", join(dir, "src/m"));
    const view = createView(roots, []);
    await expect(view.resolve(join(dir, "src/l"))).rejects.toMatchObject({ code: "ENOENT" });
    await expect(view.resolve(join(dir, "src/m"))).rejects.toMatchObject({ code: "ENOTDIR" });
    symlinkSync(".", join(dir, "src/q"));
    expect(await createView(roots, []).resolve(join(dir, "src/l"))).toMatchObject({ inside: false });
  });
});

describe("list", () => {
  it("W6: layers are merged, sorted by bytes, the door's temporary names left out", async () => {
    const { dir, roots, layer } = fixture();
    mkdirSync(join(layer(1), "u0/src"));
    writeFileSync(join(layer(1), "u0/src/é.ts"), "");
    writeFileSync(join(layer(1), "u0/src/B.ts"), "");
    writeFileSync(join(dir, "src/.understudy-op_abc-1"), "");
    const view = createView(roots, [layer(1)]);
    expect(await view.list(join(dir, "src"))).toEqual(["B.ts", "x.ts", "é.ts"].map((name) => ({ name, type: "file" })));
  });
  it("W6: a file over a folder hides it, a folder over a file starts empty", async () => {
    const { dir, roots, layer } = fixture();
    writeFileSync(join(layer(1), "u0/src"), "now a file");
    mkdirSync(join(layer(1), "u0/a.txt"));
    const view = createView(roots, [layer(1)]);
    expect(await view.list(dir)).toEqual([
      { name: "a.txt", type: "folder" },
      { name: "src", type: "file" },
    ]);
    expect(await view.resolve(join(dir, "src/x.ts"))).toMatchObject({ exists: false });
    expect(await view.list(join(dir, "a.txt"))).toEqual([]);
  });
  it("W6: whiteouts take away what lies below, in the folder a device is a device", async (ctx) => {
    needs(ctx, notRoot);
    const { dir, roots, layer } = fixture();
    sh(join(layer(1), "u0"), "mknod a.txt c 0 0; mknod src c 0 0");
    sh(dir, "mknod null c 0 0");
    sh(join(layer(1), "u0"), "mknod device c 1 3");
    mkdirSync(join(layer(2), "u0/src"));
    const view = createView(roots, [layer(1), layer(2)]);
    expect(await view.list(dir)).toEqual([
      { name: "device", type: "special" },
      { name: "null", type: "special" },
      { name: "src", type: "folder" },
    ]);
    for (const name of ["null", "device"]) {
      expect(await view.resolve(join(dir, name))).toMatchObject({ exists: true, type: "special" });
    }
    expect(await view.resolve(join(dir, "a.txt"))).toMatchObject({ exists: false, inside: true });
    expect(await view.list(join(dir, "src"))).toEqual([]);
  });
  it("W6: an opaque folder hides what lies below it; a damaged list of them is an error", async () => {
    const { dir, roots, layer } = fixture();
    mkdirSync(join(layer(1), "u0/src"));
    writeFileSync(join(layer(1), "opaque.json"), opaqueJson([["src"]]));
    expect(await createView(roots, [layer(1)]).list(join(dir, "src"))).toEqual([]);
    expect(await createView(roots, [layer(1)]).resolve(join(dir, "src/x.ts"))).toMatchObject({ exists: false });
    writeFileSync(join(layer(1), "opaque.json"), "{");
    await expect(createView(roots, [layer(1)]).list(dir)).rejects.toThrow("JSON");
  });
  it("path-escape-018: what is no folder of the roots is not listed", async () => {
    const { base, dir, roots } = fixture();
    symlinkSync(join(base, "outside"), join(dir, "d"));
    const view = createView(roots, []);
    for (const path of [join(dir, "d"), join(dir, "a.txt"), base])
      await expect(view.list(path)).rejects.toThrow(PathError);
  });
});
