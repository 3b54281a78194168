import { basename } from "node:path";
import { readWhole, type OpenFile } from "./open-file.ts";
import { brought, failed } from "./outcome.ts";
import type { Place } from "./paths.ts";
import { inspectPdf } from "../util/pdf.ts";
import { hashOf } from "./text-file.ts";
import type { Outcome, ToolContext } from "./tool.ts";

/** What the Messages API takes, after base64 and beside the rest of a request. */
const MOST = 20 << 20;

/** More pages than these the API refuses. */
const MOST_PAGES = 100;

/** A PDF as a document block. Cut-off and encrypted ones are refused here: the API would refuse every later request that holds them. */
export async function readPdf(file: OpenFile, place: Place, ctx: ToolContext): Promise<Outcome> {
  const most = Math.min(MOST, ctx.settings.read.maxBytes);
  const bytes = await readWhole(file, most);
  if (bytes === undefined)
    return failed(
      `${place.shown} is a PDF of ${mb(file.size)}; up to ${mb(most)} can be read. Use Bash (pdftotext, or split it by pages).`,
    );
  const { whole, encrypted, pages } = inspectPdf(bytes);
  if (!whole) return failed(`${place.shown} is a PDF that is cut off (no %%EOF at its end).`);
  if (encrypted)
    return failed(
      `${place.shown} is an encrypted PDF. Ask the person for one without password, or use Bash (qpdf --decrypt).`,
    );
  if (pages !== undefined && pages > MOST_PAGES)
    return failed(
      `${place.shown} is a PDF of ${pages} pages; up to ${MOST_PAGES} can be read. Use Bash (pdftotext, or split it by pages).`,
    );
  const source = { type: "base64" as const, media_type: "application/pdf", data: bytes.toString("base64") };
  return brought([{ type: "document", source, title: basename(place.shown) }], {
    touched: [{ path: place.target, hash: hashOf(bytes), how: "read" }],
    details: { path: place.shown, bytes: bytes.length },
  });
}

/** "3.8 MB". */
export function mb(bytes: number): string {
  return `${(bytes / (1 << 20)).toLocaleString("en", { maximumFractionDigits: 1 })} MB`;
}
