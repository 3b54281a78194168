import { programDirs } from "../session/environment.ts";
import { openStore } from "../session/store.ts";
import {
  KEPT_SERVICES,
  keepKey,
  type KeptService,
  type KeyPlace,
  maskedKey,
  removeKey,
  storedKey,
} from "../session/stored-keys.ts";
import { findKeyring } from "../util/keyring.ts";
import { sanitize } from "../util/visible.ts";
import type { KeyInvocation } from "./args-key.ts";
import { hiddenLine } from "./hidden-line.ts";

const MOST = 64 << 10;

/** `agent key set|show|remove [service]`. */
export async function keyVerb({ what, service }: KeyInvocation): Promise<number> {
  const { config } = openStore(programDirs(process.env));
  const place = { config, keyring: findKeyring(process.env, process.platform) };
  switch (what) {
    case "set":
      return set(service ?? "anthropic", place);
    case "show":
      return show(service === undefined ? (Object.keys(KEPT_SERVICES) as KeptService[]) : [service], place);
    case "remove":
      return remove(service ?? "anthropic", place);
  }
}

async function set(service: KeptService, place: KeyPlace): Promise<number> {
  const value = process.stdin.isTTY
    ? await hiddenLine(`Key for ${service} (not shown): `, process.stdin, process.stderr)
    : await fromStdin();
  if (value === undefined) return say("nothing was kept", 1);
  const { where, why } = await keepKey(service, value.trim(), place);
  if (why !== undefined) say(why);
  const own = KEPT_SERVICES[service];
  const before = (process.env[own] ?? "") === "" ? "" : `; ${own} is set too, and goes before it`;
  return say(`the key for ${service} is kept in ${where}${before}`, 0);
}

async function fromStdin(): Promise<string> {
  let text = "";
  for await (const chunk of process.stdin.setEncoding("utf8")) {
    text += String(chunk);
    if (text.length > MOST) break;
  }
  return text;
}

function show(services: readonly KeptService[], place: KeyPlace): number {
  for (const service of services) {
    const own = process.env[KEPT_SERVICES[service]] ?? "";
    const kept = own === "" ? storedKey(service, place) : { value: own, from: KEPT_SERVICES[service] };
    const words = kept === undefined ? "none" : `${maskedKey(kept.value)}, from ${kept.from}`;
    process.stdout.write(`${sanitize(`${service.padEnd(10)} ${words}`)}\n`);
  }
  return 0;
}

async function remove(service: KeptService, place: KeyPlace): Promise<number> {
  return (await removeKey(service, place))
    ? say(`the key for ${service} is removed`, 0)
    : say(`no key is kept for ${service}`, 1);
}

function say(words: string, code = 0): number {
  process.stderr.write(`agent: ${sanitize(words)}\n`);
  return code;
}
