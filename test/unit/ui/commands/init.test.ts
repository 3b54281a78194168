import { expect, it } from "vitest";
import type { CommandContext } from "../../../../src/ui/commands/command.ts";
import { commandIn } from "../../../../src/ui/commands/find.ts";

it("U6: /init puts the message into the composer, and sends nothing by itself", async () => {
  const drafts: string[] = [];
  const command = commandIn("/init");
  const context = { draft: (text: string) => drafts.push(text), say: () => undefined };
  await command?.command?.run("", context as unknown as CommandContext);
  expect(drafts).toEqual([expect.stringMatching(/^Write AGENTS\.md for this folder/)]);
});
