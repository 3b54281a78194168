import type { Session } from "../../session/session.ts";
import { sanitize } from "../../util/visible.ts";

/** Tells once, when no tool server is on its way any more, which of them are not there (U4). A session without servers tells nothing. */
export function tellFailedServers({ servers }: Pick<Session, "servers">, notice: (words: string) => void): void {
  let told = false;
  const look = () => {
    const rows = servers.rows();
    if (told || rows.length === 0 || rows.some(({ status }) => status === "starting")) return;
    told = true;
    const failed = rows.filter(({ status }) => status === "failed");
    if (failed.length > 0) notice(words(failed.map(({ name }) => name)));
  };
  servers.onChange(look);
  look();
}

function words(names: readonly string[]): string {
  const some = names.slice(0, 4).join(", ") + (names.length > 4 ? ` and ${names.length - 4} more` : "");
  return sanitize(`${names.length === 1 ? "A tool server is" : "Tool servers are"} not there: ${some} · /mcp says why`);
}
