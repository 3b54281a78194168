import type { Mode } from "../events/effect.ts";
import type { Root } from "../events/event.ts";
import type { Secrets } from "../util/secrets/secrets.ts";
import type { ChangeSet } from "../workspace/change.ts";
import type { Groups } from "./groups.ts";
import type { Hides } from "./hides.ts";
import type { NetHost } from "./net-host.ts";
import type { NetUse } from "./net-use.ts";

/**
 * Backends in order of preference (SANDBOX 2). overlay: layers over the folder, with bubblewrap, with system calls alone,
 * or with bubblewrap as real root. copy-bind: a clone of the folder bound at its path. copy: a clone elsewhere (macOS,
 * untested). none has no walls, so every command asks first (P10).
 */
export type SandboxKind = "overlay-bwrap" | "overlay-unshare" | "overlay-root" | "copy-bind" | "copy" | "none";

export interface SandboxLimits {
  /** Milliseconds. */
  timeoutMs: number;
  processes: number;
  fileSizeMb: number;
  layerMb: number;
  /** Of all its processes together, without files that they only map. */
  memoryMb?: number;
}

export interface ShellCommand {
  operationId: string;
  /** bash source text. */
  command: string;
  cwd: string;
  /** Where it runs when `cwd` is not there (any more). Default: the first root. */
  fallback?: string;
  /** What earlier commands exported. */
  env: Readonly<Record<string, string>>;
  /** In plan mode the roots are read-only but for regenerable names, which are thrown away (P1). */
  mode: Mode;
  /** It runs in the machine's own network. */
  network: boolean;
  /** What it may reach through the program's proxy, out of a network of its own. */
  hosts?: readonly NetHost[];
  /** Files and folders outside the roots that it may see, or write; real paths. */
  outside?: readonly OutsidePath[];
  /** Runs in the person's own folder, as they would run it. */
  unsandboxed?: boolean;
  /** HOME and caches are empty, its own, and gone after it; background shells are out of its reach. */
  ownHome?: true;
  /** Kept layers, oldest first. */
  layers: readonly string[];
  limits: SandboxLimits;
  /** Characters of `output`; more goes to the file. Default 30,000. */
  outputChars?: number;
}

export interface OutsidePath {
  path: string;
  access: "read" | "write";
}

export interface ShellExit {
  code: number | null;
  signal: string | null;
  reason: "exit" | "timeout" | "interrupted" | "limit";
  /** Which limit. */
  limit?: string;
  /** Head and tail, bounded; the whole is in `outputFile`. stdout and stderr in order of arrival, UTF-8 with bad bytes replaced. */
  output: string;
  outputBytes: number;
  outputFile?: string;
  cwd: string;
  env: Readonly<Record<string, string>>;
  durationMs: number;
  /** What it would change; absent without containment and in plan mode. */
  changes?: ChangeSet;
  /** What it reached by `hosts`. */
  reached?: readonly NetUse[];
  /** The overlay refused what the command did, so it was run again on another backend: all of this is of that run. */
  retriedOn?: SandboxKind;
  /** What the program adds for the model, such as "network is off in this copy". */
  hints: readonly string[];
}

export interface Sandbox {
  readonly kind: SandboxKind;
  readonly contained: boolean;
  /** Why not a better one, for doctor and the status line. */
  readonly why: readonly string[];
  /** Folder that is the commands' HOME; absent where it is the person's own. */
  readonly home?: string;
  /** Yields output as it comes; ends every process it started before it returns, whatever the way out. */
  run(command: ShellCommand, signal: AbortSignal): AsyncGenerator<{ text: string }, ShellExit>;
  /** Commands that go on in the background; absent where the backend can't have any. */
  readonly groups?: Groups;
  close(): Promise<void>;
}

export interface SandboxOptions {
  roots: readonly Root[];
  /** `<state>/sessions/<id>.home`: the commands' HOME, shared by the session, never landing (SANDBOX 0.3). */
  homeDir: string;
  /** The person's own home, whose tool folders are shown read-only. */
  personHome: string;
  /** Hidden inside the copy. */
  stateDir: string;
  /** The program's settings and key, real path; hidden as well. */
  configDir?: string;
  /** Where commands' whole output is kept, a file `<operationId>.txt` each; bound read-only into the copy. */
  resultsDir: string;
  /** Files and folders beside the roots that settings show to commands, read-only; absolute. */
  shown?: readonly string[];
  /** The environment that the allow-list picks from. */
  env: Readonly<Record<string, string | undefined>>;
  uid: number;
  gid: number;
  /** Masks the keys in commands' output, in what is kept of it and in its file; none: as it is. */
  secrets?: Secrets;
  /** What deny rules for Read keep from commands now; undefined where there is none. Asked for each command. */
  hides?(): Hides | undefined;
  /** Skips backends, for tests and `--no-…` trials. */
  only?: readonly SandboxKind[];
  /** Programs taken as missing, for tests. */
  without?: readonly string[];
}
