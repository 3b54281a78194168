import { errno, inWords } from "../events/log-error.ts";
import { EXIT } from "../session/exit-code.ts";
import { keysOf } from "../util/secrets/environment.ts";

type Env = Readonly<Record<string, string | undefined>>;

/** What was asked for can't be had, and the message says why. */
const FAILED: ReadonlySet<string> = new Set([
  "LogError",
  "ModelError",
  "DeleteError",
  "ExportError",
  "RehearseError",
  "LockHeld",
  "KeyError",
  "RunError",
  "QueueError",
  "CompareError",
]);

/** What the person wrote can't be used, and the message says where and what to do. */
const USAGE: ReadonlySet<string> = new Set([
  "UsageError",
  "SettingsError",
  "StoreError",
  "BypassError",
  "SuiteError",
  // A name that fits nothing, or that can't be had: one code, whatever it is the name of.
  "NameError",
  "NoSessionError",
  "NoRunError",
  "ModelNameError",
]);

/** What a machine says that is full, closed to us or broken: no mistake of the program's, whoever met it. */
const MACHINE: ReadonlySet<string> = new Set([
  "ENOSPC",
  "EDQUOT",
  "EROFS",
  "EACCES",
  "EPERM",
  "EIO",
  "EMFILE",
  "ENFILE",
  "ENOMEM",
]);

/** How an error that nobody caught is told, and the exit code that it ends the program with. */
export interface Failure {
  text: string;
  code: number;
}

let mask: (text: string) => string = (text) => text;

/** What is told of failures from now on goes through this. */
export function maskFailures(by: (text: string) => string): void {
  mask = by;
}

/** Small enough to be there at every start: what the environment's own keys are is known before anything else is. */
function withoutKeys(text: string, env: Env): string {
  return mask(keysOf(env).reduce((words, key) => words.replaceAll(key, "[the key]"), text));
}

/** Names, not classes: what a verb throws comes from chunks that are loaded only with it. */
export function failureOf(error: unknown, env: Env = {}): Failure {
  const text = withoutKeys(error instanceof Error ? error.message : String(error), env);
  const name = error instanceof Error ? error.name : "";
  if (USAGE.has(name)) return { text, code: EXIT.usage };
  if (FAILED.has(name)) return { text, code: 1 };
  if (/\buv_cwd\b/.test(text))
    return { text: "the folder that you are in is gone; go to one that is there and start again", code: EXIT.usage };
  const machine = machineWords(error);
  return machine === undefined ? { text, code: EXIT.crash } : { text: machine, code: 1 };
}

function machineWords(error: unknown): string | undefined {
  const code = errno(error);
  if (code === undefined || !MACHINE.has(code)) return undefined;
  const path: unknown = error instanceof Error ? Reflect.get(error, "path") : undefined;
  const where = typeof path === "string" ? `${path}: ` : "";
  return `${where}${inWords(error)}. What was done before is kept. Make room or see to its permissions, or set XDG_STATE_HOME to a folder that can be written to.`;
}
