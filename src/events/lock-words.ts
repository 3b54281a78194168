import { readFileSync, readlinkSync } from "node:fs";

/** What a holder says of itself in its lock file, for people alone. */
interface Said {
  /** ISO time at which it took the lock. */
  since?: string;
  /** Its terminal, such as /dev/pts/3. */
  terminal?: string;
}

/** What this process writes into its lock file. `now`: ms. */
export function lockText(now: number): string {
  const terminal = ownTerminal();
  const said: Said = { since: new Date(now).toISOString(), ...(terminal === undefined ? {} : { terminal }) };
  return `${JSON.stringify(said)}\n`;
}

/** " since 2026-03-01 12:00 UTC, on /dev/pts/3", as far as the lock file tells; empty where it tells nothing. */
export function holderWords(file: string): string {
  const { since, terminal } = saidIn(file);
  return (since === undefined ? "" : ` since ${since}`) + (terminal === undefined ? "" : ` on ${terminal}`);
}

/** Only what has the form of ours is repeated: the file is somebody's, and this goes to a terminal. */
function saidIn(file: string): Said {
  try {
    const said: unknown = JSON.parse(readFileSync(file, "utf8").slice(0, 500));
    const field = (name: string, form: RegExp): string | undefined => {
      const value: unknown = typeof said === "object" && said !== null ? Reflect.get(said, name) : undefined;
      return typeof value === "string" ? form.exec(value)?.slice(1).join(" ") : undefined;
    };
    const since = field("since", /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d):\d\d\.\d{3}Z$/);
    const terminal = field("terminal", /^(\/dev\/[A-Za-z0-9/]{1,40})$/);
    return {
      ...(since === undefined ? {} : { since: `${since} UTC` }),
      ...(terminal === undefined ? {} : { terminal }),
    };
  } catch {
    return {};
  }
}

/** What stdin, stdout or stderr are joined to; Linux alone says so. */
function ownTerminal(): string | undefined {
  for (const fd of [0, 1, 2]) {
    try {
      const path = readlinkSync(`/proc/self/fd/${fd}`);
      if (/^\/dev\/(?:pts\/\d+|tty\w+)$/.test(path)) return path;
    } catch {
      // Not on this system.
    }
  }
  return undefined;
}
