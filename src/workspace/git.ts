import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { breathe } from "./fingerprint.ts";
import { findProgram, type RunResult, runProcess } from "../util/process.ts";
import type { RawPath } from "../util/bytes.ts";
import { specialObject } from "./git-special.ts";

/** What a commit's log line needs. */
export interface Commit {
  id: string;
  parents: readonly string[];
  subject: string;
}

/** One file of a commit's tree. */
export interface TreeEntry {
  mode: number;
  id: string;
}

/**
 * Questions to a repository's objects, before or after a step. git runs on a git dir of our own that only borrows the
 * object folders, so neither the repository's config, hooks, attributes nor refs are ever read. undefined: git could not tell.
 */
export interface Objects {
  /** Why git is not asked at all, in words; every answer is then undefined. */
  problem(): Promise<string | undefined>;
  isAncestor(older: string, newer: string): Promise<boolean | undefined>;
  /** Commits that `from` reaches and none of `not` does, newest first. */
  commits(from: string, not: readonly string[], max: number): Promise<readonly Commit[] | undefined>;
  /** Which of these objects are there. */
  existing(ids: readonly string[]): Promise<ReadonlySet<string> | undefined>;
  filesOf(commit: string): Promise<ReadonlyMap<RawPath, TreeEntry> | undefined>;
  blob(id: string, maxBytes: number): Promise<Buffer | undefined>;
}

export interface OpenGit {
  /** `folders`: raw absolute object folders. */
  objects(folders: readonly string[], idBytes: 20 | 32): Objects;
  close(): Promise<void>;
}

const TIMEOUT_MS = 20_000;
/** Our own git dir has none of this; said again in case git ever reads another config. */
export const GIT_SAFE: readonly string[] = (
  "-c core.fsmonitor=false -c core.hooksPath=/dev/null -c protocol.ext.allow=never -c safe.directory=* " +
  "-c core.pager=cat --no-pager --no-optional-locks --no-replace-objects"
).split(" ");
/** Of git that is to read no config but the repository's, ask nobody and fetch nothing. */
export const GIT_ENV = {
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_SYSTEM: "/dev/null",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_ATTR_NOSYSTEM: "1",
  GIT_OPTIONAL_LOCKS: "0",
  GIT_NO_REPLACE_OBJECTS: "1",
  GIT_NO_LAZY_FETCH: "1",
  GIT_TERMINAL_PROMPT: "0",
  LC_ALL: "C",
  PATH: "/usr/bin:/bin",
};

/**
 * Makes a git dir of our own in a fresh folder below `scratchDir`; `close` removes it. `git`: the program's absolute path. `signal` ends what runs and
 * all that would: git then could not tell.
 */
export async function openGit(git: string, scratchDir: string, signal?: AbortSignal): Promise<OpenGit> {
  const dir = await mkdtemp(`${scratchDir}/git-`);
  for (const name of ["objects/info", "objects/pack", "refs"]) await mkdir(`${dir}/${name}`, { recursive: true });
  await writeFile(`${dir}/HEAD`, "ref: refs/heads/none\n");
  return {
    objects: (folders, idBytes) => new GitObjects({ git, dir, signal }, folders, idBytes),
    close: () => rm(dir, { recursive: true, force: true }),
  };
}

/** Why quoted: the list is split at `:`, and a name may hold any byte. */
function quoted(raw: string): string {
  return `"${raw.replace(/["\\]/g, "\\$&").replaceAll("\n", "\\n")}"`;
}

/** Ids that one call will ask for, and what it finds. */
interface Asked {
  ids: Set<string>;
  answer: Promise<ReadonlySet<string> | undefined>;
}

/** Of one `openGit`. */
interface Ours {
  git: string;
  dir: string;
  signal: AbortSignal | undefined;
}

const NOT_RUN: RunResult = {
  code: null,
  stdout: new Uint8Array(),
  stderr: new Uint8Array(),
  timedOut: false,
  truncated: false,
};

class GitObjects implements Objects {
  readonly #ours: Ours;
  readonly #folders: readonly string[];
  #problem: Promise<string | undefined> | undefined;
  readonly #env: Readonly<Record<string, string>>;
  readonly #idBytes: 20 | 32;
  #config: Promise<void> | undefined;
  #next: Asked | undefined;
  #busy: Promise<void> = Promise.resolve();

  constructor(ours: Ours, folders: readonly string[], idBytes: 20 | 32) {
    this.#ours = ours;
    this.#folders = folders;
    this.#idBytes = idBytes;
    this.#env = {
      GIT_DIR: ours.dir,
      GIT_ALTERNATE_OBJECT_DIRECTORIES: folders.map((f) => quoted(Buffer.from(f, "latin1").toString("utf8"))).join(":"),
      HOME: ours.dir,
      ...GIT_ENV,
    };
  }

  problem(): Promise<string | undefined> {
    return (this.#problem ??= specialObject(this.#folders));
  }

  /** Why written: the length of an id is told by the config alone. */
  async #run(args: readonly string[], input?: string): Promise<RunResult> {
    const { git, dir, signal } = this.#ours;
    if ((await this.problem()) !== undefined || signal?.aborted === true) return NOT_RUN;
    const sha256 = "[core]\n\trepositoryformatversion = 1\n[extensions]\n\tobjectformat = sha256\n";
    const plain = "[core]\n\trepositoryformatversion = 0\n";
    this.#config ??= writeFile(`${dir}/config`, this.#idBytes === 32 ? sha256 : plain);
    await this.#config;
    const options = {
      cwd: dir,
      env: this.#env,
      timeoutMs: TIMEOUT_MS,
      bound: true,
      ...(signal === undefined ? {} : { signal }),
      ...(input === undefined ? {} : { input }),
    };
    return runProcess(git, [...GIT_SAFE, ...args], options);
  }

  async #text(args: readonly string[], input?: string): Promise<string | undefined> {
    const result = await this.#run(args, input);
    const whole = result.code === 0 && !result.truncated;
    return whole ? Buffer.from(result.stdout).toString("latin1") : undefined;
  }

  async isAncestor(older: string, newer: string): Promise<boolean | undefined> {
    const { code } = await this.#run(["merge-base", "--is-ancestor", older, newer]);
    return code === 0 ? true : code === 1 ? false : undefined;
  }

  async commits(from: string, not: readonly string[], max: number): Promise<readonly Commit[] | undefined> {
    const format = ["--format=%H%x09%P%x09%s", "--no-show-signature", "--no-color", "--no-decorate", "--no-notes"];
    const input = [from, ...not.map((id) => `^${id}`), ""].join("\n");
    const text = await this.#text(["log", "-z", "--ignore-missing", ...format, `--max-count=${max}`, "--stdin"], input);
    return text?.split("\0").flatMap((line) => {
      const [id = "", parents = "", ...subject] = line.split("\t");
      const words = Buffer.from(subject.join("\t"), "latin1").toString("utf8").trim();
      return id === "" ? [] : [{ id, parents: parents === "" ? [] : parents.split(" "), subject: words }];
    });
  }

  /** What is asked while git answers goes in one next call: a process for each of a thousand files would take minutes. */
  async existing(ids: readonly string[]): Promise<ReadonlySet<string> | undefined> {
    if (ids.length === 0) return new Set();
    const wanted = (this.#next ??= this.#ask());
    for (const id of ids) wanted.ids.add(id);
    const found = await wanted.answer;
    return found === undefined ? undefined : new Set(ids.filter((id) => found.has(id)));
  }

  #ask(): Asked {
    const ids = new Set<string>();
    const before = this.#busy;
    const answer = (async () => {
      await before;
      await breathe();
      this.#next = undefined;
      const text = await this.#text(["cat-file", "--batch-check=%(objectname)"], [...ids, ""].join("\n"));
      return text === undefined ? undefined : new Set(text.split("\n").filter((line) => /^[0-9a-f]+$/.test(line)));
    })();
    // A failure is told to those who asked.
    this.#busy = answer.then(
      () => undefined,
      () => undefined,
    );
    return { ids, answer };
  }

  async filesOf(commit: string): Promise<ReadonlyMap<RawPath, TreeEntry> | undefined> {
    const text = await this.#text(["ls-tree", "-r", "-z", "--full-tree", commit]);
    if (text === undefined) return undefined;
    const files = new Map<RawPath, TreeEntry>();
    for (const line of text.split("\0")) {
      const tab = line.indexOf("\t");
      const [mode = "", , id = ""] = line.slice(0, Math.max(tab, 0)).split(" ");
      if (tab > 0) files.set(line.slice(tab + 1), { mode: Number.parseInt(mode, 8), id });
    }
    return files;
  }

  async blob(id: string, maxBytes: number): Promise<Buffer | undefined> {
    const size = await this.#text(["cat-file", "-s", id]);
    if (size === undefined || Number(size) > maxBytes) return undefined;
    const result = await this.#run(["cat-file", "blob", id]);
    return result.code === 0 ? Buffer.from(result.stdout) : undefined;
  }
}

/** Absolute path of git on a search path, taken from nowhere below the roots; undefined when there is none. */
export function findGitProgram(path: string, roots: readonly string[]): string | undefined {
  return findProgram("git", path, roots);
}
