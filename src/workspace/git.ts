import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { findProgram, type RunResult, runProcess } from "../util/process.ts";
import type { RawPath } from "../util/bytes.ts";

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
const SAFE = (
  "-c core.fsmonitor=false -c core.hooksPath=/dev/null -c protocol.ext.allow=never -c safe.directory=* " +
  "-c core.pager=cat --no-pager --no-optional-locks --no-replace-objects"
).split(" ");
const NEUTRAL = {
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

/** Makes a git dir of our own in a fresh folder below `scratchDir`; `close` removes it. `git`: the program's absolute path. */
export async function openGit(git: string, scratchDir: string): Promise<OpenGit> {
  const dir = await mkdtemp(`${scratchDir}/git-`);
  for (const name of ["objects/info", "objects/pack", "refs"]) await mkdir(`${dir}/${name}`, { recursive: true });
  await writeFile(`${dir}/HEAD`, "ref: refs/heads/none\n");
  return {
    objects: (folders, idBytes) => new GitObjects(git, dir, folders, idBytes),
    close: () => rm(dir, { recursive: true, force: true }),
  };
}

/** Why quoted: the list is split at `:`, and a name may hold any byte. */
function quoted(raw: string): string {
  return `"${raw.replace(/["\\]/g, "\\$&").replaceAll("\n", "\\n")}"`;
}

class GitObjects implements Objects {
  readonly #git: string;
  readonly #dir: string;
  readonly #env: Readonly<Record<string, string>>;
  readonly #idBytes: 20 | 32;
  #config: Promise<void> | undefined;

  constructor(git: string, dir: string, folders: readonly string[], idBytes: 20 | 32) {
    this.#git = git;
    this.#dir = dir;
    this.#idBytes = idBytes;
    this.#env = {
      GIT_DIR: dir,
      GIT_ALTERNATE_OBJECT_DIRECTORIES: folders.map((f) => quoted(Buffer.from(f, "latin1").toString("utf8"))).join(":"),
      HOME: dir,
      ...NEUTRAL,
    };
  }

  /** Why written: the length of an id is told by the config alone. */
  async #run(args: readonly string[], input?: string): Promise<RunResult> {
    const sha256 = "[core]\n\trepositoryformatversion = 1\n[extensions]\n\tobjectformat = sha256\n";
    const plain = "[core]\n\trepositoryformatversion = 0\n";
    this.#config ??= writeFile(`${this.#dir}/config`, this.#idBytes === 32 ? sha256 : plain);
    await this.#config;
    const options = {
      cwd: this.#dir,
      env: this.#env,
      timeoutMs: TIMEOUT_MS,
      ...(input === undefined ? {} : { input }),
    };
    return runProcess(this.#git, [...SAFE, ...args], options);
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

  async existing(ids: readonly string[]): Promise<ReadonlySet<string> | undefined> {
    if (ids.length === 0) return new Set();
    const text = await this.#text(["cat-file", "--batch-check=%(objectname)"], ids.join("\n") + "\n");
    return text === undefined ? undefined : new Set(text.split("\n").filter((line) => /^[0-9a-f]+$/.test(line)));
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
