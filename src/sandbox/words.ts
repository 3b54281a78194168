import type { SandboxKind } from "./sandbox.ts";

const WORDS: Readonly<Record<Exclude<SandboxKind, "none">, string>> = {
  "overlay-bwrap": "layers over the folder, bubblewrap",
  "overlay-unshare": "layers over the folder, without bubblewrap",
  "overlay-root": "layers over the folder, bubblewrap as root",
  "copy-bind": "a plain copy of the folder at its path",
  copy: "a plain copy of the folder elsewhere; untested",
};

/** A backend for `agent doctor`. */
export function backendLine(kind: SandboxKind): string {
  if (kind === "none") return "none: every command asks before it runs, in plan mode it is denied";
  return `${kind} (${WORDS[kind]})`;
}

/** What the person should know of a backend that is not the usual one, with the reason; empty for an overlay. */
export function backendNotices(kind: SandboxKind, why: readonly string[]): string[] {
  const reasons = [...new Set(why.map((line) => line.replace(/^[a-z-]+( in memory)?: /, "")))];
  const because = reasons.length === 0 ? "" : ` (${reasons.join("; ")})`;
  switch (kind) {
    case "copy-bind":
      return [
        `Commands run in a plain copy of the folder, brought up to date before each, as no overlay can be made${because}.`,
      ];
    case "copy":
      return [
        `Commands run in a plain copy of the folder at another path, behind sandbox-exec. This was never tested: watch what it says that changed.`,
      ];
    case "overlay-bwrap":
    case "overlay-unshare":
    case "overlay-root":
    case "none":
      return [];
  }
}
