import { z } from "zod";
import type { ChangeEntry } from "../../src/events/effect.ts";
import type { Question } from "../../src/permissions/asker.ts";
import { Output } from "../../src/sandbox/output.ts";
import { questionRows } from "../../src/ui/plain/question.ts";
import { layoutPrompt } from "../../src/ui/prompt/layout.ts";
import { openPermission } from "../../src/ui/prompt/permission.ts";
import { markdown } from "../../src/ui/render/markdown.ts";
import { type Line, textOfLine } from "../../src/ui/render/spans.ts";
import { statusLine } from "../../src/ui/render/status.ts";
import { type Card, cardLines } from "../../src/ui/render/tool.ts";
import { factLines } from "../../src/ui/render/transcript.ts";
import type { SecurityCase } from "./case.ts";
import type { CasePlace } from "./call-case.ts";
import type { Seen } from "./score.ts";

const Input = z.strictObject({
  where: z.string(),
  text: z.string().optional(),
  chunks: z.array(z.string()).optional(),
  bytes_hex: z.string().optional(),
});
const WIDTH = 80;

/** Text drawn at a place of the screen, by the functions that draw it there. */
export function runRender(c: SecurityCase, place: CasePlace): Seen | string {
  const input = Input.safeParse(c.input);
  if (!input.success) return "text of this shape";
  const text = textOf(input.data, place);
  const rows = draw(input.data.where, text);
  if (rows === undefined) return `text drawn at ${input.data.where}`;
  const { check } = c;
  const most = check.max_screen_chars ?? Infinity;
  const failed = rows.flatMap((drawn) => {
    const screen = drawn.map(textOfLine).join("\n");
    return [
      ...(check.screen_lacks ?? []).filter((part) => screen.includes(part)).map((p) => `the screen has ${p}`),
      ...(check.screen_has ?? []).filter((part) => !shows(screen, part)).map((p) => `the screen lacks ${p}`),
      ...(screen.length > most ? [`${screen.length} characters, at most ${most}`] : []),
      ...(/[\x00-\x08\x0b-\x1f\x7f-\x9f]/.test(screen) ? ["a control sign reaches the screen"] : []),
    ];
  });
  if (check.listener_hits !== undefined && place.listener.hits() !== check.listener_hits)
    failed.push(`the listener was reached ${place.listener.hits()} times`);
  return { outcomes: ["sanitised"], failed, said: JSON.stringify(rows[0]?.map(textOfLine).join("\n")).slice(0, 200) };
}

/** A long word is cut by the layout at the edge of the screen. */
function shows(screen: string, part: string): boolean {
  return screen.includes(part) || screen.replaceAll(/\n\s*/g, "").includes(part.replaceAll(/\n\s*/g, ""));
}

/** A command's output comes in pieces, and as bytes. */
function textOf({ text, chunks, bytes_hex }: z.infer<typeof Input>, { folders }: CasePlace): string {
  if (text !== undefined) return text;
  const output = new Output(30_000, `${folders.base}/output.txt`);
  const bytes = chunks === undefined ? [Buffer.from(bytes_hex ?? "", "hex")] : chunks.map((part) => Buffer.from(part));
  for (const part of bytes) output.add(part);
  return output.finish().text;
}

function draw(where: string, text: string): Line[][] | undefined {
  switch (where) {
    case "tool_result":
      return [card({ text }), card({ text, status: "error" }), card({ tool: "mcp__a__b", text })];
    case "error":
      return [card({ tool: "Read", input: { file_path: "a" }, status: "error", text }), failure(text)];
    case "file_name":
      return [card({ tool: "Read", input: { file_path: text } }), ...prompts({ file: text })];
    case "permission_prompt":
      return prompts({ command: text });
    case "status_line":
      return [
        [
          statusLine(
            { mode: "ask", model: "m", cwd: `/p/${text}`, home: "/h", branch: text, contained: true },
            WIDTH * 4,
          ),
        ],
      ];
    case "assistant_text":
      return [markdown(text, WIDTH)];
    default:
      return undefined;
  }
}

function card(more: Partial<Card>): Line[] {
  const base: Card = { tool: "Bash", input: {}, status: "ok", text: "", durationMs: 1, folder: "/p" };
  return cardLines({ ...base, ...more }, WIDTH);
}

function failure(detail: string): Line[] {
  const at = { v: 1, seq: 1, at: "2026-11-30T00:00:00.000Z", mac: "" } as const;
  return (
    factLines({ ...at, type: "query.finished", reason: "api-error", detail, turns: 1, durationMs: 1 }, WIDTH) ?? []
  );
}

/** On the screen, all of its body, and as plain lines. */
function prompts({ command, file }: { command?: string; file?: string }): Line[][] {
  const effect = { tool: command === undefined ? "Write" : "Bash", subject: command ?? file ?? "", contained: true };
  const needs = command === undefined ? [] : [{ kind: "network", host: "*" } as const];
  const path = file ?? "a";
  const entry: ChangeEntry = { root: 0, path, op: "create", type: "file", marks: [] };
  const changes = { entries: [entry], files: 1, git: [], regenerable: [], manifestHash: "0", undoable: true };
  const question: Question = {
    id: "q",
    callId: "c",
    gate: command === undefined ? "changes" : "needs",
    effect: { ...effect, needs, ...(command === undefined ? { changes } : {}) },
    decision: { action: "ask", risk: "medium", reason: "ask mode" },
    diffs: [],
    ...(command === undefined ? {} : { command: { text: command, cwd: "/p" } }),
  };
  return [layoutPrompt(openPermission(question), WIDTH, 1000, true).rows, questionRows(question, WIDTH)];
}
