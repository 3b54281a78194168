import { z } from "zod";
import { text } from "../events/block.ts";
import { type Got, type PageAddress, pageAddress } from "../sandbox/net-get.ts";
import { inspectPdf } from "../util/pdf.ts";
import { fitPicture } from "../util/fit-picture.ts";
import { pictureType, type PictureType } from "../util/picture.ts";
import { asData } from "./as-data.ts";
import { decodeText, detectEncoding } from "./encoding.ts";
import { brought, done, failed, quiet, stopped } from "./outcome.ts";
import { pictureBlocks } from "./read-image.ts";
import { defineTool, type Outcome, type ToolContext } from "./tool.ts";
import { readApart } from "./web-reader.ts";

const Input = z.strictObject({
  url: z.string().describe("With https://"),
  raw: z.boolean().optional().describe("HTML as it came"),
});
type Input = z.infer<typeof Input>;

/** Redirects within the host that was allowed. */
const MAX_HOPS = 8;
/** Of a PDF, as the API takes it. */
const MOST_PAGES = 100;

/** Gets one public web page, asked per host (P3): no cookies, no scripts, nothing but the one address. */
export const webFetchTool = defineTool<Input>({
  name: "WebFetch",
  description: `Gets a public web page, without the person's logins. Use it for documentation that the work needs. HTML comes as readable Markdown with its links; text, JSON, pictures and PDF as they are. Each host is asked about; redirects to another host are told, not followed. To download into the folder use Bash with network.
Example: {"url":"https://docs.example.com/guide/install"}`,
  input: Input,
  subject: ({ url }) => url,
  needs: ({ url }) => {
    const address = pageAddress(url);
    // What is wrong with it, the call tells; nothing is sent then.
    if (typeof address === "string") return Promise.resolve([]);
    return Promise.resolve([{ kind: "network", host: address.host, port: address.port, get: address.scheme }]);
  },
  parallel: () => true,
  run: (input, ctx) => quiet(() => fetchPage(input, ctx)),
});

async function fetchPage({ url, raw = false }: Input, ctx: ToolContext): Promise<Outcome> {
  const first = pageAddress(url);
  if (typeof first === "string") return failed(`url: ${first}.`);
  if (ctx.getPage === undefined) return failed("There is no web here.");
  const sent = { up: 0, down: 0 };
  const effects = (): Pick<Outcome, "sideEffects"> => ({
    sideEffects: [{ kind: "network", host: first.host, port: first.port, ...sent }],
  });
  let at = first;
  for (let hop = 0; hop <= MAX_HOPS; hop++) {
    const got: Got | Outcome = await ctx.getPage(at, ctx.signal).catch(stoppedOr(ctx));
    if ("content" in got) return { ...got, ...effects() };
    sent.up += got.up;
    sent.down += got.down;
    if ("failed" in got) return { ...failed(`${got.failed}.`), ...(got.up === 0 ? {} : effects()) };
    if (got.to === undefined)
      return { ...(await answer(got, at, raw, ctx.signal).catch(stoppedOr(ctx))), ...effects() };
    const next = URL.canParse(got.to, at.url) ? pageAddress(new URL(got.to, at.url).href) : `${got.to} is no address`;
    if (typeof next === "string")
      return { ...failed(`It leads on to an address that is not fetched: ${next}.`), ...effects() };
    if (!sameHost(next, first))
      return { ...done(asData(`It leads on to another host, which is not followed: ${next.url.href}`)), ...effects() };
    at = next;
  }
  return { ...failed(`It leads on from one address to the next more than ${MAX_HOPS} times.`), ...effects() };
}

/** What was allowed is this scheme, host and port. */
function sameHost(a: PageAddress, b: PageAddress): boolean {
  return a.scheme === b.scheme && a.host === b.host && a.port === b.port;
}

/** The person's stop is no mistake. */
const stoppedOr =
  ({ signal }: ToolContext) =>
  (error: unknown): Outcome => {
    if (signal.aborted) return stopped();
    throw error;
  };

type Answer = Exclude<Got, { failed: string }>;

async function answer(got: Answer, { url }: PageAddress, raw: boolean, signal: AbortSignal): Promise<Outcome> {
  const { status, body, headers, cut } = got;
  const [type = "", ...params] = (headers["content-type"] ?? "")
    .toLowerCase()
    .split(";")
    .map((part) => part.trim());
  const details = { url: url.href, status, type, bytes: body.length };
  const picture = pictureType(body);
  const isPdf = body.subarray(0, 5).toString("latin1") === "%PDF-";
  if (status < 400 && (picture !== undefined || isPdf))
    return cut
      ? tooLarge(type, details)
      : { ...(picture === undefined ? pdf(body) : await image(body, picture, signal)), details };
  const words = await decoded(body, params);
  if (words === undefined)
    return failed(
      `${url.href} is ${type === "" ? "no text" : type} of ${body.length.toLocaleString("en")} bytes${cut ? " or more" : ""}. Use Bash with network to download it.`,
      details,
    );
  const html =
    /^(text\/html|application\/xhtml\+xml)$/.test(type) || (type === "" && /^\s*<(!doctype html|html)/i.test(words));
  const page = html && !raw ? await readApart(words, url.href, signal) : undefined;
  const notes = [
    ...(page?.plain === true
      ? ["The page is too large or too deep for more than its bare text; raw shows its HTML."]
      : []),
    ...(page?.whole === true && page.plain !== true
      ? ["All text of the page, since no article stands out in it."]
      : []),
    ...(cut ? [`Only the first ${body.length.toLocaleString("en")} bytes.`] : []),
  ].map((note) => `[Note: ${note}]`);
  const shown =
    page === undefined ? words : [page.title === "" ? "" : `# ${page.title}`, page.markdown].join("\n\n").trim();
  const whole = [asData(shown.trim() === "" ? "(empty)" : shown), ...notes].join("\n");
  if (status >= 400) return failed(`The server answers ${status}.\n${asData(shown.slice(0, 2000))}`, details);
  return done(whole, { details });
}

function tooLarge(type: string, details: unknown): Outcome {
  return failed(`It is ${type} and too large to be shown. Use Bash with network to download and shrink it.`, details);
}

async function image(body: Buffer, type: PictureType, signal: AbortSignal): Promise<Outcome> {
  const fitted = await fitPicture(body, type, signal);
  return typeof fitted === "string" ? failed(`It ${fitted}.`) : brought(pictureBlocks(fitted));
}

function pdf(body: Buffer): Outcome {
  const { whole, encrypted, pages } = inspectPdf(body);
  if (!whole || encrypted || (pages ?? 0) > MOST_PAGES)
    return failed(
      `It is a PDF that is ${encrypted ? "encrypted" : whole ? `of ${pages} pages` : "cut off"}. Use Bash with network to download it, and pdftotext.`,
    );
  const source = { type: "base64" as const, media_type: "application/pdf", data: body.toString("base64") };
  return brought([{ type: "document", source }, text("[Note: That is all of the PDF.]")]);
}

/** The text in the encoding that the server names, else in the one it seems to have; undefined for what is no text. */
async function decoded(body: Buffer, params: readonly string[]): Promise<string | undefined> {
  const detected = await detectEncoding(body);
  if (detected === undefined) return undefined;
  const named = params
    .find((part) => part.startsWith("charset="))
    ?.slice(8)
    .replace(/["']/g, "");
  const meta = /<meta[^>]{0,200}charset=["']?([\w-]{2,40})/i.exec(body.subarray(0, 4096).toString("latin1"))?.[1];
  const { encodingExists } = (await import("iconv-lite")).default;
  const wanted = [named, meta].find((name) => name !== undefined && encodingExists(name));
  const name = wanted === undefined || detected.bom > 0 || detected.name === "utf-8" ? detected.name : wanted;
  return decodeText(body, { ...detected, name });
}
