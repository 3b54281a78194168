import { createServer } from "node:http";
import { onTestFinished } from "vitest";
import { z } from "zod";

// The JSON form of ExportTraceServiceRequest, as the protocol documents it: hex ids, 64-bit numbers as texts, nothing else beside.
const Value = z.union([
  z.strictObject({ stringValue: z.string() }),
  z.strictObject({ intValue: z.string().regex(/^-?\d+$/) }),
  z.strictObject({ doubleValue: z.number() }),
  z.strictObject({ boolValue: z.boolean() }),
  z.strictObject({ arrayValue: z.strictObject({ values: z.array(z.strictObject({ stringValue: z.string() })) }) }),
]);
const Attributes = z.array(z.strictObject({ key: z.string().min(1), value: Value }));
const Span = z.strictObject({
  traceId: z.string().regex(/^(?!0{32})[0-9a-f]{32}$/),
  spanId: z.string().regex(/^(?!0{16})[0-9a-f]{16}$/),
  parentSpanId: z
    .string()
    .regex(/^[0-9a-f]{16}$/)
    .optional(),
  name: z.string().min(1),
  kind: z.int().min(1).max(5),
  startTimeUnixNano: z.string().regex(/^\d{19}$/),
  endTimeUnixNano: z.string().regex(/^\d{19}$/),
  attributes: Attributes,
  status: z.strictObject({ code: z.int().min(0).max(2), message: z.string().optional() }),
});
export const OtlpRequest = z.strictObject({
  resourceSpans: z.array(
    z.strictObject({
      resource: z.strictObject({ attributes: Attributes }),
      scopeSpans: z.array(
        z.strictObject({ scope: z.strictObject({ name: z.string(), version: z.string() }), spans: z.array(Span) }),
      ),
    }),
  ),
});
export type OtlpSpan = z.infer<typeof Span>;

/** All spans of a request; throws where it is not as the protocol has it. */
export function spansIn(body: unknown): OtlpSpan[] {
  return OtlpRequest.parse(body).resourceSpans.flatMap((r) => r.scopeSpans.flatMap((s) => s.spans));
}

/** An attribute's plain value. */
export function attribute(span: OtlpSpan | undefined, key: string): unknown {
  const value = span?.attributes.find((a) => a.key === key)?.value;
  if (value === undefined) return undefined;
  if ("arrayValue" in value) return value.arrayValue.values.map((v) => v.stringValue);
  return "intValue" in value ? Number(value.intValue) : Object.values(value)[0];
}

export interface Collector {
  url: string;
  requests: { path: string; headers: Record<string, string | string[] | undefined>; body: unknown }[];
}

/** A collector on this machine that answers so, and keeps what it was sent. */
export async function startCollector(answer: { status: number; body: string }): Promise<Collector> {
  const requests: Collector["requests"] = [];
  const server = createServer((request, response) => {
    let text = "";
    request.setEncoding("utf8").on("data", (s: string) => (text += s));
    request.on("end", () => {
      requests.push({ path: `${request.method} ${request.url}`, headers: request.headers, body: JSON.parse(text) });
      response.writeHead(answer.status, { "content-type": "application/json" }).end(answer.body);
    });
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  onTestFinished(() => void server.close());
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  return { url: `http://127.0.0.1:${address.port}`, requests };
}
