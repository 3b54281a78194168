import { findProgram, readNow, runProcess } from "./process.ts";

/** The system's store for keys, by the program that it brings: nothing is installed or linked for it. */
export interface Keyring {
  /** For people. */
  name: string;
  /** While everything else waits; undefined where there is none, or it can't be asked. */
  read(account: string): string | undefined;
  /** The value never stands on a command line. Gives why it could not be kept. */
  keep(account: string, value: string): Promise<string | undefined>;
  /** Gives why it could not be removed. */
  remove(account: string): Promise<string | undefined>;
}

type Env = Readonly<Record<string, string | undefined>>;

const SERVICE = "understudy";
/** It may have to ask the person to unlock it. */
const PATIENCE_MS = 60_000;
const READ_MS = 15_000;
/** What these programs need to find their store and to ask. */
const TAKEN = [
  "HOME",
  "USER",
  "LOGNAME",
  "LANG",
  "DISPLAY",
  "WAYLAND_DISPLAY",
  "XAUTHORITY",
  "XDG_RUNTIME_DIR",
  "DBUS_SESSION_BUS_ADDRESS",
];

/** Never in folders that a project could have put on the search path: the key goes into this program. */
const PLACES = "/usr/bin:/usr/local/bin:/bin:/run/current-system/sw/bin";

/** libsecret's `secret-tool` where there is a session bus, macOS's `security`; undefined where there is neither. `places`: for tests. */
export function findKeyring(env: Env, platform: NodeJS.Platform, places = PLACES): Keyring | undefined {
  const taken = Object.fromEntries(TAKEN.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])));
  if (platform === "darwin") {
    const security = findProgram("security", places);
    return security === undefined ? undefined : macKeychain(security, taken);
  }
  if (env["DBUS_SESSION_BUS_ADDRESS"] === undefined && env["XDG_RUNTIME_DIR"] === undefined) return undefined;
  const tool = findProgram("secret-tool", places);
  return tool === undefined ? undefined : secretTool(tool, taken);
}

function secretTool(tool: string, env: Record<string, string>): Keyring {
  const at = (account: string): string[] => ["service", SERVICE, "account", account];
  return {
    name: "the keyring (secret-tool)",
    read: (account) => valueOf(readNow(tool, ["lookup", ...at(account)], env, READ_MS)),
    keep: (account, value) => run(tool, ["store", `--label=Understudy (${account})`, ...at(account)], env, value),
    remove: (account) => run(tool, ["clear", ...at(account)], env),
  };
}

function macKeychain(security: string, env: Record<string, string>): Keyring {
  const at = (account: string): string[] => ["-s", SERVICE, "-a", account];
  return {
    name: "the keychain",
    read: (account) => valueOf(readNow(security, ["find-generic-password", ...at(account), "-w"], env, READ_MS)),
    // By its interactive mode: as an argument every process of the machine could read it.
    keep: (account, value) => {
      const hex = Buffer.from(value).toString("hex");
      return run(security, ["-i"], env, `add-generic-password -U ${at(account).join(" ")} -X ${hex}\n`);
    },
    remove: (account) => run(security, ["delete-generic-password", ...at(account)], env),
  };
}

function valueOf(out: string | undefined): string | undefined {
  const value = out?.replace(/\r?\n$/, "");
  return value === "" ? undefined : value;
}

async function run(
  file: string,
  args: readonly string[],
  env: Record<string, string>,
  input = "",
): Promise<string | undefined> {
  const { code, stderr, failed, timedOut } = await runProcess(file, args, {
    cwd: "/",
    env,
    input,
    timeoutMs: PATIENCE_MS,
  });
  if (code === 0) return undefined;
  if (timedOut) return `it did not answer within ${PATIENCE_MS / 1000} s`;
  const said = Buffer.from(stderr).toString("utf8").trim().split("\n")[0] ?? "";
  return failed ?? (said === "" ? `exit code ${code ?? "none"}` : said);
}
