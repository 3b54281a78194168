import { delimiter } from "node:path";

type Env = Readonly<Record<string, string | undefined>>;

/** Taken over from the person's environment by name. Everything else stays out: keys, sockets, agents, options of loaders. */
const TAKEN = new Set(
  (
    "LANG LANGUAGE TZ USER LOGNAME JAVA_HOME GOROOT NVM_DIR PNPM_HOME CARGO_HOME RUSTUP_HOME VOLTA_HOME " +
    "PYENV_ROOT SDKMAN_DIR ANDROID_HOME DOTNET_ROOT VIRTUAL_ENV CONDA_PREFIX NODE_EXTRA_CA_CERTS " +
    "SSL_CERT_FILE SSL_CERT_DIR REQUESTS_CA_BUNDLE"
  ).split(" "),
);
/** Only with a granted network: a proxy's address may hold a password. */
const PROXY = /^(https?|all|no|ftp)_proxy$/i;
/** Never handed on from what a command exported: bash's own, or made anew for each command. */
const NOT_KEPT =
  /^(_|IFS|UNDERSTUDY_CALL|SHLVL|PWD|OLDPWD|SHELLOPTS|BASHOPTS|UID|EUID|PPID|BASH_VERSINFO|__understudy\w*)$/;
const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

export interface EnvPlace {
  home: string;
  /** Folders that the command sees, for the search path. */
  visible: readonly string[];
  /** Never searched for programs. */
  roots: readonly string[];
  network: boolean;
  /** Some of the network by the program's proxy, whose address is added later. */
  hosts?: boolean;
}

const below = (dirs: readonly string[], path: string): boolean =>
  dirs.some((dir) => path === dir || path.startsWith(`${dir}/`));

/** The search path: the person's own order, what the command can see, nothing of the project's. */
function searchPath(path: string | undefined, place: EnvPlace): string {
  const given = (path ?? "").split(delimiter).filter((dir) => dir.startsWith("/"));
  const usable = given.filter((dir) => below(place.visible, dir) && !below(place.roots, dir));
  const base = ["/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin"];
  return [...new Set([...usable, ...base])].join(delimiter);
}

/** Without a network another try only makes everybody wait. */
const OFFLINE = {
  npm_config_fetch_retries: "0",
  PIP_RETRIES: "0",
  CARGO_NET_RETRY: "0",
};

/**
 * The environment of a command before its session's exports: an allow-list of the person's, and what keeps programs from
 * waiting for somebody: no pager, no editor, no prompt (T7).
 */
export function baseEnv(env: Env, place: EnvPlace): Record<string, string> {
  const taken = Object.entries(env).filter(
    ([name]) => TAKEN.has(name) || name.startsWith("LC_") || (place.network && PROXY.test(name)),
  );
  return {
    LANG: "C.UTF-8",
    ...Object.fromEntries(taken.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))),
    PATH: searchPath(env["PATH"], place),
    HOME: place.home,
    SHELL: "/bin/bash",
    TMPDIR: "/tmp",
    TERM: "dumb",
    NO_COLOR: "1",
    PAGER: "cat",
    MANPAGER: "cat",
    GIT_PAGER: "cat",
    SYSTEMD_PAGER: "cat",
    EDITOR: "false",
    VISUAL: "false",
    GIT_EDITOR: "false",
    GIT_TERMINAL_PROMPT: "0",
    // Else `git status` writes the index, and git stops at the mount of the copy (SANDBOX 0.2).
    GIT_OPTIONAL_LOCKS: "0",
    GIT_DISCOVERY_ACROSS_FILESYSTEM: "1",
    DEBIAN_FRONTEND: "noninteractive",
    PIP_NO_INPUT: "1",
    // News of the package managers themselves go nowhere, and cost a network.
    npm_config_update_notifier: "false",
    PIP_DISABLE_PIP_VERSION_CHECK: "1",
    ...(place.network || place.hosts === true ? {} : OFFLINE),
  };
}

/** Linux starts no program with a variable of 128 KiB or more, nor with more than some MB of them. */
const MAX_VALUE = 100_000;
const MAX_ALL = 1_000_000;

/** What a command exported that the next one should have, and the names of what is too much for any program to be started with. */
export interface KeptEnv {
  env: Record<string, string>;
  tooLarge: readonly string[];
}

/** All that differs from what a command was started with at the base. */
export function keptEnv(after: ReadonlyMap<string, string>, base: Env): KeptEnv {
  const kept = [...after].filter(
    ([name, value]) =>
      NAME.test(name) && !NOT_KEPT.test(name) && !name.startsWith("__understudy") && base[name] !== value,
  );
  const env: Record<string, string> = {};
  const tooLarge: string[] = [];
  let all = 0;
  for (const [name, value] of kept.toSorted(([, a], [, b]) => a.length - b.length)) {
    const size = Buffer.byteLength(name) + Buffer.byteLength(value);
    all += size;
    if (size > MAX_VALUE || all > MAX_ALL) tooLarge.push(name.slice(0, 60));
    else env[name] = value;
  }
  return { env, tooLarge };
}

/** The file that the wrapper reads: `NAME=value` records ended by NUL. Names that bash would refuse are left out. */
export function envFile(env: Env): string {
  return Object.entries(env)
    .filter(([name, value]) => value !== undefined && NAME.test(name) && !NOT_KEPT.test(name) && !value.includes("\0"))
    .map(([name, value]) => `${name}=${value}\0`)
    .join("");
}
