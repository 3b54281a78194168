import { createHash, createHmac } from "node:crypto";
import { crc32 } from "node:zlib";
import { requestBreaches } from "./api-check.ts";
import { eventsOf, type ApiTurn } from "./api-sse.ts";
import { listen, type Heard } from "./local-http.ts";

export interface AwsAnswer {
  turn?: ApiTurn;
  status?: { status: number; body: string };
  /** So many frames, then this exception, or nothing more. */
  exception?: { after: number; type: string; message: string };
  stall?: number;
}
export const AWS = { id: "AKIDTEST", secret: "secret/test+key", region: "eu-central-1" };

/** Bedrock's runtime on this machine: checks the signature as AWS does, or the token; streams in its binary frames. */
export async function startAws(
  script: (n: number) => AwsAnswer,
): Promise<{ url: string; breaches: string[]; heard: Heard[] }> {
  const breaches: string[] = [];
  const heard: Heard[] = [];
  const url = await listen((request, response) => {
    heard.push(request);
    const named = /^\/model\/([^/]+)\/invoke-with-response-stream$/.exec(request.path)?.[1];
    const body = JSON.parse(request.raw) as Record<string, unknown>;
    const found = [
      ...(named === undefined ? [`path ${request.path}`] : []),
      ...("model" in body || "stream" in body ? ["model or stream in the body"] : []),
      ...(typeof body["anthropic_version"] === "string" ? [] : ["anthropic_version: none"]),
      ...(request.headers["anthropic-version"] === undefined ? [] : ["anthropic-version in the head"]),
    ];
    const { anthropic_version: _, ...rest } = body;
    found.push(...requestBreaches({ ...rest, model: decodeURIComponent(named ?? ""), stream: true }));
    breaches.push(...found);
    if (!isSigned(request)) return void response.writeHead(403).end('{"message":"The signature does not match"}');
    if (found.length > 0) return void response.writeHead(400).end(JSON.stringify({ message: found.join("; ") }));
    const { turn = {}, status, exception, stall } = script(heard.length);
    if (status !== undefined) return void response.writeHead(status.status).end(status.body);
    response.writeHead(200, { "content-type": "application/vnd.amazon.eventstream" });
    const events = eventsOf(turn, named ?? "", heard.length).filter((e) => e.event !== "ping");
    for (const { data } of events.slice(0, exception?.after ?? stall)) {
      const bytes = Buffer.from(JSON.stringify(data)).toString("base64");
      response.write(frame({ ":message-type": "event", ":event-type": "chunk" }, JSON.stringify({ bytes, p: "ab" })));
    }
    if (stall !== undefined) return;
    if (exception !== undefined) {
      const headers = { ":message-type": "exception", ":exception-type": exception.type };
      response.write(frame(headers, JSON.stringify({ message: exception.message })));
    }
    response.end();
  });
  return { url, breaches, heard };
}

/** One message of `application/vnd.amazon.eventstream`. */
function frame(headers: Record<string, string>, payload: string): Buffer {
  const head = Buffer.concat(
    Object.entries({ ...headers, ":content-type": "application/json" }).map(([name, value]) => {
      const length = Buffer.alloc(2);
      length.writeUInt16BE(Buffer.byteLength(value));
      return Buffer.concat([
        Buffer.from([name.length]),
        Buffer.from(name),
        Buffer.from([7]),
        length,
        Buffer.from(value),
      ]);
    }),
  );
  const body = Buffer.from(payload);
  const prelude = Buffer.alloc(8);
  prelude.writeUInt32BE(16 + head.length + body.length, 0);
  prelude.writeUInt32BE(head.length, 4);
  const begun = Buffer.concat([prelude, sum(prelude), head, body]);
  return Buffer.concat([begun, sum(begun)]);
}

function sum(bytes: Buffer): Buffer {
  const out = Buffer.alloc(4);
  out.writeUInt32BE(crc32(bytes));
  return out;
}

/** Signature version 4, reckoned anew from what came. */
function isSigned({ method, path, headers, raw }: Heard): boolean {
  if (headers.authorization === "Bearer bedrock-token") return true;
  const parts =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/bedrock\/aws4_request, SignedHeaders=([^,]+), Signature=([0-9a-f]{64})$/.exec(
      headers.authorization ?? "",
    );
  if (parts === null) return false;
  const [, id, day = "", region = "", signed = "", signature] = parts;
  if (id !== AWS.id || region !== AWS.region) return false;
  const hash = (text: string) => createHash("sha256").update(text).digest("hex");
  const hmac = (key: string | Buffer, text: string) => createHmac("sha256", key).update(text).digest();
  const names = signed.split(";");
  const canonical = [
    method,
    path.split("/").map(encodeURIComponent).join("/"),
    "",
    ...names.map((name) => `${name}:${String(headers[name]).trim().replace(/\s+/g, " ")}`),
    "",
    signed,
    hash(raw),
  ].join("\n");
  const scope = `${day}/${region}/bedrock/aws4_request`;
  const text = ["AWS4-HMAC-SHA256", headers["x-amz-date"], scope, hash(canonical)].join("\n");
  const key = ["bedrock", "aws4_request"].reduce(hmac, hmac(hmac(`AWS4${AWS.secret}`, day), region));
  return hmac(key, text).toString("hex") === signature;
}
