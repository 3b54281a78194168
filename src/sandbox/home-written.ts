import { type Dirent, lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";

const paths = (list: string): string[] => list.trim().split(/\s+/);

/**
 * What tools leave in a home by themselves and what steers none of them: caches, logs, histories, counters of their own. A folder stands
 * for all below it. Whatever is not named here counts, so that a file nobody thought of rather asks once more.
 */
const HARMLESS: ReadonlySet<string> = new Set(
  paths(`
    .cache .npm/_cacache .npm/_logs .npm/_npx .npm/_update-notifier-last-checked .npm/_prebuilds .local/state
    .yarn/berry/cache .bun/install/cache .local/share/pnpm/store .pnpm-store .node-gyp .electron-gyp .node_repl_history
    .v8flags .config/configstore .config/nextjs-nodejs .config/turborepo .config/astro .config/gatsby
    .python_history .ipython/profile_default/history.sqlite .mypy_cache .pylint.d
    .cargo/registry .cargo/git .cargo/.package-cache .cargo/.package-cache-mutate .cargo/.global-cache .cargo/.crates2.json .cargo/.crates.toml
    go/pkg/mod go/pkg/sumdb .config/go/telemetry
    .m2/repository .gradle/caches .gradle/daemon .gradle/native .gradle/notifications .gradle/workers .gradle/kotlin-profile .gradle/.tmp
    .gradle/undefined-build .ivy2/cache .coursier .sbt/boot .java/fonts .java/.userPrefs .kotlin .konan/cache .android/cache
    .nuget/packages .nuget/NuGet/.nuget .local/share/NuGet .dotnet/.workloadAdvertisingManifestSentinels .dotnet/TelemetryStorageService
    .gem/specs .bundle/cache .composer/cache .hex/packages .ccache .sccache .zig-cache .stack/pantry .cabal/packages
    .pki .config/chromium .config/google-chrome .config/google-chrome-for-testing .mozilla .config/Cypress
    .bash_history .zsh_history .lesshst .viminfo .wget-hsts .sqlite_history .psql_history .mysql_history .rediscli_history
    .terraform.d/checkpoint_cache .terraform.d/checkpoint_signature .rnd .dbus .fontconfig`),
);

/** Enough of them to say what it is about. */
const MAX_TOLD = 3;

/**
 * Files that commands of the session wrote into their HOME and that may steer later ones, as `~/…`: the first few. Empty files are the
 * program's own mount points, or say nothing. `most`: of more entries than these it is said that there are more.
 */
export function homeWritten(home: string, most = 2000): string[] {
  const found: string[] = [];
  let left = most;
  const look = (path: string): void => {
    const entries = entriesOf(join(home, path));
    // What can't be listed may still be entered by whoever knows its names.
    if (entries === undefined) return void found.push(`~/${path}`);
    for (const entry of entries) {
      if (found.length >= MAX_TOLD) return;
      const below = path === "" ? entry.name : `${path}/${entry.name}`;
      if (HARMLESS.has(below)) continue;
      if (--left < 0) return void (left === -1 && found.push("more in HOME than can be looked at"));
      if (entry.isDirectory()) look(below);
      else if (!isEmpty(join(home, below), entry)) found.push(`~/${below}`);
    }
  };
  look("");
  return found;
}

function entriesOf(folder: string): Dirent[] | undefined {
  try {
    return readdirSync(folder, { withFileTypes: true }).toSorted((a, b) => (a.name < b.name ? -1 : 1));
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "ENOENT" ? [] : undefined;
  }
}

/** A link, a pipe or whatever else is never empty. */
function isEmpty(path: string, entry: Dirent): boolean {
  return entry.isFile() && lstatSync(path, { throwIfNoEntry: false })?.size === 0;
}
