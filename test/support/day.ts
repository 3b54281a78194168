import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { requestBreaches, type ApiBody } from "./api-check.ts";
import { bytesOf, eventsOf, type ApiTurn } from "./api-sse.ts";
import { bundle } from "./bundle.ts";

// Without the test runner: the bench measures with it too.

/** What the program held after so many turns; bytes, and milliseconds of processor time since its start. */
export interface Look {
  turns: number;
  heap: number;
  rss: number;
  cpuMs: number;
  /** Open files, sockets, pipes. */
  handles: number;
  children: number;
}

export interface Day {
  looks: Look[];
  /** After the session was closed, with what it says that all of it cost. */
  end: Omit<Look, "turns"> & { usd: number; usage: Record<string, number> };
  /** The same sums, from what the service answered. */
  answered: { usd: number; requests: number; usage: Record<string, number> };
  breaches: string[];
  code: number | null;
}

const PRICE = { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 };
const FILES = 40;

/** The reply of turn `n`: ten a message; files read, each second message writes one, each tenth runs a command. */
function replyAt(n: number): ApiTurn {
  const [message, turn] = [Math.ceil(n / 10), ((n - 1) % 10) + 1];
  if (turn === 10) return { text: `Message ${message} is done.` };
  if (turn === 3 && message % 2 === 0)
    return { calls: [{ name: "Write", input: { file_path: `made/${message % 50}.txt`, content: `${message}\n` } }] };
  if (turn === 5 && message % 10 === 0)
    return { calls: [{ name: "Bash", input: { command: `echo ${message} >> log.txt` } }] };
  const file_path = `file-${(n * 7) % FILES}.txt`;
  return { text: "I look.", calls: [{ name: "Read", input: { file_path, offset: 1 + (n % 9) } }] };
}

/** A whole day in fast motion: so many turns of one session in one process, on a server of this machine. */
export async function runDay(base: string, turns: number): Promise<Day> {
  const at = { folder: "project", config: "config", state: "state", home: "home" };
  const place = Object.fromEntries(Object.entries(at).map(([name, dir]) => [name, join(base, dir)]));
  for (const dir of Object.values(place)) mkdirSync(dir, { recursive: true });
  for (let i = 0; i < FILES; i++) writeFileSync(join(base, "project", `file-${i}.txt`), `a line of ${i}\n`.repeat(20));
  writeFileSync(join(base, "config/settings.json"), JSON.stringify({ prices: { "claude-day": PRICE } }));
  const service = await startService();
  const built = await bundle("day-session.ts");
  try {
    const child = spawn(process.execPath, ["--expose-gc", built.file, JSON.stringify({ at: place, turns })], {
      env: { PATH: process.env["PATH"] ?? "", HOME: join(base, "home"), ANTHROPIC_BASE_URL: service.url },
      stdio: ["ignore", "pipe", "inherit"],
    });
    let out = "";
    child.stdout.setEncoding("utf8").on("data", (s: string) => (out += s));
    const [code] = (await once(child, "close")) as [number | null];
    const lines = out
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as unknown);
    const { answered, breaches } = service;
    return { looks: lines.slice(0, -1) as Look[], end: lines.at(-1) as Day["end"], answered, breaches, code };
  } finally {
    built.remove();
    service.close();
  }
}

async function startService() {
  const answered: Day["answered"] = {
    usd: 0,
    requests: 0,
    usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
  };
  const breaches: string[] = [];
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    breaches.push(...requestBreaches(JSON.parse(Buffer.concat(parts).toString("utf8")) as ApiBody));
    const n = ++answered.requests;
    const usage = { input: 100 + (n % 7), output: 20 + (n % 3), cacheRead: 1000 + n, cacheWrite: n % 5 };
    for (const name of ["input", "output", "cacheRead", "cacheWrite"] as const) {
      answered.usage[name] = (answered.usage[name] ?? 0) + usage[name];
      answered.usd += (usage[name] * PRICE[name]) / 1e6;
    }
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.end(bytesOf(eventsOf({ ...replyAt(n), usage, piece: 40 }, "claude-day", n)));
  };
  const server = createServer((request, response) => {
    void answer(request, response).catch((error: unknown) => breaches.push(String(error)));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const close = (): void => {
    server.closeAllConnections();
    server.close();
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, answered, breaches, close };
}

/** What a turn costs early and late, in ms of processor time, and how many bytes stay of each. `part`: share of the day at either end. */
export function slopes(looks: readonly Look[], part = 0.2): { early: number; late: number; bytes: number } {
  const count = Math.max(1, Math.floor(looks.length * part));
  const rate = (from: Look | undefined, to: Look | undefined, of: "cpuMs" | "heap"): number =>
    from === undefined || to === undefined ? NaN : (to[of] - from[of]) / (to.turns - from.turns);
  return {
    early: rate(looks[0], looks[count], "cpuMs"),
    late: rate(looks.at(-1 - count), looks.at(-1), "cpuMs"),
    bytes: rate(looks[count], looks.at(-1), "heap"),
  };
}
