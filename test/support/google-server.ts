import { requestBreaches } from "./api-check.ts";
import { bytesOf, eventsOf, type ApiTurn } from "./api-sse.ts";
import { listen, type Heard } from "./local-http.ts";

export interface GoogleAnswer {
  turn?: ApiTurn;
  status?: { status: number; body: string };
  stall?: number;
}
export const GOOGLE = { project: "my-project", region: "europe-west1", token: "google-token" };

/** Vertex AI's endpoint of the Messages API on this machine, and the token service beside it (`/token`). */
export async function startGoogle(
  script: (n: number) => GoogleAnswer,
): Promise<{ url: string; breaches: string[]; heard: Heard[] }> {
  const breaches: string[] = [];
  const heard: Heard[] = [];
  const url = await listen((request, response) => {
    if (request.path === "/token") {
      const answer = { access_token: GOOGLE.token, expires_in: 3600, token_type: "Bearer", issued_token_type: "x" };
      return void response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answer));
    }
    heard.push(request);
    const place = `/v1/projects/${GOOGLE.project}/locations/${GOOGLE.region}/publishers/anthropic/models/`;
    const named = request.path.startsWith(place)
      ? /^([^/:]+):streamRawPredict$/.exec(decodeURIComponent(request.path.slice(place.length)))?.[1]
      : undefined;
    const { anthropic_version, ...body } = JSON.parse(request.raw) as Record<string, unknown>;
    const found = [
      ...(named === undefined ? [`path ${request.path}`] : []),
      ...("model" in body ? ["model in the body"] : []),
      ...(typeof anthropic_version === "string" ? [] : ["anthropic_version: none"]),
      ...requestBreaches({ ...body, model: named ?? "" }),
    ];
    breaches.push(...found);
    if (request.headers.authorization !== `Bearer ${GOOGLE.token}`)
      return void response.writeHead(401).end('{"error":{"code":401,"message":"invalid credentials"}}');
    if (found.length > 0) return void response.writeHead(400).end(found.join("; "));
    const { turn = {}, status, stall } = script(heard.length);
    if (status !== undefined) return void response.writeHead(status.status).end(status.body);
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(bytesOf(eventsOf(turn, named ?? "", heard.length).slice(0, stall)));
    if (stall === undefined) response.end();
  });
  return { url, breaches, heard };
}
