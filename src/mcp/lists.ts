import { z } from "zod";
import type { Client } from "@modelcontextprotocol/client";
import { bounded } from "./server-tool.ts";

/** Pages of one list, and entries of it: a server may never come to an end. */
const MOST_PAGES = 40;
const MOST_ENTRIES = 2000;

/** Something that a server offers to read, by its address. */
export interface Resource {
  uri: string;
  name: string;
  description: string;
}

/** A text that a server offers to begin with. */
export interface Prompt {
  name: string;
  description: string;
  arguments: readonly { name: string; description: string; required: boolean }[];
}

const Page = z.looseObject({ nextCursor: z.string().nullish() });

/** All entries of a list, whatever each of them is. */
async function entries(client: Client, method: string, key: string, timeout: number): Promise<unknown[]> {
  const all: unknown[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < MOST_PAGES && all.length < MOST_ENTRIES; page++) {
    const request = { method, ...(cursor === undefined ? {} : { params: { cursor } }) };
    const got = await client.request(request, Page, { timeout });
    const list: unknown = got[key];
    if (Array.isArray(list)) all.push(...(list as unknown[]));
    const next = got.nextCursor ?? undefined;
    if (next === undefined || next === cursor) break;
    cursor = next;
  }
  return all.slice(0, MOST_ENTRIES);
}

export function listTools(client: Client, timeout: number): Promise<unknown[]> {
  return entries(client, "tools/list", "tools", timeout);
}

const GivenResource = z.looseObject({
  uri: z.string().min(1).max(2000),
  name: z.string().nullish(),
  description: z.string().nullish(),
});

export async function listResources(client: Client, timeout: number): Promise<Resource[]> {
  const list = await entries(client, "resources/list", "resources", timeout);
  return list.flatMap((given) => {
    const read = GivenResource.safeParse(given);
    if (!read.success) return [];
    const { uri, name, description } = read.data;
    return [{ uri, name: bounded(name ?? "", 100), description: bounded(description ?? "", 300) }];
  });
}

const GivenPrompt = z.looseObject({
  name: z.string().regex(/^[\w.-]{1,100}$/),
  description: z.string().nullish(),
  arguments: z
    .array(
      z.looseObject({
        name: z.string().min(1).max(100),
        description: z.string().nullish(),
        required: z.boolean().nullish(),
      }),
    )
    .nullish(),
});

export async function listPrompts(client: Client, timeout: number): Promise<Prompt[]> {
  const list = await entries(client, "prompts/list", "prompts", timeout);
  return list.flatMap((given) => {
    const read = GivenPrompt.safeParse(given);
    if (!read.success) return [];
    const { name, description, arguments: args } = read.data;
    return [
      {
        name,
        description: bounded(description ?? "", 300),
        arguments: (args ?? []).slice(0, 20).map((a) => ({
          name: bounded(a.name, 100),
          description: bounded(a.description ?? "", 200),
          required: a.required === true,
        })),
      },
    ];
  });
}
