import type { GitEffect } from "../events/effect.ts";
import { showPath, type RawPath } from "../util/bytes.ts";
import type { Piece } from "./expand.ts";

/** What a file inside a git dir is for. `none`: a change of it alone has no effect (P3). */
type Kind = "moves" | "index" | "objects" | "none" | "state" | "other";

/** Files of a git dir that only say what git was about, or caches that it makes anew. */
const NO_EFFECT =
  /^(?:COMMIT_EDITMSG|ORIG_HEAD|FETCH_HEAD|AUTO_MERGE|MERGE_MSG|MERGE_MODE|MERGE_RR|SQUASH_MSG|TAG_EDITMSG|MERGE_AUTOSTASH|gc\.(?:log|pid)|logs(?:\/.*)?|(?:rr-cache|lost-found)(?:\/.*)?)$/;
const STATE = /^(?:MERGE_HEAD|CHERRY_PICK_HEAD|REVERT_HEAD|REBASE_HEAD|BISECT_[A-Z]+)$/;
/** Caches beside the objects. */
const OBJECT_CACHE =
  /^objects\/(?:info\/(?:packs|commit-graph|commit-graphs\/.*)|pack\/multi-pack-index.*|pack\/.*\.(?:rev|bitmap|mtimes|keep))$/;
const OBJECT = /^objects\/(?:[0-9a-f]{2}(?:\/(?:[0-9a-f]{38}|[0-9a-f]{62}|tmp_obj_\w+))?|pack(?:\/[\w.-]+)?|info)$/;
const WORDS: readonly (readonly [RegExp, string])[] = [
  [/^config(\.worktree)?$/, "git's config changed, which can name programs to run"],
  [/^hooks(\/|$)/, "git hook changed"],
  [/^info(\/|$)/, "git's own ignore, attribute or graft list changed"],
  [/^(rebase-merge|rebase-apply|sequencer)(\/|$)/, "a rebase or sequence of picks is under way or given up"],
  [/^modules(\/|$)/, "repository of a submodule changed"],
  [/^worktrees(\/|$)/, "another work tree's part of the repository changed"],
  [/^objects\/info\/(http-)?alternates$/, "objects are borrowed from elsewhere"],
  [/^reftable(\/|$)/, "refs changed in a form that can't be read"],
];

function kindOf(name: RawPath): Kind {
  if (name.endsWith(".lock") || NO_EFFECT.test(name) || OBJECT_CACHE.test(name)) return "none";
  if (name === "HEAD" || name === "packed-refs" || name === "refs" || name.startsWith("refs/")) return "moves";
  if (name === "index") return "index";
  if (OBJECT.test(name) || /^lfs\/objects(\/|$)/.test(name)) return "objects";
  return STATE.test(name) ? "state" : "other";
}

const REGULAR = new Set(["file", "folder"]);

function judgeOne(kind: Kind, name: RawPath, change: Piece): GitEffect | undefined {
  if (change.after !== undefined && !REGULAR.has(change.after.type)) {
    return { text: `.git/${showPath(name)} became a ${change.after.type}`, high: true };
  }
  if (change.op === "type") return { text: `.git/${showPath(name)} changed its type`, high: true };
  if (kind === "other") return { text: otherWords(name), high: true };
  if (kind === "state") return stateWords(name, change);
  return kind === "index" && change.op === "delete" ? { text: "the index is gone", high: true } : undefined;
}

function otherWords(name: RawPath): string {
  const words = WORDS.find(([pattern]) => pattern.test(name))?.[1];
  return words === undefined ? `.git/${showPath(name)} changed` : `${words} (.git/${showPath(name)})`;
}

function stateWords(name: RawPath, change: Piece): GitEffect | undefined {
  const what = showPath(name)
    .replace(/_HEAD$/, "")
    .toLowerCase()
    .replaceAll("_", "-");
  if (change.op === "create") return { text: `a ${what} is under way`, high: false };
  return change.op === "delete" ? { text: `the ${what} under way ended`, high: false } : undefined;
}

/** Objects are only ever added: one that went or changed is history lost. */
function lostObjects(changes: readonly Piece[]): GitEffect[] {
  return (["removed", "changed"] as const).flatMap((word) => {
    const op = word === "removed" ? "delete" : "modify";
    const files = changes.filter((c) => c.op === op).reduce((sum, c) => sum + filesIn(c), 0);
    return files === 0
      ? []
      : [{ text: `${files} stored object${files === 1 ? "" : "s"} or packs ${word}`, high: true }];
  });
}

function filesIn(change: Piece): number {
  return change.before?.type === "folder" ? 0 : 1;
}

export interface FileVerdict {
  effects: GitEffect[];
  /** Refs or HEAD may have moved. */
  moves: boolean;
  index: boolean;
}

/** Judges the files of a git dir by name; refs, HEAD and index only say that they must be looked at. */
export function judgeFiles(changes: readonly { name: RawPath; change: Piece }[]): FileVerdict {
  const effects = new Map<string, GitEffect>();
  const byKind = new Map<Kind, Piece[]>();
  for (const { name, change } of changes) {
    const kind = kindOf(name);
    const same = byKind.get(kind) ?? [];
    same.push(change);
    byKind.set(kind, same);
    const effect = judgeOne(kind, name, change);
    if (effect !== undefined) effects.set(effect.text, effect);
  }
  return {
    effects: [...effects.values(), ...lostObjects(byKind.get("objects") ?? [])],
    moves: byKind.has("moves"),
    index: byKind.has("index"),
  };
}
