import { z } from "zod";
import type { ContentBlock } from "../events/block.ts";
import { wordsOf } from "./connect.ts";
import { resultOf } from "./result.ts";
import type { Server } from "./server.ts";

export type ResourceText = readonly ContentBlock[];

/** What a prompt of a server's says, for the person to send. */
export interface PromptText {
  content: readonly ContentBlock[];
}

const Contents = z.looseObject({ contents: z.array(z.unknown()) });

/** @throws Error with one readable line. */
export async function readResource(
  server: Server,
  uri: string,
  dir: string,
  signal: AbortSignal,
): Promise<ResourceText> {
  const { callMs } = server.config;
  const got = await told(server, () =>
    server.use(
      ({ client }) =>
        client.request({ method: "resources/read", params: { uri } }, Contents, { signal, timeout: callMs }),
      signal,
    ),
  );
  return resultOf({ content: got.contents.map((resource) => ({ type: "resource", resource })) }, dir);
}

const Messages = z.looseObject({ messages: z.array(z.looseObject({ role: z.string(), content: z.unknown() })) });

/**
 * Words behind the prompt's name are its arguments, in order; the last one takes all that is left.
 * @throws Error with one readable line.
 */
export async function readPrompt(
  server: Server,
  { name, words, dir }: { name: string; words: string; dir: string },
  signal: AbortSignal,
): Promise<PromptText> {
  const { config, prompts } = server;
  const prompt = prompts.find((p) => p.name === name);
  if (prompt === undefined)
    throw new Error(
      `The server ${config.name} has no prompt ${name}${prompts.length === 0 ? "" : `; it has ${prompts.map((p) => p.name).join(", ")}`}.`,
    );
  const given = split(words, prompt.arguments.length);
  const args = Object.fromEntries(
    prompt.arguments.flatMap(({ name: key }, at): [string, string][] =>
      given[at] === undefined ? [] : [[key, given[at]]],
    ),
  );
  const missing = prompt.arguments.find(({ name: key, required }) => required && args[key] === undefined);
  if (missing !== undefined)
    throw new Error(
      `/${config.name}:${name} needs ${prompt.arguments.map((a) => (a.required ? a.name : `[${a.name}]`)).join(" ")}: ${missing.name} is missing${missing.description === "" ? "" : ` (${missing.description})`}.`,
    );
  const got = await told(server, () =>
    server.use(
      ({ client }) =>
        client.request({ method: "prompts/get", params: { name, arguments: args } }, Messages, {
          signal,
          timeout: config.callMs,
        }),
      signal,
    ),
  );
  return { content: resultOf({ content: got.messages.flatMap(({ content }) => content) }, dir) };
}

function split(words: string, most: number): string[] {
  const parts = words.trim() === "" ? [] : words.trim().split(/\s+/);
  if (parts.length <= most || most === 0) return parts;
  return [...parts.slice(0, most - 1), parts.slice(most - 1).join(" ")];
}

async function told<T>(server: Server, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const { name, callMs } = server.config;
    const words = error instanceof Error ? error.message : String(error);
    if (words.startsWith(`The server ${name} `)) throw error;
    throw new Error(`The server ${name} did not give it: ${wordsOf(error, callMs, server.mask)}`, { cause: error });
  }
}
