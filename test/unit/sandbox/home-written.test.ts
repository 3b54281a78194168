import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { homeWritten } from "../../../src/sandbox/home-written.ts";
import { asUser, missingUser } from "../../support/in-process-user.ts";
import { needs } from "../../support/runnable.ts";
import { scratch } from "../../support/scratch.ts";

function homeWith(...files: string[]): string {
  const home = scratch("home");
  for (const file of files) {
    mkdirSync(dirname(join(home, file)), { recursive: true });
    writeFileSync(join(home, file), "x\n");
  }
  return home;
}

describe("P6: what commands wrote into the session's HOME", () => {
  it("what steers programs is told, the first few by name", () => {
    expect(homeWritten(homeWith(".npmrc"))).toEqual(["~/.npmrc"]);
    expect(homeWritten(homeWith(".config/go/env", ".bashrc", ".local/bin/npm", ".gitconfig"))).toEqual([
      "~/.bashrc",
      "~/.config/go/env",
      "~/.gitconfig",
    ]);
  });
  it("caches, logs and histories are none of it, nor what is empty, nor a home that isn't there", () => {
    const home = homeWith(
      ".cache/pip/a",
      ".npm/_logs/x.log",
      ".npm/_cacache/b",
      ".node_repl_history",
      "go/pkg/mod/m/x.go",
    );
    mkdirSync(join(home, ".config/git"), { recursive: true });
    writeFileSync(join(home, ".gitconfig"), "");
    expect(homeWritten(home)).toEqual([]);
    expect(homeWritten(join(home, "gone"))).toEqual([]);
  });
  it("a name that only begins as one of them does counts", () => {
    expect(homeWritten(homeWith(".cachex", ".npm/evil"))).toEqual(["~/.cachex", "~/.npm/evil"]);
  });
  it("a link counts, wherever it leads", () => {
    const home = homeWith();
    symlinkSync("/nowhere", join(home, ".profile"));
    expect(homeWritten(home)).toEqual(["~/.profile"]);
  });
  it("a folder that can be entered and not listed counts", async (ctx) => {
    needs(ctx, missingUser());
    await asUser(async () => {
      const home = homeWith(".config/git/config");
      chmodSync(join(home, ".config"), 0o300);
      expect(homeWritten(home)).toEqual(["~/.config"]);
      chmodSync(join(home, ".config"), 0o700);
    });
  });
  it("no number of folders keeps it from an answer", () => {
    const home = homeWith();
    for (let n = 0; n < 8; n++) mkdirSync(join(home, `d${n}/d`), { recursive: true });
    expect(homeWritten(home, 15)).toEqual(["more in HOME than can be looked at"]);
    expect(homeWritten(home, 16)).toEqual([]);
  });
});
