import type { Rule } from "../../events/effect.ts";
import type { Permissions } from "../../session/policy-permissions.ts";
import type { RuleRow } from "../../session/policy-rows.ts";
import { type Choice, paragraph } from "../prompt/panel.ts";
import { cleanRow, exact } from "../render/clean.ts";
import type { Line } from "../render/spans.ts";
import { several } from "../render/units.ts";
import type { Command, CommandContext } from "./command.ts";
import { ruleLines, ruleNote, SOURCE_WORDS, whyLines } from "./permissions-rows.ts";
import { readWords, type RuleWords } from "./permissions-words.ts";
import { tell } from "./tell.ts";

/** Decisions that are listed. */
const RECENT = 8;
const HOW =
  "/permissions allow|ask|deny [session|user] RULE adds one (for this project, where you say neither), /permissions remove RULE, /permissions edit RULE => RULE, /permissions why [CALL], /permissions reload.";

/** Rules and decisions: shows them with source and use, changes the person's own (P6). */
export const permissionsCommand: Command = {
  name: "permissions",
  also: ["allowed-tools"],
  args: "[allow|ask|deny|edit|remove|decisions|why|reload]",
  text: "The rules that count, where each stands, what was decided and why",
  always: true,
  run: async (args, context) => {
    const words = readWords(args);
    if (words === undefined) return tell(context, `Not understood: ${args}. ${HOW}`, "error");
    try {
      await act(words, context);
    } catch (error) {
      tell(context, error instanceof Error ? error.message : String(error), "error");
    }
  },
};

async function act(words: RuleWords, context: CommandContext): Promise<void> {
  const permissions = context.session.permissions();
  switch (words.act) {
    case "show":
      return show(permissions, context);
    case "add":
      return tell(context, await permissions.add(words.rule));
    case "remove":
    case "edit":
      return changeNamed(words, permissions, context);
    case "decisions":
      return decisions(permissions, context);
    case "why": {
      const why = permissions.why(words.call);
      if (why === undefined)
        return tell(context, words.call === undefined ? "Nothing was decided yet." : `No call ${words.call}.`, "error");
      return context.say((width) => whyLines(why, width));
    }
    case "reload":
      return tell(context, await permissions.reload());
  }
}

function decisions(permissions: Permissions, context: CommandContext): void {
  const recent = permissions.recent(RECENT);
  if (recent.length === 0) return tell(context, "Nothing was decided yet.");
  context.say((width) => recent.toReversed().flatMap((why) => whyLines(why, width)));
}

/** The list; a rule that is chosen opens, and the list comes back behind it. */
async function show(permissions: Permissions, context: CommandContext): Promise<void> {
  for (;;) {
    const { rows, problem } = permissions.rows();
    const off = rows.filter((row) => row.state !== "counts").length;
    const chosen = await context.choose({
      title: rows.length === 0 ? "No rules count here" : `${several(rows.length, "rule")}`,
      body: (width) => headLines(width, { off, problem }),
      choices: [
        ...rows.map((row, at) => ruleChoice(row, at)),
        ...(off === 0 ? [] : [{ id: "reload", label: "take over what the files say now" }]),
        { id: "add", label: "add a rule" },
        { id: "decisions", label: "the last decisions, and why" },
      ],
    });
    if (chosen === undefined) return;
    if (chosen === "reload") return tell(context, await permissions.reload());
    if (chosen === "decisions") return decisions(permissions, context);
    if (chosen === "add") return offer(context, "/permissions allow ", HOW);
    const row = rows[Number(chosen)];
    if (row !== undefined && !(await open(row, permissions, context))) return;
  }
}

function headLines(width: number, { off, problem }: { off: number; problem: string | undefined }): Line[] {
  const words = `deny over ask over allow, whoever says it. Rules are read when the session opens${off === 0 ? "." : `; ${several(off, "rule")} of files ${off === 1 ? "is" : "are"} another by now.`}`;
  return [
    ...paragraph(words, width, off === 0 ? "dim" : "warning"),
    ...(problem ?? "").split("\n").flatMap((text) => (text === "" ? [] : paragraph(cleanRow(text), width, "error"))),
  ];
}

function ruleChoice(row: RuleRow, at: number): Choice {
  return { id: String(at), label: `${row.rule.action.padEnd(5)} ${flat(row.rule.text)}`, more: flat(ruleNote(row)) };
}

function flat(text: string): string {
  return exact(text).replaceAll("\n", "⏎");
}

/** True: back to the list. */
async function open(row: RuleRow, permissions: Permissions, context: CommandContext): Promise<boolean> {
  const { rule, edit } = row;
  const chosen = await context.choose({
    title: `${rule.action} ${flat(rule.text)}`,
    body: (width) => [
      ...ruleLines(row, width),
      ...(edit === true ? [] : paragraph(`Not from here: ${cleanRow(edit)}`, width, "warning")),
    ],
    choices: [
      { id: "back", label: "back to the list" },
      ...(edit === true
        ? [
            { id: "edit", label: "change its text" },
            { id: "remove", label: "take it away" },
          ]
        : []),
    ],
  });
  if (chosen === "back") return true;
  if (chosen === "remove") tell(context, await permissions.change(rule, undefined));
  if (chosen === "edit") {
    const name = `${rule.source} ${rule.action} ${rule.text}`;
    offer(context, `/permissions edit ${name} => ${rule.text}`, "Change what stands behind => and send it.");
  }
  return chosen === "remove";
}

/** A line to finish, in the composer where there is one. */
function offer(context: CommandContext, draft: string, words: string): void {
  tell(context, words);
  context.draft(draft);
}

async function changeNamed(
  words: Extract<RuleWords, { act: "remove" | "edit" }>,
  permissions: Permissions,
  context: CommandContext,
): Promise<void> {
  const counting = permissions.rows().rows.filter((row) => row.state === "counts");
  const found = words.ways.flatMap((way) =>
    counting.filter((row) => fits(row.rule, way)).map((row) => ({ row, to: way.to })),
  );
  const able = found.filter(({ row }) => row.edit === true);
  const [first] = found;
  if (first === undefined) return tell(context, "There is no such rule. /permissions lists them.", "error");
  const [only] = able;
  if (only === undefined) return tell(context, `Not from here: ${String(first.row.edit)}.`, "error");
  const meant =
    able.length === 1
      ? only
      : able[
          Number(
            await which(
              able.map(({ row }) => row),
              context,
            ),
          )
        ];
  if (meant === undefined) return tell(context, "Nothing was changed.");
  tell(context, await permissions.change(meant.row.rule, meant.to));
}

function fits(rule: Rule, { source, action, text }: { source?: string; action?: string; text: string }): boolean {
  return rule.text === text && (source ?? rule.source) === rule.source && (action ?? rule.action) === rule.action;
}

function which(rows: readonly RuleRow[], context: CommandContext): Promise<string | undefined> {
  return context.choose({
    title: "Several rules say that. Which?",
    body: () => [],
    choices: rows.map((row, at) => ({ id: String(at), label: row.rule.action, more: SOURCE_WORDS[row.rule.source] })),
    careful: true,
  });
}
