import { appendFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { LoopDeps } from "../loop/deps.ts";
import { folderOf, locate } from "../tools/paths.ts";
import { stageFile } from "../tools/stage-file.ts";
import { loadBytes } from "../tools/text-file.ts";
import type { ToolContext } from "../tools/tool.ts";
import { drained } from "./hearing.ts";
import type { ChangeReport } from "./session.ts";
import { bring } from "./shell.ts";

/** A file of notes for the model that a line can be added to. */
export interface MemoryFile {
  id: string;
  /** For people: relative to the folder where it lies below it. */
  path: string;
  /** Whose it is. */
  whose: "project" | "local" | "user";
  exists: boolean;
}

/** Names that are read, the first that is there is written to. */
const NAMES = ["AGENTS.md", "CLAUDE.md"] as const;

async function contextOf(deps: LoopDeps): Promise<ToolContext> {
  const id = deps.makeId("op");
  return deps.context({ callId: id, operationId: id }, new AbortController().signal, deps.asker);
}

/** The files that `#` offers: of the project, the person's own beside it, the person's for all projects. */
export async function memoryFiles(deps: LoopDeps, configDir: string): Promise<MemoryFile[]> {
  const ctx = await contextOf(deps);
  const folder = folderOf(ctx);
  const there = async (name: string): Promise<boolean> => {
    const place = await locate(join(folder, name), ctx);
    return typeof place !== "string" && place.exists && place.inside;
  };
  const found: string[] = [];
  for (const name of NAMES) if (await there(name)) found.push(name);
  const projects = found.length === 0 ? [NAMES[0]] : found;
  const local = (projects[0] ?? NAMES[0]).replace(/\.md$/, ".local.md");
  const own = join(configDir, NAMES[0]);
  return [
    ...projects.map((path): MemoryFile => ({ id: path, path, whose: "project", exists: found.includes(path) })),
    { id: local, path: local, whose: "local", exists: await there(local) },
    { id: "user", path: own, whose: "user", exists: read(own) !== undefined },
  ];
}

/** The line as it stands in the file then. */
export function memoryLine(words: string): string {
  return `- ${words
    .replace(/^#+\s*/, "")
    .replaceAll(/\s+/g, " ")
    .trim()}`;
}

/** Adds a line at the end of one of these files: to those of the folder through the door, so that it can be undone. */
export async function remember({ id, path, whose }: MemoryFile, line: string, deps: LoopDeps): Promise<ChangeReport> {
  const kept = deps.log.secrets.mask(line);
  if (whose === "user") {
    appendFileSync(path, behind(read(path) ?? "", kept), { mode: 0o600 });
    return { ok: true, text: `Added to ${path}: ${kept}`, paths: [path] };
  }
  const ctx = await contextOf(deps);
  const place = await locate(join(folderOf(ctx), id), ctx);
  if (typeof place === "string") return { ok: false, text: place, paths: [] };
  const old = place.exists ? await loadBytes(place, ctx) : undefined;
  if (typeof old === "string") return { ok: false, text: old, paths: [] };
  const before = old?.bytes ?? Buffer.alloc(0);
  const set = await stageFile(
    place,
    Buffer.concat([before, Buffer.from(behind(before.toString("utf8"), kept))]),
    old,
    ctx,
  );
  let note = "";
  const landing = bring(set, { output: "", reason: "exit" }, ctx, deps, ctx.signal);
  await drained(
    (async function* () {
      note = yield* landing;
    })(),
  );
  return { ok: !note.startsWith("nothing landed"), text: `${note === "" ? path : note}: ${kept}`, paths: [path] };
}

function behind(before: string, line: string): string {
  return `${before === "" || before.endsWith("\n") ? "" : "\n"}${line}\n`;
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
