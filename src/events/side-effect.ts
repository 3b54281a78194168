import { z } from "zod";

/** What a command did outside of the folder's copy, which no undo takes back. */
export const SideEffect = z.discriminatedUnion("kind", [
  /** Bytes from the command's point of view. Host `*` with port 0: further ones that are not listed. */
  z.object({ kind: z.literal("network"), host: z.string(), port: z.number(), up: z.number(), down: z.number() }),
  /** It had the machine's own network: what it reached is not known. */
  z.object({ kind: z.literal("whole-network") }),
  /** It could write there. */
  z.object({ kind: z.literal("outside"), path: z.string() }),
  /** It ran as the person, outside of the copy. */
  z.object({ kind: z.literal("unsandboxed") }),
]);
export type SideEffect = z.infer<typeof SideEffect>;

const MAX_HOSTS = 8;

/** Side effects in words, such as `reached h.example:443 (12 kB up, 3.1 MB down)`; undefined where there are none. */
export function sideEffectText(effects: readonly SideEffect[]): string | undefined {
  const hosts = effects.flatMap((e) => (e.kind === "network" ? [hostText(e)] : []));
  const more = hosts.length > MAX_HOSTS ? ` and ${hosts.length - MAX_HOSTS} more` : "";
  const paths = effects.flatMap((e) => (e.kind === "outside" ? [e.path] : []));
  const parts = [
    ...(effects.some((e) => e.kind === "unsandboxed") ? ["ran outside the copy, what it changed is not known"] : []),
    ...(effects.some((e) => e.kind === "whole-network") ? ["had the whole network, what it reached is not known"] : []),
    ...(hosts.length === 0 ? [] : [`reached ${hosts.slice(0, MAX_HOSTS).join(", ")}${more}`]),
    ...(paths.length === 0 ? [] : [`could write in ${paths.join(", ")}`]),
  ];
  return parts.length === 0 ? undefined : parts.join("; ");
}

function hostText({ host, port, up, down }: SideEffect & { kind: "network" }): string {
  const name = port === 0 ? "other hosts" : `${host.includes(":") ? `[${host}]` : host}:${port}`;
  return `${name} (${bytes(up)} up, ${bytes(down)} down)`;
}

function bytes(count: number): string {
  if (count < 1000) return `${count} B`;
  const [unit, size] = count < 1e6 ? ["kB", count / 1e3] : count < 1e9 ? ["MB", count / 1e6] : ["GB", count / 1e9];
  return `${size < 10 ? size.toFixed(1) : Math.round(size)} ${unit}`;
}
