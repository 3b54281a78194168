import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { findProgram, runProcess } from "../util/process.ts";
import { GIT_ENV, GIT_SAFE } from "../workspace/git.ts";

/** Where a repository is, and where `git` is looked for. */
interface GitPlace {
  suiteDir: string;
  path: string;
}

/** No object that is missing is fetched: whoever wrote the config says by which command. */
const ENV = { ...GIT_ENV, GIT_ALLOW_PROTOCOL: "none" };

/** The commit that a name stands for now, in full. @throws Error with one readable line. */
export async function commitOf({ git, ref }: { git: string; ref: string }, place: GitPlace): Promise<string> {
  const named = await ran(git, ["rev-parse", "--verify", "--quiet", "--end-of-options", `${ref}^{commit}`], place);
  if (named.code !== 0) throw new Error(`git ${git} has no commit ${ref}`);
  return named.stdout;
}

/**
 * Writes the files of a commit, or of the tree `path` in it, as a tar: all of them, whatever its `.gitattributes` keep out of archives, and
 * without the repository's config, whose filters are commands. `dir`: an empty folder, used up.
 * @throws Error with one readable line.
 */
export async function archive(
  { git, ref, path }: { git: string; ref: string; path?: string | undefined },
  dir: string,
  place: GitPlace,
): Promise<string> {
  const commit = await commitOf({ git, ref }, place);
  const asked = ["rev-parse", "--path-format=absolute", "--show-object-format", "--git-path", "objects"];
  const [format = "", ...folder] = (await ran(git, asked, place)).stdout.split("\n");
  // A git dir of our own, which borrows the objects: nothing else in the repository is read.
  const own = join(dir, "own.git");
  const config = `[core]\n\trepositoryformatversion = 1\n\tbare = true\n[extensions]\n\tobjectformat = ${format}\n`;
  const files = {
    HEAD: "ref: refs/heads/none\n",
    config,
    "info/attributes": "* -export-ignore -export-subst\n",
    "objects/info/alternates": `${JSON.stringify(folder.join("\n"))}\n`,
  };
  mkdirSync(join(own, "refs"), { recursive: true });
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(own, name)), { recursive: true });
    writeFileSync(join(own, name), text);
  }
  const tar = join(dir, "tree.tar");
  const tree = path === undefined ? commit : `${commit}:${path}`;
  const made = await ran(own, ["archive", "--format=tar", "-o", tar, tree], place);
  if (made.code === 0) return tar;
  throw new Error(`The fixture git ${git} at ${tree} can't be laid out: git: ${made.words}`);
}

async function ran(
  git: string,
  args: readonly string[],
  { suiteDir, path }: GitPlace,
): Promise<{ code: number | null; stdout: string; words: string }> {
  const program = findProgram("git", path);
  if (program === undefined) throw new Error(`git ${git} needs git, which is not installed.`);
  const { code, stdout, stderr, failed } = await runProcess(
    program,
    [...GIT_SAFE, "-C", resolve(suiteDir, git), ...args],
    { cwd: "/", env: { ...ENV, PATH: path }, timeoutMs: 120_000 },
  );
  const words = failed ?? Buffer.from(stderr).toString("utf8").trim();
  return { code, stdout: Buffer.from(stdout).toString("utf8").trim(), words: words.split("\n")[0] ?? "" };
}
