import type { OAuthClientProvider, OAuthDiscoveryState, StoredOAuthTokens } from "@modelcontextprotocol/client";
import type { Clock } from "../util/deps.ts";
import { fromTokens } from "./bearer.ts";
import { boundedFetch } from "./bounded-fetch.ts";
import { callbackServer } from "./callback.ts";
import { addressOf } from "./connect.ts";
import { SignInError } from "./sign-in-error.ts";
import type { SignedIn } from "./signed-in.ts";
import { theirWords } from "./words.ts";

export interface SignInHow {
  url: string;
  headers: Readonly<Record<string, string>>;
  /** One that was registered by hand, where the service registers none by itself. */
  clientId?: string;
  /** Of the address on 127.0.0.1 that the browser comes back to; 0: any. */
  port: number;
  clock: Clock;
  randomState: () => string;
  /** Shows the person where to sign in. */
  show: (address: URL) => void;
}

const PATIENCE_MS = 5 * 60_000;

/**
 * Signs the person in at a server over HTTP, as the protocol says: the service is found by the server's word, this program registers there, the
 * person agrees in the browser (PKCE), which comes back to 127.0.0.1. Gives what is to be kept; undefined where the server wants no sign-in.
 * @throws SignInError.
 */
export async function signIn(how: SignInHow, signal: AbortSignal): Promise<SignedIn | undefined> {
  const sdk = await import("@modelcontextprotocol/client");
  const url = addressOf(how.url);
  const over = AbortSignal.any([signal, AbortSignal.timeout(PATIENCE_MS)]);
  const fetchFn: typeof fetch = (input, init) =>
    boundedFetch(() => undefined)(input, { ...init, signal: init?.signal ?? over });
  const challenge = await challengeOf(url, how.headers, fetchFn);
  if (challenge === undefined) return undefined;
  const { resourceMetadataUrl, scope } = sdk.extractWWWAuthenticateParams(challenge);
  const state = how.randomState();
  const back = await callbackServer(how.port, state, over);
  try {
    const memory: Memory = {};
    const provider = providerOf(memory, { ...how, redirectUrl: back.url, state });
    const where = {
      serverUrl: url,
      fetchFn,
      ...(resourceMetadataUrl === undefined ? {} : { resourceMetadataUrl }),
      ...(scope === undefined ? {} : { scope }),
    };
    await sdk.auth(provider, where);
    const { code, iss } = await back.answer;
    await sdk.auth(provider, { ...where, authorizationCode: code, ...(iss === undefined ? {} : { iss }) });
    return signedIn(memory, how.clock.now(), resourceMetadataUrl);
  } catch (error) {
    if (error instanceof SignInError) throw error;
    if (over.aborted) throw new SignInError(signal.aborted ? "it was stopped" : "nobody came back from the browser");
    const words = error instanceof Error ? error.message : String(error);
    const hint = /registration/i.test(words)
      ? ". Where it registers no programs by itself, register one and give --client-id"
      : "";
    throw new SignInError(`the sign-in failed: ${theirWords(words)}${hint}`);
  } finally {
    back.close();
  }
}

/** What a server answers to who is not signed in; undefined where it lets them in. */
async function challengeOf(
  url: URL,
  headers: Readonly<Record<string, string>>,
  fetchFn: typeof fetch,
): Promise<Response | undefined> {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" });
  const accept = "application/json, text/event-stream";
  try {
    const answer = await fetchFn(url, {
      method: "POST",
      headers: { ...headers, "content-type": "application/json", accept },
      body,
      redirect: "error",
    });
    await answer.body?.cancel();
    return answer.status === 401 || answer.status === 403 ? answer : undefined;
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    throw new SignInError(`it can't be reached: ${theirWords(cause instanceof Error ? cause.message : String(cause))}`);
  }
}

/** Of one sign-in; what it comes to is kept at its end alone. */
interface Memory {
  client?: { client_id: string; client_secret?: string | undefined };
  tokens?: StoredOAuthTokens;
  verifier?: string;
  found?: OAuthDiscoveryState;
  resource?: string;
}

function providerOf(
  memory: Memory,
  { clientId, redirectUrl, state, show }: SignInHow & { redirectUrl: string; state: string },
): OAuthClientProvider {
  return {
    redirectUrl,
    clientMetadata: {
      client_name: "Understudy",
      redirect_uris: [redirectUrl],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      token_endpoint_auth_method: "none",
    },
    state: () => state,
    clientInformation: () => memory.client ?? (clientId === undefined ? undefined : { client_id: clientId }),
    saveClientInformation: (client) => void (memory.client = client),
    tokens: () => memory.tokens,
    saveTokens: (tokens) => void (memory.tokens = tokens),
    saveCodeVerifier: (verifier) => void (memory.verifier = verifier),
    codeVerifier: () => memory.verifier ?? "",
    saveDiscoveryState: (found) => void (memory.found = found),
    discoveryState: () => memory.found,
    saveResourceUrl: (resource) => void (memory.resource = resource),
    redirectToAuthorization: (address) => {
      if (address.protocol !== "https:" && !isLoopback(address))
        throw new SignInError(`its sign-in page ${theirWords(address.href, 200)} is no https address`);
      show(address);
    },
  };
}

function isLoopback({ protocol, hostname }: URL): boolean {
  return protocol === "http:" && (hostname === "127.0.0.1" || hostname === "localhost" || hostname === "[::1]");
}

function signedIn({ client, tokens, found, resource }: Memory, now: number, metadataUrl: URL | undefined): SignedIn {
  if (tokens === undefined || client === undefined) throw new SignInError("the service gave no token");
  return {
    issuer: tokens.issuer ?? found?.authorizationServerMetadata?.issuer ?? found?.authorizationServerUrl ?? "",
    clientId: client.client_id,
    ...(client.client_secret === undefined ? {} : { clientSecret: client.client_secret }),
    ...fromTokens(tokens, now),
    ...(resource === undefined ? {} : { resource }),
    ...(metadataUrl === undefined ? {} : { metadataUrl: metadataUrl.href }),
  };
}
