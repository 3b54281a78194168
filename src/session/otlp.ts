import type { Span, SpanValue } from "./spans.ts";

/** `SpanKind` of the protocol. */
const KINDS = { internal: 1, client: 3 } as const;
/** `StatusCode` of the protocol. */
const [OK, ERROR] = [1, 2];

/** Spans as the body of an OTLP/HTTP request in JSON (`ExportTraceServiceRequest`). `version`: of this program. */
export function otlpBody(spans: readonly Span[], version: string): object {
  return {
    resourceSpans: [
      {
        resource: { attributes: attributes({ "service.name": "understudy", "service.version": version }) },
        scopeSpans: [{ scope: { name: "understudy", version }, spans: spans.map(spanJson) }],
      },
    ],
  };
}

function spanJson({ traceId, spanId, parentSpanId, name, kind, start, end, attributes: told, error }: Span): object {
  const all = error === undefined ? told : { ...told, "error.type": error };
  return {
    traceId,
    spanId,
    ...(parentSpanId === undefined ? {} : { parentSpanId }),
    name,
    kind: KINDS[kind],
    startTimeUnixNano: nano(start),
    endTimeUnixNano: nano(Math.max(start, end)),
    attributes: attributes(all),
    status: error === undefined ? { code: OK } : { code: ERROR, message: error },
  };
}

/** 64-bit numbers are texts in the protocol's JSON. */
function nano(ms: number): string {
  return `${BigInt(Math.round(ms)) * 1_000_000n}`;
}

function attributes(all: Readonly<Record<string, SpanValue>>): object[] {
  return Object.entries(all).map(([key, value]) => ({ key, value: valueJson(value) }));
}

function valueJson(value: SpanValue): object {
  if (typeof value === "string") return { stringValue: value.toWellFormed() };
  if (typeof value === "boolean") return { boolValue: value };
  if (typeof value === "number") return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value };
  return { arrayValue: { values: value.map(valueJson) } };
}
