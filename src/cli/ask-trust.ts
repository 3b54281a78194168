import { mustAsk } from "../session/trust.ts";
import { sanitize } from "../util/visible.ts";
import { systemClock } from "../util/system.ts";
import type { RunOptions } from "./args.ts";
import { isPlain } from "./first-paint.ts";
import type { Wired } from "./wire.ts";

/**
 * On a terminal, before a session is opened: asks about a folder that brings something, or is no place to work in unasked (H5). `clear`:
 * the terminal is needed. Gives false where the person would rather not open it.
 */
export async function askTrust(
  options: RunOptions,
  { trust }: Pick<Wired, "trust">,
  clear: () => void,
): Promise<boolean> {
  const look = await trust.look();
  if (!mustAsk(look)) return true;
  clear();
  const { stdin, stdout, env } = process;
  const answer = isPlain(options, env)
    ? await (await import("../ui/plain/trust.ts")).askTrustPlain(look, { stdin, stdout, clock: systemClock })
    : await (await import("../ui/ask-trust.ts")).askTrust(look, { stdin, stdout, env, clock: systemClock });
  if (answer === "leave") return false;
  const problem = trust.say(answer === "trust", look);
  if (problem !== undefined) stdout.write(`Not remembered, so the next start asks again: ${sanitize(problem)}\n`);
  return true;
}
