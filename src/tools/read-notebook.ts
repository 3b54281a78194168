import { z } from "zod";
import { text } from "../events/block.ts";
import { asData } from "./as-data.ts";
import { footer, Page, type Range } from "./page.ts";
import { readWhole, type OpenFile } from "./open-file.ts";
import { brought, failed } from "./outcome.ts";
import type { Place } from "./paths.ts";
import { hashOf, MOST_BYTES } from "./text-file.ts";
import type { Outcome, ToolContext } from "./tool.ts";

const Lines = z.union([z.string(), z.array(z.string())]).transform((t) => (typeof t === "string" ? t : t.join("")));
const Output = z.looseObject({
  output_type: z.string(),
  text: Lines.optional(),
  data: z.record(z.string(), z.unknown()).optional(),
  ename: z.string().optional(),
  evalue: z.string().optional(),
});
const Cell = z.looseObject({
  cell_type: z.string(),
  id: z.string().optional(),
  source: Lines.default(""),
  outputs: z.array(Output).default([]),
});
const Notebook = z.looseObject({ cells: z.array(Cell) });

/** Letters of one output that are shown. */
const OUTPUT_LETTERS = 2000;

/** A notebook as its cells in plain text; undefined when the file is none, so that it is shown as the text it is. */
export async function readNotebook(
  file: OpenFile,
  place: Place,
  range: Range,
  ctx: ToolContext,
): Promise<Outcome | undefined> {
  const bytes = await readWhole(file, MOST_BYTES);
  const cells = bytes === undefined ? undefined : cellsOf(bytes, ctx);
  if (bytes === undefined || cells === undefined) return undefined;
  const touched = [{ path: place.target, hash: hashOf(bytes), how: "read" as const }];
  if (cells.length === 0) return brought([text(`${place.shown} is a notebook without cells.`)], { touched });
  const page = new Page(range, ctx.settings.read.maxChars);
  page.push(cells.map((cell, n) => render(cell, n + 1)).join("\n"));
  page.finish();
  if (page.lines.length === 0)
    return failed(`${place.shown} renders as ${page.total} lines; offset ${range.from} is behind its end.`);
  const plain = page.lines.map((line) => line.slice(line.indexOf("\t") + 1));
  const notes = [
    ...footer(page, range, true),
    "Notebook shown as cells. Edit works on its JSON: Grep shows the lines as they are in the file.",
  ];
  const details = { path: place.shown, cells: cells.length };
  return brought([text([asData(plain.join("\n")), "", ...notes].join("\n"))], { touched, details });
}

function cellsOf(bytes: Buffer, { secrets }: Pick<ToolContext, "secrets">): z.infer<typeof Cell>[] | undefined {
  try {
    const json = bytes.toString("utf8");
    // Before outputs are cut: half a key is none by its form.
    return Notebook.safeParse(JSON.parse(secrets?.mask(json) ?? json)).data?.cells;
  } catch {
    return undefined;
  }
}

function render(cell: z.infer<typeof Cell>, n: number): string {
  const head = `# Cell ${n} [${cell.cell_type}]${cell.id === undefined ? "" : ` id ${cell.id}`}`;
  const outputs = cell.outputs.map((output) => `# Output\n${cut(renderOutput(output))}`);
  return [head, cell.source, ...outputs, ""].join("\n");
}

function renderOutput(output: z.infer<typeof Output>): string {
  if (output.output_type === "error") return `${output.ename ?? "Error"}: ${output.evalue ?? ""}`;
  if (output.text !== undefined) return output.text;
  const data = output.data ?? {};
  const plain = Lines.safeParse(data["text/plain"]).data;
  const others = Object.keys(data).filter((type) => type !== "text/plain");
  const rest = others.length === 0 ? "" : `[also: ${others.join(", ")}]`;
  return [plain ?? "", rest].filter((part) => part !== "").join("\n");
}

function cut(output: string): string {
  if (output.length <= OUTPUT_LETTERS) return output.replace(/\n$/, "");
  return `${output.slice(0, OUTPUT_LETTERS)}… [${(output.length - OUTPUT_LETTERS).toLocaleString("en")} more characters]`;
}
