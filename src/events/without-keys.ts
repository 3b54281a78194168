import { maskDeep } from "../util/secrets/deep.ts";
import type { Secrets } from "../util/secrets/secrets.ts";
import type { ContentBlock } from "./block.ts";
import type { LogBody } from "./event.ts";

/** Fields that say where a session works: they lead to files, and are never masked. */
const PLACES = ["folder", "roots"] as const;

/**
 * A fact as it is kept and shown: with placeholders for its keys, and their number where the person is told of it. The only way into
 * the log, so nothing behind it (fold, request, export, trace, index) has to know of keys. What a command exported that holds one is
 * left out: a later command must not have a placeholder in place of it.
 */
export function withoutKeys(body: LogBody, secrets: Secrets): LogBody {
  const places = Object.fromEntries(PLACES.flatMap((name) => (name in body ? [[name, Reflect.get(body, name)]] : [])));
  return counted({ ...maskDeep(withoutKeysExported(body, secrets), secrets), ...places }, secrets);
}

function withoutKeysExported(body: LogBody, secrets: Secrets): LogBody {
  switch (body.type) {
    case "shell.moved":
      return { ...body, env: keptEnv(body.env, secrets) };
    case "call.finished":
      return withKeptShell(body, secrets);
    case "changes.proposed":
      return { ...body, outcome: withKeptShell(body.outcome, secrets) };
    default:
      return body;
  }
}

type Shell = { cwd: string; env: Record<string, string> };

function withKeptShell<T extends { shell?: Shell | undefined }>(outcome: T, secrets: Secrets): T {
  const { shell } = outcome;
  return shell === undefined ? outcome : { ...outcome, shell: { ...shell, env: keptEnv(shell.env, secrets) } };
}

function keptEnv(env: Record<string, string>, secrets: Secrets): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter(([, value]) => secrets.mask(value) === value));
}

/** What the person is told the keys of has their number. */
function counted(body: LogBody, secrets: Secrets): LogBody {
  const count = (text: string) => {
    const keys = secrets.placeholders(text).length;
    return keys === 0 ? {} : { keys };
  };
  switch (body.type) {
    case "call.finished":
      return { ...body, ...count(textsOf(body.content)) };
    case "prompt.submitted":
      return { ...body, ...count(textsOf(body.content)) };
    case "shell.ran":
      return { ...body, ...count(`${body.command}\n${body.output}`) };
    default:
      return body;
  }
}

function textsOf(content: readonly ContentBlock[]): string {
  return content.map((block) => (block.type === "text" ? block.text : "")).join("\n");
}
