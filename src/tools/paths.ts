import { isAbsolute, relative, resolve } from "node:path";
import type { Need } from "../events/effect.ts";
import { isBelow } from "../workspace/roots.ts";
import type { Resolved } from "../workspace/workspace.ts";
import { codeOf } from "./outcome.ts";
import type { ToolContext } from "./tool.ts";

/** Where a path given by the model leads. */
export interface Place extends Resolved {
  /** Every link followed, named in the folder even where the bytes lie in a layer: the key of `touched`, what a stage takes. */
  target: string;
  /** For the model and people: relative to the folder where it lies below it. */
  shown: string;
}
export type Access = "read" | "write";
type Where = Pick<ToolContext, "roots" | "state" | "view" | "hidden">;

/** The folder that the program works in: the first root, or the part of it that the session was started in. */
export function folderOf(ctx: Pick<ToolContext, "roots" | "state">): string {
  const { folder } = ctx.state();
  if (ctx.roots.some((root) => isBelow(root.path, folder))) return folder;
  const first = ctx.roots[0];
  if (first === undefined) throw new Error("a session has at least one root");
  return first.path;
}

/** Relative to the folder where it lies below it (`.` for the folder), else absolute. */
export function showIn(ctx: Pick<ToolContext, "roots" | "state">, path: string): string {
  const folder = folderOf(ctx);
  return isBelow(folder, path) ? relative(folder, path) || "." : path;
}

/** A name with a line end in it stays on its line. */
export function oneLine(path: string): string {
  return /\p{Cc}/u.test(path) ? JSON.stringify(path) : path;
}

/** What is wrong with a path before anything is looked up, or undefined. */
export function badPath(given: string): string | undefined {
  const show = JSON.stringify(given.length > 200 ? `${given.slice(0, 200)}…` : given);
  if (given === "") return "The path is empty: give one relative to the folder, or absolute.";
  if (given.includes("\0")) return `The path ${show} holds a NUL character; no file has one in its name.`;
  if (!given.isWellFormed()) return `The path ${show} is not well-formed text (half of a character pair).`;
  const long = given.split("/").find((part) => Buffer.byteLength(part) > 255);
  if (long !== undefined) return `A part of the path has ${Buffer.byteLength(long)} bytes; names end at 255.`;
  if (Buffer.byteLength(given) > 4000) return `The path has ${Buffer.byteLength(given)} bytes; paths end at 4,000.`;
  return undefined;
}

/** The path as an absolute one. Nothing is expanded or cleaned but `.` and `..`: the exact name wins. */
export function absolute(given: string, ctx: Pick<ToolContext, "roots" | "state">): string {
  return isAbsolute(given) ? resolve(given) : resolve(folderOf(ctx), given);
}

/**
 * Follows a path through the view. Text is a problem, worded for the model. Never throws for what the file system answers.
 * A path that a deny rule hides is a problem too, whatever link leads there (P6).
 */
export async function locate(given: string, ctx: Where): Promise<Place | string> {
  const bad = badPath(given);
  if (bad !== undefined) return bad;
  const path = absolute(given, ctx);
  let found: Resolved;
  try {
    found = await ctx.view.resolve(path);
  } catch (error) {
    return resolveProblem(given, error);
  }
  if (/^~[^/]*(\/|$)/.test(given) && !found.exists)
    return `${given}: "~" is not expanded and no such name lies in the folder. Give the path in full.`;
  const target = found.inside ? found.path : found.real;
  if (ctx.hidden?.(path) === true || ctx.hidden?.(target) === true) return `${given} is kept from you by a deny rule.`;
  return { ...found, target, shown: showIn(ctx, target) };
}

function resolveProblem(given: string, error: unknown): string {
  const code = codeOf(error);
  if (code === "ELOOP") return `${given} goes round in a circle of links.`;
  if (code === "ENOTDIR") return `${given}: a part of the path is a file, not a folder.`;
  if (code === "EACCES" || code === "EPERM") return `${given} can't be looked up: permission denied.`;
  if (code === "ENAMETOOLONG") return `${given}: the path is too long.`;
  if (code === undefined) throw error;
  return `${given} can't be looked up (${code}).`;
}

/** Folders outside the roots that may be read unasked (L9). */
export function isReadable(ctx: Pick<ToolContext, "readable" | "resultsDir">, real: string): boolean {
  return [...ctx.readable, ctx.resultsDir].some((folder) => isBelow(folder, real));
}

/** What reading (or writing) the path needs; nothing where `locate` finds a problem, which `run` then tells. */
export async function pathNeeds(given: string, access: Access, ctx: ToolContext): Promise<Need[]> {
  const place = await locate(given, ctx);
  if (typeof place === "string" || place.inside) return [];
  if (access === "read" && isReadable(ctx, place.real)) return [];
  return [{ kind: "outside", access, path: place.real }];
}

/**
 * `locate` for `run`: a path outside that was not among the allowed needs is refused, as a link may have moved meanwhile. Where it is to be
 * written the tool refuses it itself: nobody was asked.
 */
export async function locateAllowed(given: string, access: Access, ctx: ToolContext): Promise<Place | string> {
  const place = await locate(given, ctx);
  if (typeof place === "string" || place.inside || access === "write" || isReadable(ctx, place.real)) return place;
  if (ctx.allowed === undefined) return place;
  const ok = ctx.allowed.some((n) => n.kind === "outside" && n.access === access && n.path === place.real);
  return ok ? place : `${given} leads to ${place.real} now, which nobody allowed. Try again.`;
}

/** As rules and change sets name it: relative to its root, absolute outside. */
export function ruledPath(ctx: Pick<ToolContext, "roots">, place: { root: number; target: string }): string {
  const root = ctx.roots[place.root];
  return root === undefined ? place.target : relative(root.path, place.target) || ".";
}

/** What a tool that changes a file needs: plan mode refuses `change`. The world outside is not asked about: the door doesn't lead there, and `run` says what does. */
export async function changeNeeds(given: string, ctx: ToolContext): Promise<Need[]> {
  const place = await locate(given, ctx);
  const paths = [typeof place === "string" ? given : ruledPath(ctx, place)];
  return [{ kind: "change", paths }];
}
