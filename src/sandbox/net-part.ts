import type { Socket } from "node:net";
import type { Dialed } from "./net-dial.ts";
import { type NetHost, netHostText } from "./net-host.ts";

/** What the protocols of a proxy share. */
export interface ProxyPart {
  /** Dials and keeps the books. */
  reach(target: NetHost, tunnel: boolean): Promise<Dialed>;
  /** Joins two connections for as long as both live. */
  join(client: Socket, remote: Socket): void;
  idleMs: number;
}

/** What the client is told of a target that it doesn't get; for people and the model, one line. */
export function refusalText(dialed: Exclude<Dialed, { socket: Socket }>): string {
  if ("failed" in dialed) return `Understudy's proxy: ${dialed.failed}`;
  const { why, ...target } = dialed.refused;
  return `Understudy's proxy refused ${netHostText(target)}: it ${why}. Name it in the call's network list; the person is asked.`;
}
