import { setTimeout as sleep } from "node:timers/promises";
import type { Terminal } from "./terminal.ts";

/** Answers as a person does: reads for a moment, then presses; a key that came too early is pressed again. Gives the screen with the question. */
export async function press(
  terminal: Terminal,
  question: string | RegExp,
  key: string,
  gone: Parameters<Terminal["waitFor"]>[0],
): Promise<string[]> {
  const shown = await terminal.waitFor(question);
  for (let tries = 0; tries < 20; tries++) {
    await sleep(600);
    terminal.type(key);
    try {
      await terminal.waitFor(gone, 2000);
      return shown;
    } catch {
      continue;
    }
  }
  throw new Error(`the question stayed: ${(await terminal.screen()).join("\n")}`);
}
