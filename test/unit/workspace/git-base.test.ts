import { createHash } from "node:crypto";
import { lstatSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { baseText } from "../../../src/workspace/git-base.ts";
import { findRoots } from "../../../src/workspace/roots.ts";
import { missingTool, needs } from "../../support/runnable.ts";
import { scratch } from "../../support/scratch.ts";
import { GIT, repo, sh } from "../../support/workspace-step.ts";

describe("baseText", () => {
  it("SANDBOX-5: the index's or HEAD's bytes where they are what the step saw, else nothing", async (ctx) => {
    needs(ctx, missingTool("git"));
    const dir = repo(scratch());
    const scratchDir = scratch();
    const roots = await findRoots({ folder: dir });
    const ask = async (hash: string | undefined, git = GIT): Promise<string | undefined> => {
      const stat = lstatSync(join(dir, "a.txt"), { bigint: true });
      const base = { type: "file", mode: 0o644, size: Number(stat.size), mtime: String(stat.mtimeNs) } as const;
      const before = { ...base, ctime: "0", ino: "0", nlink: 1, ...(hash === undefined ? {} : { hash }) };
      return (await baseText(roots, { root: 0, path: "a.txt", before }, { git, scratchDir }))?.toString();
    };
    const hash = createHash("sha256")
      .update(readFileSync(join(dir, "a.txt")))
      .digest("hex");
    expect(await ask(hash)).toBe("alpha\nbeta\n");
    expect(await ask("0".repeat(64))).toBeUndefined();
    sh(dir, "sleep 0.1; git update-index --really-refresh; touch -d '2001-01-01' a.txt; git update-index --refresh");
    expect(await ask(undefined)).toBe("alpha\nbeta\n");
    sh(dir, "touch -d '2001-01-02' a.txt");
    expect(await ask(undefined)).toBeUndefined();
    sh(dir, "echo other > a.txt; git add a.txt");
    expect(await ask(hash)).toBe("alpha\nbeta\n");
    expect(readdirSync(scratchDir)).toEqual([]);
  });
});
