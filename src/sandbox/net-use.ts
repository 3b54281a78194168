import type { Socket } from "node:net";
import { type NetHost, netHostText } from "./net-host.ts";

/** What a command reached, in bytes from its point of view. */
export interface NetUse extends NetHost {
  up: number;
  down: number;
}

/** What the proxy refused. `address`: the one that the name leads to, which has to be named too. */
export interface NetRefusal extends NetHost {
  why: string;
  address?: string;
}

const MAX_LISTED = 200;

/** Counts what goes through a proxy, host by host. Beyond some hundred hosts the rest is one row, `*` with port 0. */
export class NetLog {
  readonly #uses = new Map<string, NetUse>();
  readonly #refusals = new Map<string, NetRefusal>();
  readonly #open = new Map<Socket, { use: NetUse; up: number; down: number }>();

  /** From now on what this connection carries is counted. */
  follow(target: NetHost, socket: Socket): void {
    const key = netHostText(target);
    const known = this.#uses.get(key) ?? (this.#uses.size < MAX_LISTED ? { ...target, up: 0, down: 0 } : this.#rest());
    if (known.port !== 0) this.#uses.set(key, known);
    this.#open.set(socket, { use: known, up: socket.bytesWritten, down: socket.bytesRead });
    socket.once("close", () => this.#count(socket));
  }

  refused(refusal: NetRefusal): void {
    if (this.#refusals.size < MAX_LISTED) this.#refusals.set(netHostText(refusal), refusal);
  }

  /** All so far; open connections as they stand. */
  get uses(): readonly NetUse[] {
    for (const socket of this.#open.keys()) this.#count(socket, true);
    return [...this.#uses.values()].map((use) => ({ ...use }));
  }

  get refusals(): readonly NetRefusal[] {
    return [...this.#refusals.values()];
  }

  #rest(): NetUse {
    const rest = this.#uses.get("*") ?? { host: "*", port: 0, up: 0, down: 0 };
    this.#uses.set("*", rest);
    return rest;
  }

  #count(socket: Socket, goesOn = false): void {
    const open = this.#open.get(socket);
    if (open === undefined) return;
    open.use.up += socket.bytesWritten - open.up;
    open.use.down += socket.bytesRead - open.down;
    Object.assign(open, { up: socket.bytesWritten, down: socket.bytesRead });
    if (!goesOn) this.#open.delete(socket);
  }
}
