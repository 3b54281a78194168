import { setTimeout as sleep } from "node:timers/promises";
import type { ServerResponse } from "node:http";
import { listen } from "./local-http.ts";

/** What goes wrong with one answer on its way, whatever its service speaks. `at`: where in its bytes, 0 to 1. */
export type WayFault =
  /** Another answer in its place. */
  | { kind: "status"; status: number; body?: string; headers?: Record<string, string> }
  /** The connection ends without an answer. */
  | { kind: "reset" }
  /** It breaks off. */
  | { kind: "cut"; at: number }
  /** It ends in order, too early. */
  | { kind: "end"; at: number }
  /** Nothing more comes. */
  | { kind: "stall"; at: number }
  /** What its message holds there is no JSON. */
  | { kind: "garble"; at: number };

export interface FaultyWay {
  /** In the place of the service's own address. */
  url: string;
  /** How often it was asked. */
  asked(): number;
}

/** Stands between a model and its service, and spoils the answers that `fault` names; the others come as they are. */
export async function faultyWay(service: string, fault: (n: number) => WayFault | undefined): Promise<FaultyWay> {
  let asked = 0;
  const url = await listen(async ({ method, path, headers, raw }, response) => {
    const wrong = fault(++asked);
    if (wrong?.kind === "status")
      return void response.writeHead(wrong.status, wrong.headers ?? {}).end(wrong.body ?? "");
    if (wrong?.kind === "reset") return void response.socket?.destroy();
    const { host: _, connection: _c, "content-length": _l, ...sent } = headers;
    const came = await fetch(service + path, { method, headers: sent as Record<string, string>, body: raw });
    const bytes = Buffer.from(await came.arrayBuffer());
    response.writeHead(came.status, { "content-type": came.headers.get("content-type") ?? "" });
    response.flushHeaders();
    await deliver(response, bytes, wrong);
  });
  return { url, asked: () => asked };
}

async function deliver(
  response: ServerResponse,
  bytes: Buffer,
  wrong: Exclude<WayFault, { kind: "status" | "reset" }> | undefined,
): Promise<void> {
  if (wrong === undefined) return void response.end(bytes);
  const at = Math.floor(wrong.at * bytes.length);
  if (wrong.kind === "garble") return void response.end(garbled(bytes, at));
  response.write(bytes.subarray(0, at));
  if (wrong.kind === "stall") return;
  if (wrong.kind === "end") return void response.end();
  // What was written has to arrive first.
  await sleep(20);
  response.socket?.destroy();
}

/** From `at` on the next message of a text stream, or the bytes there of a binary one. */
function garbled(bytes: Buffer, at: number): Buffer {
  const data = bytes.indexOf("data: {", at);
  const begin = data < 0 ? at : data + "data: ".length;
  return Buffer.from(bytes).fill('"', begin, begin + 40);
}
