import { loadKey } from "../events/key.ts";
import type { RunOptions } from "./args.ts";
import { isPlain, statusOf } from "./first-paint.ts";
import type { GoingOn } from "./going-on.ts";
import type { Shell } from "./shell.ts";
import type { Wired } from "./wire.ts";

/**
 * Paints the end of a session that is gone on with, while all of it is read. Where nothing was painted yet, since something could have
 * had to be asked first, the composer is painted for it now. Gives what the screen takes over.
 */
export async function showEnd(
  options: RunOptions,
  going: GoingOn | undefined,
  { store, settings }: Wired,
  shell: Shell | undefined,
): Promise<Shell | undefined> {
  const open = shell?.isOpen() === true ? shell : undefined;
  if (going === undefined || going.fork !== undefined || options.bypass || isPlain(options, process.env)) return open;
  const [{ openShell }, { showLastWords }, { createTheming }] = await Promise.all([
    import("./shell.ts"),
    import("../ui/last-words.ts"),
    import("../ui/screen/theming.ts"),
  ]);
  const here = open ?? openShell(statusOf(options.mode));
  const { theme } = createTheming(process.env, settings.theme, store.config);
  const log = { sessionsDir: store.sessions, contentDir: store.content, key: loadKey(store.key) };
  showLastWords(here.boot, { ...log, sessionId: going.id }, theme);
  // It is with the terminal before the long work begins.
  await new Promise((written) => setImmediate(written));
  return here;
}
