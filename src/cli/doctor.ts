import { realpathSync } from "node:fs";
import { join } from "node:path";
import { openSandbox } from "../sandbox/open.ts";
import { backendLine } from "../sandbox/words.ts";
import { MACHINE } from "../session/settings-managed.ts";
import { openStore } from "../session/store.ts";
import { storedKey } from "../session/stored-keys.ts";
import { findKeyring } from "../util/keyring.ts";
import { findRipgrep } from "../tools/ripgrep.ts";
import { randomId, systemClock } from "../util/system.ts";
import { sanitize } from "../util/visible.ts";
import { openWorkspace } from "../workspace/open.ts";
import { findRoots } from "../workspace/roots.ts";
import { storeLine } from "./changes.ts";
import { managedLines } from "./doctor-managed.ts";
import { serverLines } from "./doctor-servers.ts";
import { ownSignIns } from "./mcp-auth.ts";
import { serviceLines } from "./doctor-services.ts";
import { homeOf, programDirs, type Env } from "../session/environment.ts";

/** `agent doctor`: what this machine offers and what is missing, one line each; asks the machine anew, changes nothing. */
export async function doctor(version: string): Promise<number> {
  for (const [name, value] of await doctorRows(version))
    process.stdout.write(sanitize(`${name.padEnd(11)} ${value}`).replaceAll("\n", " ") + "\n");
  return 0;
}

/** The rows of that, by name; also for `/doctor`. */
export async function doctorRows(version: string): Promise<[string, string][]> {
  const env = process.env;
  const dirs = programDirs(env);
  const store = openStore(dirs);
  const roots = await findRoots({ folder: realpathSync(process.cwd()) });
  const workspace = await openWorkspace(
    { roots, foldersDir: store.folders, sessionId: "doctor" },
    { clock: systemClock, makeId: randomId },
  );
  try {
    const sandbox = await openSandbox(
      {
        roots,
        homeDir: join(store.state, "doctor.home"),
        personHome: homeOf(env),
        stateDir: store.state,
        resultsDir: join(store.results, "doctor"),
        env,
        uid: process.getuid?.() ?? 0,
        gid: process.getgid?.() ?? 0,
      },
      {
        newStep: (id) => workspace.newStep(id),
        clock: systemClock,
        arch: process.arch,
        platform: process.platform,
        fresh: true,
      },
    );
    const rows: [string, string][] = [
      ["Understudy", version],
      ["Node", `${process.versions.node} on ${process.platform} ${process.arch}`],
      ...roots.map((r): [string, string] => [r.kind, r.path]),
      ["copy", backendLine(sandbox.kind)],
      ...sandbox.why.map((line): [string, string] => ["", line]),
      ["search", (await findRipgrep()) ?? "no ripgrep, slower search of its own"],
      ["key", keyLine(env, store.config)],
      ["service", env["ANTHROPIC_BASE_URL"] ?? "the Messages API's own address"],
      ...serviceLines(env),
      ...serverLines({ configDir: dirs.config, folder: realpathSync(process.cwd()) }, env, ownSignIns(store, env)),
      ["settings", dirs.config],
      ...managedLines(MACHINE, homeOf(env)).map((text, at): [string, string] => [at === 0 ? "machine" : "", text]),
      ["state", dirs.state],
      ["undo", storeLine(await workspace.journal())],
      ["terminal", terminalLine(env)],
    ];
    await sandbox.close();
    return rows;
  } finally {
    await workspace.close();
  }
}

function keyLine(env: Env, config: string): string {
  for (const name of ["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"]) {
    if ((env[name] ?? "") !== "") return `from ${name}`;
  }
  const kept = storedKey("anthropic", { config, keyring: findKeyring(env, process.platform) });
  return kept === undefined
    ? "none: set ANTHROPIC_API_KEY, or agent key set, or try --model demo"
    : `from ${kept.from}`;
}

function terminalLine(env: Env): string {
  const { isTTY, columns, rows } = process.stdout;
  return isTTY ? `${env["TERM"] ?? "unknown"} ${columns}×${rows}` : "none";
}
