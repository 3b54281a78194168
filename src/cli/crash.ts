import { EXIT } from "../session/exit-code.ts";
import { sanitize } from "../util/visible.ts";
import { failureOf } from "./failure.ts";

/**
 * A mistake of ours that nobody caught ends the program with one line and exit code 70. What was recorded is in the log, and goes on from
 * there; the terminal was given back before this is called.
 */
export function endOnCrash(): void {
  process.on("uncaughtException", (error) => {
    // Whoever read our output has enough (`agent changes | head`).
    if (error instanceof Error && "code" in error && error.code === "EPIPE") process.exit(128 + 13);
    const { text, code } = failureOf(error, process.env);
    const what = `${code === EXIT.crash ? "it crashed: " : ""}${text.split("\n")[0] ?? ""}`;
    process.stderr.write(
      `agent: ${sanitize(what.replace(/\.$/, ""))}. The session is kept; agent --continue goes on.\n`,
    );
    process.exit(code);
  });
}
