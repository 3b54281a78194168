import { type TrustRow, trustRows } from "../../session/trust-words.ts";
import type { TrustLook } from "../../session/trust.ts";
import { line, type Line, wrap } from "../render/spans.ts";
import type { Style } from "../theme.ts";
import type { Command } from "./command.ts";
import { report, tell } from "./tell.ts";

const STYLES: Readonly<Record<TrustRow["look"], [indent: number, style: Style | undefined]>> = {
  head: [0, "bold"],
  part: [2, undefined],
  run: [4, "code"],
  note: [2, "dim"],
  warning: [0, "warning"],
};

/** What the folder brings, and the trust in it: given, or taken back (H5). */
export const trustCommand: Command = {
  name: "trust",
  text: "What the folder brings, and whether it is used",
  run: async (args, context) => {
    if (args !== "") return tell(context, "/trust shows what the folder brings and asks; it takes no words.", "error");
    const { trust } = context.session;
    const look = await trust.look();
    if (look === undefined) return tell(context, "This session's folder brings nothing that is used.");
    const trusted = context.session.state().trusted;
    const chosen = await context.choose({
      title: trusted ? "This folder is trusted" : "This folder is not trusted",
      body: (width) => lookLines(look, width),
      careful: true,
      choices: trusted
        ? [{ id: "back", label: "Take it back", more: "nothing of it is used from here on, and the next start asks" }]
        : [{ id: "give", label: "Trust it", more: "what is listed is used, until what runs changes" }],
    });
    if (chosen === "give") report(context, await trust.give(look));
    if (chosen === "back") report(context, await trust.takeBack());
  },
};

function lookLines(look: TrustLook, width: number): Line[] {
  const rows = trustRows(look);
  if (rows.length === 0) return [line("It brings nothing that needs trust.", "dim")];
  return rows.flatMap(({ text, look: as }) => {
    const [indent, style] = STYLES[as];
    return wrap(line(text, style), { width, first: line(" ".repeat(indent)), rest: line(" ".repeat(indent + 2)) });
  });
}
