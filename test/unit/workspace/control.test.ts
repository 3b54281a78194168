import { describe, expect, it } from "vitest";
import { isControl } from "../../../src/workspace/control.ts";
import { listedFolder, regenerableFolder } from "../../../src/workspace/regenerable.ts";
import { toRaw } from "../../../src/util/bytes.ts";

describe("isControl", () => {
  it.each([
    ["self-tamper-001", ".agent/settings.json"],
    ["self-tamper-002", ".agent/hooks/pre.sh"],
    ["self-tamper-003", ".mcp.json"],
    ["self-tamper-004", ".git/hooks/pre-commit"],
    ["self-tamper-005", ".vscode/tasks.json"],
    ["self-tamper-006", ".envrc"],
    ["self-tamper-007", "CLAUDE.md"],
    ["self-tamper-008", ".gitmodules"],
    ["path-escape-047", ".GIT/hooks/pre-commit"],
    ["path-escape-048", ".Vscode/tasks.json"],
    ["path-escape-049", ".git./config"],
    ["P3: signs that nobody sees", ".g\u200Cit/config"],
    ["P3: wide letters", "．claude/settings.json"],
    ["P3: a stream of a file", ".git::$INDEX_ALLOCATION/config"],
    ["P3: the short name of .git", "GIT~1/config"],
    ["P3: a trailing space", ".envrc "],
    ["P3: at any depth", "packages/a/AGENTS.md"],
    ["P3: an editor's folder itself", "sub/.idea"],
    ["P3: hooks managers", ".husky/pre-commit"],
    ["P3: shell start-up", "home/.bashrc"],
    ["P3: key files", "certs/server.pem"],
    ["P3: key files by name", "deploy/id_ed25519.pub"],
    ["P3: key folders", ".ssh/config"],
    ["P3: package managers that run code", ".npmrc"],
    ["P3: two names", ".github/copilot-instructions.md"],
  ])("%s: %s", (_id, path) => {
    expect(isControl(toRaw(path))).toBe(true);
  });
  it("P3: ordinary files are none", () => {
    const plain = [
      "src/a.ts",
      ".gitignore",
      ".gitattributes",
      ".env",
      "package.json",
      "Makefile",
      "README.md",
      "gitea/x",
    ];
    const near = [
      "my.claude.md",
      "vscode/tasks.json",
      "docs/envrc",
      "id_map.ts",
      "github/x",
      ".github/ISSUE.md",
      "...",
      "a...",
    ];
    expect([...plain, ...near].filter((path) => isControl(path))).toEqual([]);
  });
  it("P3: CI files are protected by setting", () => {
    const ci = [".github/workflows/ci.yml", ".gitlab-ci.yml", "Jenkinsfile"];
    expect(ci.map((path) => isControl(path))).toEqual([false, false, false]);
    expect(ci.map((path) => isControl(path, true))).toEqual([true, true, true]);
  });
});

describe("regenerable names", () => {
  it("P9: the topmost listed folder, never a file of that name, never inside .git", () => {
    expect(listedFolder("a/node_modules/b/dist/f", false)).toBe("a/node_modules");
    expect(listedFolder("dist", true)).toBe("dist");
    expect(listedFolder("dist", false)).toBeUndefined();
    expect(listedFolder("src/Dist/f", false)).toBeUndefined();
    expect(listedFolder(".git/refs/heads/build/x", false)).toBeUndefined();
    expect(listedFolder("node_modules/p/.git/config", false)).toBe("node_modules");
  });
  it("P9: listed and ignored, both", () => {
    const ignored = (_root: number, path: string): boolean => path === "dist/f" || path === "dist/";
    expect(regenerableFolder(0, "dist/f", false, ignored)).toBe("dist");
    expect(regenerableFolder(0, "dist", true, ignored)).toBe("dist");
    expect(regenerableFolder(0, "dist/g", false, ignored)).toBeUndefined();
    expect(regenerableFolder(0, "x/f", false, () => true)).toBeUndefined();
  });
});
