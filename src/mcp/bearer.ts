import type { AuthProvider } from "@modelcontextprotocol/client";
import type { Clock } from "../util/deps.ts";
import { isOver, needsAuth, type SignedIn, type SignIns } from "./signed-in.ts";
import { theirWords } from "./words.ts";

type Sdk = typeof import("@modelcontextprotocol/client");

/**
 * Sends the token that is kept for a server's address, and has it made anew where the server no longer takes it. Never asks anybody: who has to
 * sign in is told by `NeedsAuth`.
 */
export function bearer(
  { name, url }: { name: string; url: string },
  { sdk, signIns, clock }: { sdk: Sdk; signIns: SignIns; clock: Clock },
): AuthProvider {
  let sent: string | undefined;
  let refreshing: Promise<void> | undefined;
  const refresh = async (fetchFn: typeof fetch): Promise<void> => {
    const kept = signIns.read(url);
    // Another session got a new one meanwhile.
    if (kept !== undefined && kept.accessToken !== sent && !isOver(kept, clock.now())) return;
    if (kept?.refreshToken === undefined) {
      signIns.setWanted(url, true);
      throw needsAuth(name, kept === undefined ? undefined : "the sign-in is over");
    }
    const again = await renewed(kept, url, { sdk, fetchFn, clock }).catch(async (error: unknown) => {
      // It can be used once: whoever was quicker has what counts now.
      const now = signIns.read(url);
      if (now !== undefined && now.accessToken !== kept.accessToken) return now;
      if (!(error instanceof sdk.OAuthError) && !(error instanceof OtherIssuer)) throw error;
      await signIns.forget(url).catch(() => undefined);
      signIns.setWanted(url, true);
      throw needsAuth(name, error instanceof OtherIssuer ? error.message : "the sign-in no longer counts");
    });
    if (again.accessToken !== kept.accessToken) await signIns.keep(url, again);
  };
  return {
    token: () => Promise.resolve((sent = signIns.read(url)?.accessToken)),
    onUnauthorized: ({ fetchFn }) =>
      (refreshing ??= refresh(fetchFn as typeof fetch).finally(() => (refreshing = undefined))),
  };
}

class OtherIssuer extends Error {}

async function renewed(
  kept: SignedIn,
  url: string,
  { sdk, fetchFn, clock }: { sdk: Sdk; fetchFn: typeof fetch; clock: Clock },
): Promise<SignedIn> {
  const { clientId, clientSecret, refreshToken = "", resource, metadataUrl } = kept;
  const found = await sdk.discoverOAuthServerInfo(url, {
    fetchFn,
    ...(metadataUrl === undefined ? {} : { resourceMetadataUrl: new URL(metadataUrl) }),
  });
  const { authorizationServerUrl: at, authorizationServerMetadata: metadata } = found;
  const issuer = metadata?.issuer ?? String(at);
  // A token of one service is never shown to another.
  if (issuer !== kept.issuer) throw new OtherIssuer(`its sign-in is now at ${theirWords(issuer, 100)}`);
  const tokens = await sdk.refreshAuthorization(at, {
    ...(metadata === undefined ? {} : { metadata }),
    clientInformation: { client_id: clientId, ...(clientSecret === undefined ? {} : { client_secret: clientSecret }) },
    refreshToken,
    ...(resource === undefined ? {} : { resource }),
    fetchFn,
  });
  return { ...kept, ...fromTokens(tokens, clock.now()) };
}

/** The parts of an answer of the token endpoint that are kept. */
export function fromTokens(
  tokens: {
    access_token: string;
    refresh_token?: string | undefined;
    scope?: string | undefined;
    expires_in?: number | undefined;
  },
  now: number,
): Pick<SignedIn, "accessToken" | "refreshToken" | "scope" | "expiresAt"> {
  return {
    accessToken: tokens.access_token,
    ...(tokens.refresh_token === undefined ? {} : { refreshToken: tokens.refresh_token }),
    ...(tokens.scope === undefined ? {} : { scope: tokens.scope }),
    ...(tokens.expires_in === undefined ? {} : { expiresAt: now + tokens.expires_in * 1000 }),
  };
}
