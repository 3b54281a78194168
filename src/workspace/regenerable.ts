import type { RawPath } from "../util/bytes.ts";

/**
 * Folder names of output that tools make anew (P9). Kept short on purpose: without git the name alone decides, and what
 * is under such a name doesn't land unasked. Left out because people keep their own work under them: bin, env, lib, log,
 * obj, out, tmp, vendor.
 */
const NAMES: ReadonlySet<string> = new Set(
  `node_modules bower_components jspm_packages .pnpm-store dist build target _build dist-newstyle zig-out
    coverage .nyc_output htmlcov test-results .test-results playwright-report __pycache__ .pytest_cache .mypy_cache .ruff_cache .hypothesis .tox .nox .venv
    venv .eggs .cache .parcel-cache .turbo .vite .nx .angular .swc .next .nuxt .output .svelte-kit .astro
    .docusaurus .gradle .kotlin .dart_tool .stack-work .zig-cache zig-cache elm-stuff .terraform DerivedData Pods`.split(
    /\s+/,
  ),
);

/** The listed names. */
export const REGENERABLE_NAMES: readonly string[] = [...NAMES];

/**
 * The topmost listed folder that an entry lies in (or is, with `folder`), by name alone; nothing inside `.git` counts.
 */
export function listedFolder(path: RawPath, folder: boolean): RawPath | undefined {
  const names = path.split("/");
  const last = folder ? names.length : names.length - 1;
  for (let n = 0; n < last; n++) {
    const name = names[n];
    if (name === ".git") return undefined;
    if (name !== undefined && NAMES.has(name)) return names.slice(0, n + 1).join("/");
  }
  return undefined;
}

/**
 * The topmost listed folder of a regenerable entry, or undefined when the entry is none: its folder is listed, and it is
 * untracked and ignored. `ignored` gets a folder's path with `/` at its end.
 */
export function regenerableFolder(
  root: number,
  path: RawPath,
  folder: boolean,
  ignored: (root: number, path: RawPath) => boolean,
): RawPath | undefined {
  const top = listedFolder(path, folder);
  return top !== undefined && ignored(root, folder ? `${path}/` : path) ? top : undefined;
}
