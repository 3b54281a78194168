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

it.each([
  ["send", 1],
  [undefined, 0],
])(
  "U6: on the line front-end /init shows the message and asks; an answer of %s sends it %i times",
  async (answer, times) => {
    const sent: string[] = [];
    const choose = () => Promise.resolve(answer);
    const context = {
      choose,
      send: (text: string) => void sent.push(text),
      draft: () => expect.fail("it has no composer"),
    };
    await commandIn("/init")?.command?.run("", context as unknown as CommandContext);
    expect(sent.map((text) => /AGENTS\.md/.test(text))).toEqual(Array<boolean>(times).fill(true));
  },
);
