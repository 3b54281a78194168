import type { LogEvent } from "../events/event.ts";
import { otlpBody } from "../session/otlp.ts";
import { type Span, spansOf } from "../session/spans.ts";
import { jsonLine } from "../util/json-line.ts";
import { sanitize } from "../util/visible.ts";
import { UsageError } from "./usage-error.ts";

/** A collector refuses bodies of more than some megabytes. */
const BATCH = 500;
const PATIENCE_MS = 30_000;

export interface OtlpWanted {
  /** Address of a collector, or "-" for stdout. */
  to: string;
  /** With what was said, called and answered. */
  content: boolean;
}

/** `agent trace ID --otlp`: the session as OpenTelemetry spans, sent once. 1 when the collector doesn't take them. */
export async function exportSpans(
  events: readonly LogEvent[],
  { to, content }: OtlpWanted,
  version: string,
): Promise<number> {
  const spans = spansOf(events, { content });
  if (to === "-") {
    process.stdout.write(`${jsonLine(otlpBody(spans, version))}\n`);
    return 0;
  }
  const url = addressOf(to);
  const headers = { "content-type": "application/json", ...headersOf(process.env["OTEL_EXPORTER_OTLP_HEADERS"]) };
  for (let at = 0; at < spans.length; at += BATCH) {
    const problem = await send(url, headers, spans.slice(at, at + BATCH), version);
    if (problem === undefined) continue;
    process.stderr.write(`agent: ${sanitize(`${url.origin} did not take the spans: ${problem}`)}\n`);
    return 1;
  }
  process.stderr.write(`agent: ${spans.length} spans sent to ${sanitize(url.href)}\n`);
  return 0;
}

async function send(
  url: URL,
  headers: HeadersInit,
  spans: readonly Span[],
  version: string,
): Promise<string | undefined> {
  try {
    const body = JSON.stringify(otlpBody(spans, version));
    const signal = AbortSignal.timeout(PATIENCE_MS);
    // A redirect could lead what was said anywhere.
    const response = await fetch(url, { method: "POST", headers, body, signal, redirect: "error" });
    const text = await response.text();
    if (!response.ok) return `${response.status} ${text.slice(0, 200)}`;
    return rejected(text);
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? `: ${error.cause.message}` : "";
    return `${error instanceof Error ? error.message : String(error)}${cause}`;
  }
}

/** What a collector says that took only a part. */
function rejected(text: string): string | undefined {
  const found = /"rejectedSpans"\s*:\s*"?([1-9]\d*)/.exec(text);
  return found === null ? undefined : `${found[1]} of them were refused: ${text.slice(0, 200)}`;
}

/** The path of the protocol is added where none is named. */
function addressOf(to: string): URL {
  if (!URL.canParse(to) || !/^https?:\/\//.test(to))
    throw new UsageError(
      `--otlp ${to}: it must be the address of a collector, such as http://127.0.0.1:4318, or - for stdout`,
    );
  const url = new URL(to);
  if (url.pathname === "/") url.pathname = "/v1/traces";
  return url;
}

/** `name=value,name=value`, values percent-encoded, as the standard's variable has them. */
function headersOf(given: string | undefined): Record<string, string> {
  const pairs = (given ?? "").split(",").flatMap((pair) => {
    const at = pair.indexOf("=");
    return at < 1 ? [] : [[pair.slice(0, at).trim(), decoded(pair.slice(at + 1).trim())] as const];
  });
  return Object.fromEntries(pairs);
}

/** A value that is not percent-encoded as it should be goes as it stands. */
function decoded(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}
