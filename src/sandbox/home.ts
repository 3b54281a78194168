import { lstatSync, realpathSync } from "node:fs";
import { join } from "node:path";
import type { Below } from "./plan.ts";

const words = (list: string): string[] => list.split(" ");

/** Tool folders and files of the person's home that commands may read. */
const READ = words(
  ".gitconfig .config/git .nvm .volta .fnm .asdf .sdkman .local/bin .local/share/pnpm .local/share/uv " +
    ".local/share/mise .local/share/fnm .cargo/bin .rustup go/bin .pyenv .rye .cache/ms-playwright",
);
/** Caches that tools insist on writing: overlays with an upper layer of the session's own. */
const CACHES = words(
  ".npm .cache/pip .cache/uv .cache/yarn .cache/pnpm .cache/go-build go/pkg/mod .cargo/registry " +
    ".cargo/git .m2/repository .gradle/caches",
);
/** Never shown, wherever a root would show them. */
const SECRET = words(
  ".ssh .gnupg .aws .azure .kube .docker .netrc .npmrc .pypirc .config/gh .config/gcloud " +
    ".config/google-chrome .config/chromium .mozilla .password-store .vault-token .local/share/keyrings " +
    ".bash_history .zsh_history .python_history .node_repl_history .git-credentials",
);

export type Kind = "folder" | "file";

/** Links are neither. */
export function kindOf(path: string): Kind | undefined {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found?.isDirectory() === true) return "folder";
  return found?.isFile() === true ? "file" : undefined;
}

/** Cache folders of a home, absolute, that are there. Links are left out: they may lead anywhere. */
export function cachesOf(home: string): string[] {
  return CACHES.map((name) => join(home, name)).filter((path) => kindOf(path) === "folder");
}

/** Tool folders and files of a home that are there, absolute. */
export function toolsOf(home: string): string[] {
  return READ.map((name) => join(home, name)).filter((path) => kindOf(path) !== undefined);
}

/** Paths of a home that no command may see, and where they really lie if that is by way of a link. */
export function secretsOf(home: string): string[] {
  const named = SECRET.map((name) => join(home, name));
  return [...new Set([...named, ...named.flatMap(realOf)])];
}

function realOf(path: string): string[] {
  try {
    return [realpathSync(path)];
  } catch {
    return [];
  }
}

/** Covers what `isShown` of a home's secrets, where they really lie. A link itself tells nothing. */
export function secretsCovered(home: string, isShown: (path: string) => boolean): Below[] {
  return secretsOf(home).flatMap((at): Below[] => {
    const kind = kindOf(at);
    if (kind === undefined || !isShown(at) || !realOf(at).includes(at)) return [];
    return kind === "folder" ? [{ kind: "empty", at, sizeMb: 1 }] : [{ kind: "blank", at }];
  });
}
