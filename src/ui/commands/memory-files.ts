import { join } from "node:path";
import type { MemoryFile } from "../../memory/file.ts";
import type { Session } from "../../session/session.ts";
import { paragraph } from "../prompt/panel.ts";
import { exactRow } from "../render/clean.ts";
import { grouped, several } from "../render/units.ts";
import type { Command, CommandContext } from "./command.ts";
import { tell } from "./tell.ts";

const WHOSE: Readonly<Record<MemoryFile["scope"], string>> = {
  user: "yours, for all projects",
  parent: "of a folder above",
  project: "this project's",
  local: "yours, for this project",
  added: "of a folder that works along",
  subfolder: "of a subfolder where something was touched",
  rule: "a rule",
};

interface Row {
  id: string;
  /** Absolute. */
  path: string;
  label: string;
  more: string;
}

/** `/memory`: the files of instructions in force and the model's own notes; one of them opens in the person's editor (C2). */
export const memoryCommand: Command = {
  name: "memory",
  text: "Instructions and notes that the model is told; opens one in your editor",
  always: true,
  run: async (_args, context) => {
    const { session } = context;
    const rows = [...filesOf(session), ...notesOf(session), ...(await freshOf(session))];
    const words = wordsOf(session);
    if (context.editFile === undefined) {
      for (const { label, more } of rows) tell(context, `${label}: ${more}`);
      for (const word of words) tell(context, word, "warning");
      return;
    }
    const chosen = await context.choose({
      title: "What the model is told. Open which in your editor?",
      body: (width) => words.flatMap((word) => paragraph(exactRow(word), width, "warning")),
      choices: rows.map(({ id, label, more }) => ({ id, label: exactRow(label), more })),
    });
    const row = rows.find(({ id }) => id === chosen);
    if (row !== undefined) await open(row, context);
  },
};

async function open({ path, label }: Row, context: CommandContext): Promise<void> {
  const problem = await context.editFile?.(path);
  if (problem === undefined) tell(context, `${label}: what it says now counts from your next message on.`);
  else tell(context, problem, "error");
}

function filesOf({ beside }: Session): Row[] {
  const files = beside.texts?.memory().files ?? [];
  return files.map(({ path, shown, scope, text, of, by }) => {
    const size = `${grouped(text.length)} characters${of === undefined ? "" : ` of ${grouped(of)}`}`;
    return {
      id: path,
      path,
      label: shown,
      more: `${WHOSE[scope]}${by === undefined ? "" : `, imported by ${by}`}, ${size}`,
    };
  });
}

function notesOf({ beside }: Session): Row[] {
  const { notes } = beside.texts ?? {};
  return (notes?.list() ?? []).map(({ name, title, day, body }) => ({
    id: `note ${name}`,
    path: notes?.path(name) ?? "",
    label: title,
    more: `a note of the model's, ${day}, ${grouped(body.length)} characters`,
  }));
}

/** Files that are not there yet, or not in force: `#` offers the same. */
async function freshOf(session: Session): Promise<Row[]> {
  const { folder, trusted } = session.state();
  const files = await session.beside.memory();
  return files
    .filter(({ exists, whose }) => !exists || (whose !== "user" && !trusted))
    .map(({ path, whose, exists }) => ({
      id: `new ${path}`,
      path: whose === "user" ? path : join(folder, path),
      label: path,
      more: `${WHOSE[whose]}, ${exists ? "not read" : "not there yet"}`,
    }));
}

function wordsOf(session: Session): string[] {
  const { texts } = session.beside;
  const unused = session.trust.unused();
  return [
    ...(session.state().trusted || unused.length === 0
      ? []
      : [`This folder is not trusted, so nothing of it is read (${several(unused.length, "kind")} of files): /trust.`]),
    ...(texts !== undefined && texts.notes === undefined ? ["The model keeps no notes: memory.notes is false."] : []),
    ...(texts?.memory().problems ?? []),
  ];
}
