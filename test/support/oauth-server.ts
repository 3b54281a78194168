import { createHash, randomUUID } from "node:crypto";
import type { ServerResponse } from "node:http";
import { McpServer, WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/server";
import { z } from "zod";
import { type Heard, listen } from "./local-http.ts";

/** A tool server behind a sign-in, with the service that signs in, both on one address: registration, PKCE and refreshes that rotate. */
export interface OauthServer {
  url: string;
  /** What it was asked for, by path, in order. */
  asked: string[];
  /** Tokens that it takes now. */
  live: Set<string>;
  /** No refresh counts any more. */
  revoke(): void;
  /** Who plays the browser: the address that the sign-in page sends back to. */
  browse(address: URL): Promise<string>;
}

interface Code {
  challenge: string;
  redirect: string;
  client: string;
}

/** @param registers it registers programs that ask for it. */
export async function oauthServer({ registers = true } = {}): Promise<OauthServer> {
  const asked: string[] = [];
  const live = new Set<string>();
  const refreshes = new Set<string>();
  const codes = new Map<string, Code>();
  const clients = new Map<string, readonly string[]>([["by-hand", []]]);
  const json = (response: ServerResponse, status: number, body: object) =>
    void response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  const tokens = () => {
    const [access, refresh] = [`tok-${randomUUID()}`, `ref-${randomUUID()}`];
    live.add(access);
    refreshes.add(refresh);
    return { access_token: access, token_type: "Bearer", refresh_token: refresh, expires_in: 3600 };
  };
  const tokenAnswer = (form: URLSearchParams): object | undefined => {
    if (form.get("grant_type") === "refresh_token")
      return refreshes.delete(form.get("refresh_token") ?? "") ? tokens() : undefined;
    const code = codes.get(form.get("code") ?? "");
    codes.delete(form.get("code") ?? "");
    const proof = createHash("sha256")
      .update(form.get("code_verifier") ?? "")
      .digest("base64url");
    const right =
      code?.challenge === proof && code.redirect === form.get("redirect_uri") && code.client === form.get("client_id");
    return right ? tokens() : undefined;
  };
  let base = "";
  const answer = async (heard: Heard, response: ServerResponse): Promise<void> => {
    const { pathname, searchParams } = new URL(heard.path, base);
    asked.push(pathname);
    switch (pathname) {
      case "/.well-known/oauth-protected-resource/mcp":
        return json(response, 200, { resource: `${base}/mcp`, authorization_servers: [base] });
      case "/.well-known/oauth-authorization-server":
        return json(response, 200, {
          issuer: base,
          authorization_endpoint: `${base}/authorize`,
          token_endpoint: `${base}/token`,
          response_types_supported: ["code"],
          code_challenge_methods_supported: ["S256"],
          token_endpoint_auth_methods_supported: ["none"],
          ...(registers ? { registration_endpoint: `${base}/register` } : {}),
        });
      case "/register": {
        const wanted = z.looseObject({ redirect_uris: z.array(z.string()) }).parse(JSON.parse(heard.raw));
        const id = `client-${randomUUID()}`;
        clients.set(id, wanted.redirect_uris);
        return json(response, 201, { ...wanted, client_id: id });
      }
      case "/authorize": {
        const of = (name: string) => searchParams.get(name) ?? "";
        const known = clients.get(of("client_id"));
        const fits = known !== undefined && (known.length === 0 || known.includes(of("redirect_uri")));
        if (!fits || of("code_challenge_method") !== "S256") return json(response, 400, { error: "invalid_request" });
        const code = randomUUID();
        codes.set(code, { challenge: of("code_challenge"), redirect: of("redirect_uri"), client: of("client_id") });
        const back = new URL(of("redirect_uri"));
        back.search = new URLSearchParams({ code, state: of("state") }).toString();
        return void response.writeHead(302, { location: back.href }).end();
      }
      case "/token": {
        const given = tokenAnswer(new URLSearchParams(heard.raw));
        return given === undefined ? json(response, 400, { error: "invalid_grant" }) : json(response, 200, given);
      }
      case "/mcp":
        return await mcp(heard, response);
      default:
        return json(response, 404, {});
    }
  };
  const mcp = async ({ method, headers, raw }: Heard, response: ServerResponse): Promise<void> => {
    if (!live.has((headers.authorization ?? "").replace(/^Bearer /, ""))) {
      const challenge = `Bearer resource_metadata="${base}/.well-known/oauth-protected-resource/mcp"`;
      return void response.writeHead(401, { "www-authenticate": challenge }).end();
    }
    const server = new McpServer({ name: "o", version: "1" });
    server.registerTool("whoami", { description: "Says who asks.", inputSchema: z.object({}) }, () => ({
      content: [{ type: "text" as const, text: `you are ${headers.authorization ?? ""}` }],
    }));
    const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
    await server.connect(transport);
    const said = Object.entries(headers).map(([k, v]): [string, string] => [k, String(v)]);
    const asks = new Request(`${base}/mcp`, { method, headers: said, ...(raw === "" ? {} : { body: raw }) });
    const answered = await transport.handleRequest(asks);
    response.writeHead(answered.status, Object.fromEntries(answered.headers));
    response.end(Buffer.from(await answered.arrayBuffer()));
  };
  base = await listen(answer);
  return {
    url: `${base}/mcp`,
    asked,
    live,
    revoke: () => refreshes.clear(),
    browse: async (address) => {
      const page = await fetch(address, { redirect: "manual" });
      return page.headers.get("location") ?? `status ${page.status}`;
    },
  };
}
