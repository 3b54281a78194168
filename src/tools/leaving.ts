import { z } from "zod";
import type { Need } from "../events/effect.ts";
import type { SideEffect } from "../events/side-effect.ts";
import { type NetHost, netHostText, readNetHost } from "../sandbox/net-host.ts";
import type { OutsidePath, ShellCommand, ShellExit } from "../sandbox/sandbox.ts";
import { locate, type Place } from "./paths.ts";
import type { ToolContext } from "./tool.ts";

/** What a command may ask for beyond its copy. */
export const leavingFields = {
  network: z
    .union([z.boolean(), z.array(z.string()).min(1).max(20)])
    .optional()
    .describe('As ["packages.example.com:443"]. Asked each time'),
  outside: z
    .array(z.strictObject({ path: z.string(), access: z.enum(["read", "write"]) }))
    .max(10)
    .optional()
    .describe("Paths outside the folder that it must see or change. Asked each time"),
  unsandboxed: z.boolean().optional(),
};

/** For the model, in the description of the tool. */
export const LEAVING_TEXT = `No network but 127.0.0.1, unless network names all hosts it needs: a proxy (in HTTPS_PROXY, ALL_PROXY; curl, git over https, npm, node 24, pip, cargo, go use it) lets these through and names what it refused. network: true, the whole network, is a graver question, for programs that know no proxy (ssh, database clients). unsandboxed: true runs it outside the copy, as the person (docker, ssh keys, services), and nothing is reviewed or undone: only where nothing else does.`;

interface Leaving {
  network?: boolean | string[] | undefined;
  outside?: { path: string; access: "read" | "write" }[] | undefined;
  unsandboxed?: boolean | undefined;
}

type Leaves = Pick<ShellCommand, "network" | "hosts" | "outside" | "unsandboxed">;

/** What it needs to be allowed. Nothing for what `leaving` finds a problem with, which the call then tells. */
export async function leavingNeeds(words: string, input: Leaving, ctx: ToolContext): Promise<Need[]> {
  // Without the copy there are no walls for it: one question, the gravest.
  if (input.unsandboxed === true) return [{ kind: "unsandboxed", words }];
  const found = await read(input, ctx);
  if (typeof found === "string") return [];
  const { network, hosts = [], outside = [] } = found;
  return [
    ...(network ? [{ kind: "network", host: "*" } as const] : []),
    ...hosts.map((host) => ({ kind: "network", ...host }) as const),
    ...outside.map((one) => ({ kind: "outside", ...one }) as const),
  ];
}

/** The same as parts of the command; text: what is wrong with it, for the model. Only what was allowed. */
export async function leaving(words: string, input: Leaving, ctx: ToolContext): Promise<Leaves | string> {
  // Nothing is granted where there is nothing to leave.
  if (!ctx.sandbox.contained) return { network: false };
  const found = await read(input, ctx);
  if (typeof found === "string" || ctx.allowed === undefined) return found;
  const allowed = new Set(ctx.allowed.map((need) => JSON.stringify(need)));
  const missing = (await leavingNeeds(words, input, ctx)).find((need) => !allowed.has(JSON.stringify(need)));
  return missing === undefined ? found : "What it leads to is another thing now than what was allowed. Try again.";
}

async function read(input: Leaving, ctx: ToolContext): Promise<Leaves | string> {
  if (input.unsandboxed === true) return { network: true, unsandboxed: true };
  const hosts = readHosts(input.network);
  if (typeof hosts === "string") return hosts;
  const outside = await readOutside(input.outside ?? [], ctx);
  if (typeof outside === "string") return outside;
  return {
    network: input.network === true,
    ...(hosts.length === 0 ? {} : { hosts }),
    ...(outside.length === 0 ? {} : { outside }),
  };
}

function readHosts(network: Leaving["network"]): NetHost[] | string {
  const found = new Map<string, NetHost>();
  for (const text of Array.isArray(network) ? network : []) {
    const host = readNetHost(text, 443);
    if (host === undefined)
      return `network: ${JSON.stringify(text)} is no host and port. Write host:port without scheme and path, such as "packages.example.com:443"; other than plain letters in their xn-- form.`;
    found.set(netHostText(host), host);
  }
  return [...found.values()];
}

async function readOutside(list: NonNullable<Leaving["outside"]>, ctx: ToolContext): Promise<OutsidePath[] | string> {
  const found = new Map<string, OutsidePath>();
  for (const { path, access } of list) {
    const place = await locate(path, ctx);
    const problem = typeof place === "string" ? place : outsideProblem(path, place);
    if (problem !== undefined) return `outside: ${problem}`;
    if (typeof place === "string" || place.inside) continue;
    const known = found.get(place.real);
    found.set(place.real, { path: place.real, access: known?.access === "write" ? "write" : access });
  }
  return [...found.values()];
}

/** Of these a command sees its own, or they are ways to the machine itself. */
const NEVER = /^\/((proc|sys|dev|run)(\/.*)?)?$/s;

function outsideProblem(given: string, { exists, real, inside, type }: Place): string | undefined {
  if (inside) return undefined;
  if (!exists) return `${given} is not there. Name a file or folder that is; to make a new one, name its folder.`;
  if (type !== "file" && type !== "folder") return `${given} is neither a file nor a folder.`;
  return NEVER.test(real)
    ? `${real} can't be shown to a command in the copy. If nothing else does, use unsandboxed: true.`
    : undefined;
}

/** What of it no undo takes back. */
export function sideEffects(command: Leaves, exit: Pick<ShellExit, "reached">): SideEffect[] {
  if (command.unsandboxed === true) return [{ kind: "unsandboxed" }];
  return [
    ...(command.network ? [{ kind: "whole-network" } as const] : []),
    ...(exit.reached ?? []).map((use) => ({ kind: "network", ...use }) as const),
    ...(command.outside ?? []).flatMap(({ path, access }) =>
      access === "write" ? [{ kind: "outside", path } as const] : [],
    ),
  ];
}
