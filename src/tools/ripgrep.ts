import { StringDecoder } from "node:string_decoder";
import { endGroup, runProcess, startProcess, type RunResult } from "../util/process.ts";
import { waitsForPipe } from "./ripgrep-stuck.ts";
import { cutLine, type FileHits, type Found, type LineHit, type Query } from "./search.ts";

/** Where searches are done from. */
export interface Search {
  /** Absolute; targets are relative to it. */
  cwd: string;
  targets: readonly string[];
  /** Leave out what `.gitignore` files name. */
  ignore: boolean;
  /** Ignore files above `cwd` count: it lies in a repository. */
  parents: boolean;
}

const TIME_MS = 30_000;
const STREAM_MS = 10_000;
const LIST_BYTES = 64 << 20;
/** Of results far fewer are shown; to count them takes more. */
const SHOW_BYTES = 8 << 20;
/** No rules but git's, no configuration, the repository's own folder left out. */
const ALWAYS = ["--no-config", "--hidden", "--no-ignore-dot", "--no-ignore-global", "--no-messages"];

/** Path of the ripgrep that came with the package, or undefined where its platform package is missing. */
export async function findRipgrep(): Promise<string | undefined> {
  try {
    return (await import("@vscode/ripgrep")).rgPath;
  } catch {
    return undefined;
  }
}

function ignoreFlags(search: Search): string[] {
  if (!search.ignore) return ["--no-ignore"];
  // Without a repository nothing bounds which folders above have a say.
  return search.parents ? [] : ["--no-require-git", "--no-ignore-parent"];
}

interface Ran {
  result: RunResult;
  /** Ignore files were left out of account: one of them is a named pipe, for which ripgrep would wait. */
  unfiltered: boolean;
}

async function run(
  rg: string,
  args: readonly string[],
  search: Search,
  maxBytes: number,
  signal: AbortSignal,
): Promise<Ran> {
  const [stuck, ended] = [new AbortController(), new AbortController()];
  const looked = search.ignore ? waitsForPipe(search.cwd, ended.signal) : Promise.resolve(false);
  void looked.then((waits) => (waits ? stuck.abort() : undefined));
  const result = await start(rg, args, search, maxBytes, AbortSignal.any([signal, stuck.signal]));
  ended.abort();
  if (!stuck.signal.aborted || signal.aborted) return { result, unfiltered: false };
  return { result: await start(rg, args, { ...search, ignore: false }, maxBytes, signal), unfiltered: true };
}

function start(
  rg: string,
  args: readonly string[],
  search: Search,
  maxBytes: number,
  signal: AbortSignal,
): Promise<RunResult> {
  const all = [...ALWAYS, ...ignoreFlags(search), ...args, "--", ...search.targets];
  // Nothing of the environment: RIPGREP_CONFIG_PATH could name programs to run.
  return runProcess(rg, all, { cwd: search.cwd, env: {}, timeoutMs: TIME_MS, maxBytes, signal, bound: true });
}

/** Files below the targets, relative to `cwd`; `cut` when there were more than fit. `unfiltered`: ignore files did not count. */
export async function listWithRipgrep(
  rg: string,
  search: Search,
  signal: AbortSignal,
): Promise<{ files: string[]; cut: boolean; unfiltered: boolean } | string> {
  const { result, unfiltered } = await run(rg, ["--files", "--null", "-g", "!.git"], search, LIST_BYTES, signal);
  if (result.failed !== undefined) return `The search program could not be started: ${result.failed}`;
  const files = Buffer.from(result.stdout).toString("utf8").split("\0");
  // What stands behind the last NUL is empty, or a path that was cut off.
  files.pop();
  return { files: files.map(plain), cut: result.truncated || result.timedOut, unfiltered };
}

/** The same, in pieces as they are found; what breaks off gives what came. For a person who looks on, so it waits for nothing long. */
export async function* streamWithRipgrep(
  rg: string,
  search: Search,
  signal: AbortSignal,
): AsyncGenerator<readonly string[], void> {
  const args = [...ALWAYS, ...ignoreFlags(search), "--files", "--null", "-g", "!.git", "--", ...search.targets];
  const child = startProcess(rg, args, { cwd: search.cwd, env: {}, stdio: ["ignore", "pipe", "ignore"] });
  const end = () => child.pid !== undefined && endGroup(child.pid);
  const late = setTimeout(end, STREAM_MS);
  signal.addEventListener("abort", end, { once: true });
  child.on("error", () => child.stdout?.destroy());
  try {
    const decoder = new StringDecoder("utf8");
    let rest = "";
    for await (const chunk of (child.stdout ?? []) as AsyncIterable<Buffer>) {
      const names = (rest + decoder.write(chunk)).split("\0");
      rest = names.pop() ?? "";
      yield names.map(plain);
    }
  } catch {
    // It could not be started, or was ended.
  } finally {
    clearTimeout(late);
    signal.removeEventListener("abort", end);
    if (child.exitCode === null) end();
  }
}

function plain(path: string): string {
  return path.startsWith("./") ? path.slice(2) : path;
}

/** Searches with ripgrep. Text is a problem: a pattern that is none, an unknown type. `unfiltered`: ignore files did not count. */
export async function searchWithRipgrep(
  rg: string,
  query: Query,
  search: Search,
  signal: AbortSignal,
): Promise<(Found & { unfiltered: boolean }) | string> {
  const most = query.countOnly ? LIST_BYTES : SHOW_BYTES;
  const { result, unfiltered } = await run(rg, [...flagsOf(query), "-e", query.pattern], search, most, signal);
  if (result.failed !== undefined) return `The search program could not be started: ${result.failed}`;
  const messages = Buffer.from(result.stdout).toString("utf8").split("\n");
  messages.pop();
  const stopped = result.timedOut
    ? `stopped after ${TIME_MS / 1000} s`
    : result.truncated
      ? "stopped, too many matches"
      : undefined;
  if (messages.length === 0 && result.code === 2) return problem(Buffer.from(result.stderr).toString("utf8"));
  return { files: collect(messages, query.mask), unfiltered, ...(stopped === undefined ? {} : { stopped }) };
}

function flagsOf(query: Query): string[] {
  const flags = ["--json", "--crlf", "--sort", "path"];
  if (query.ignoreCase) flags.push("--ignore-case");
  if (query.multiline) flags.push("--multiline", "--multiline-dotall");
  if (query.before > 0) flags.push("--before-context", String(query.before));
  if (query.after > 0) flags.push("--after-context", String(query.after));
  if (query.firstOnly) flags.push("--max-count", "1");
  if (query.type !== undefined) flags.push("--type", query.type);
  if (query.prefilter !== undefined) flags.push("-g", query.prefilter);
  return [...flags, "-g", "!.git"];
}

/** ripgrep's complaint in one paragraph. */
function problem(stderr: string): string {
  const words = stderr.replace(/^rg: /gm, "").trim();
  if (words.startsWith("regex parse error")) {
    const why = /error: ([\s\S]*)$/.exec(words)?.[1]?.trim() ?? words;
    return `The pattern is no valid regular expression: ${why}. Escape ( ) [ ] { } . * + ? | ^ $ with a backslash to mean them literally.`;
  }
  return words === "" ? "The search failed without a message." : words;
}

/** Text of a message: as it is, or base64 where it is no UTF-8. */
type Text = { text: string } | { bytes: string };
interface Line {
  lines: Text;
  line_number: number;
  submatches: readonly { start: number; end: number }[];
}
/** What ripgrep writes with `--json`; it is our own program, and there are very many of them, so they are not parsed further. */
type Message =
  | { type: "begin"; data: { path: Text } }
  | { type: "match" | "context"; data: Line }
  | { type: "end"; data: { binary_offset: number | null } }
  | { type: "summary" };

function bytesOf(text: Text): Buffer {
  return "text" in text ? Buffer.from(text.text) : Buffer.from(text.bytes, "base64");
}

function collect(messages: readonly string[], mask: Query["mask"]): FileHits[] {
  const files: FileHits[] = [];
  for (const line of messages) {
    const message = JSON.parse(line) as Message;
    const now = files.at(-1);
    if (message.type === "begin")
      files.push({ file: plain(bytesOf(message.data.path).toString("utf8")), lines: [], binary: false });
    else if (message.type === "end" && now !== undefined) now.binary = message.data.binary_offset !== null;
    else if (message.type === "match" || message.type === "context")
      now?.lines.push(...linesOf(message.data, message.type === "match", mask));
  }
  return files;
}

/** A match over several lines becomes one entry a line. Offsets are bytes of UTF-8. */
function linesOf(data: Line, isMatch: boolean, mask: Query["mask"]): LineHit[] {
  const bytes = bytesOf(data.lines);
  const hits: LineHit[] = [];
  const at = data.submatches[0];
  for (let from = 0, n = data.line_number; from < bytes.length; n++) {
    const end = bytes.indexOf(10, from);
    const to = end < 0 ? bytes.length : end;
    const line = bytes.subarray(from, to > from && bytes[to - 1] === 13 ? to - 1 : to);
    const inside = at !== undefined && at.start >= from && at.start <= to ? at : undefined;
    const start = inside === undefined ? 0 : line.toString("utf8", 0, inside.start - from).length;
    const width = inside === undefined ? 0 : line.toString("utf8", inside.start - from, inside.end - from).length;
    hits.push({ n, isMatch, text: cutLine(line.toString("utf8"), start, width, mask) });
    from = to + 1;
  }
  return hits;
}
