import { showPath, type RawPath } from "../util/bytes.ts";

/**
 * Files that steer what runs later outside the copy, or that open doors: always high risk, whether or not they exist
 * (P3). Names may stand at any depth; one that ends in `/` takes everything below it as well.
 *
 * | kind | why |
 * |---|---|
 * | agents | instructions, settings, hooks and tool servers of coding agents: they steer the next session |
 * | editors | tasks, settings and containers that run when a folder is opened |
 * | hooks | run at the person's next commit |
 * | shell | run when a shell, a debugger or a multiplexer starts in the folder or as the person |
 * | keys | secrets, and files that let somebody in |
 * | packages | settings that make a package manager, compiler or interpreter run something that no diff of the code shows |
 *
 * Left out: `.gitattributes` and `.gitignore` (a driver that they name runs only if git's config, which is protected, knows it),
 * `.env` (data), `package.json`, Makefile and the like (ordinary code, read as a diff).
 */
const words = (text: string): string[] => text.trim().split(/\s+/);
const NAMES = {
  agents: words(`
    .agent/ .agents/ .claude/ .codex/ .gemini/ .qwen/ .opencode/ .cursor/ .windsurf/ .kiro/ .continue/ .roo/
    .clinerules/ .amazonq/ .junie/ .goose/ .understudy/ .mcp.json mcp.json claude.md claude.local.md agents.md
    agents.override.md agent.md gemini.md qwen.md .cursorrules .windsurfrules .clinerules .roomodes
    .goosehints .aider.conf.yml .rules opencode.json opencode.jsonc .github/copilot-instructions.md
    .github/instructions/ .github/prompts/
  `),
  editors: words(`
    .vscode/ .idea/ .fleet/ .zed/ .vs/ .devcontainer/ .devcontainer.json .theia/ .nova/ .vimrc .exrc .nvimrc
    .nvim.lua .gvimrc _vimrc .dir-locals.el .emacs .emacs.d/ .projectile .config/nvim/ .editor/
  `),
  hooks: words(`
    .husky/ .githooks/ .git-hooks/ lefthook.yml lefthook.yaml .lefthook.yml .lefthook.yaml .pre-commit-config.yaml
    .pre-commit-config.yml .overcommit.yml .gitmodules .gitconfig .config/git/
  `),
  shell: words(`
    .envrc .direnvrc .bashrc .bash_profile .bash_login .bash_logout .bash_aliases .profile .zshrc .zshenv
    .zprofile .zlogin .zlogout .cshrc .tcshrc .login .logout .kshrc .mkshrc .config/fish/ .xprofile .xinitrc
    .xsession .xsessionrc .pam_environment .inputrc .ripgreprc .gdbinit .lldbinit .screenrc .tmux.conf
    .config/autostart/ .config/systemd/ launchagents/
  `),
  keys: words(`
    .ssh/ .gnupg/ .aws/ .azure/ .kube/ .docker/config.json .config/gcloud/ .config/gh/ .netrc _netrc .git-credentials .pgpass
    .my.cnf authorized_keys .password-store/
  `),
  packages: words(`
    .npmrc .yarnrc .yarnrc.yml .yarn/releases/ .yarn/plugins/ .pnpmfile.cjs .pnpmfile.mjs bunfig.toml .pypirc
    pip.conf .pip/ sitecustomize.py usercustomize.py .cargo/ .bundle/ .gemrc .irbrc .pryrc .mvn/ .bazelrc
    .tool-versions mise.toml .mise.toml .config/mise/ .curlrc .wgetrc .pythonrc
  `),
};
const CI = words(`
  .github/workflows/ .github/actions/ .gitlab-ci.yml .gitlab-ci.yaml jenkinsfile .circleci/ azure-pipelines.yml
  .travis.yml .drone.yml bitbucket-pipelines.yml .buildkite/ .woodpecker/
`);
const KEY_FILE =
  /^(?:id_(?:rsa|dsa|ecdsa|ed25519)(?:[._-].*)?|.*\.(?:pem|p12|pfx|ppk|kdbx|jks|keystore|key|code-workspace))$/;

const anyDepth = (names: readonly string[]): readonly string[] => names.map((n) => `/${n.replace(/\/$/, "")}/`);
const ALL = anyDepth(Object.values(NAMES).flat());
const ALL_CI = anyDepth(CI);

/**
 * The name as careless file systems see it: case folded, signs that nobody sees taken out, dots and spaces at an end
 * dropped, a stream's name cut off, the short name of `.git` made long.
 */
export function foldName(name: string): string {
  const visible = name.normalize("NFKC").replace(/\p{Default_Ignorable_Code_Point}/gu, "");
  const folded = visible
    .toUpperCase()
    .toLowerCase()
    .replace(/:.*$/s, "")
    .replace(/(?<=[^. ])[. ]+$/, "");
  return /^git~\d+$/.test(folded) ? ".git" : folded;
}

/** Whether a path, relative to its root, is one of P3's protected ones. `ci`: the person wants CI files protected too. */
export function isControl(path: RawPath, ci = false): boolean {
  const names = showPath(path).split("/").map(foldName);
  const whole = `/${names.join("/")}/`;
  if (whole.includes("/.git/") || KEY_FILE.test(names.at(-1) ?? "")) return true;
  return ALL.some((name) => whole.includes(name)) || (ci && ALL_CI.some((name) => whole.includes(name)));
}
