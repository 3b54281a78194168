import { z } from "zod";

/** What a server's own sign-in gave: kept as a text in the place of keys, bound to the server's address. */
export const SignedIn = z.object({
  issuer: z.string(),
  clientId: z.string(),
  clientSecret: z.string().optional(),
  accessToken: z.string(),
  refreshToken: z.string().optional(),
  scope: z.string().optional(),
  /** As the server's metadata name it, for a refresh. */
  resource: z.string().optional(),
  metadataUrl: z.string().optional(),
  /** Milliseconds of the clock; none where the server does not say. */
  expiresAt: z.number().optional(),
});
export type SignedIn = z.infer<typeof SignedIn>;

/** Where they are kept; by the address that a request goes to. */
export interface SignIns {
  /** undefined: none is kept, or it can't be read. */
  read(url: string): SignedIn | undefined;
  /** @throws KeyError. */
  keep(url: string, signed: SignedIn): Promise<string>;
  /** False where there was none. @throws KeyError. */
  forget(url: string): Promise<boolean>;
  /** Whether the server wanted a sign-in the last time that it was reached. */
  wanted(url: string): boolean;
  setWanted(url: string, wanted: boolean): void;
}

/** Whoever signs in has to do it again: nothing is kept, or what is kept counts no longer. */
export class NeedsAuth extends Error {
  override name = "NeedsAuth";
}

/** @param why what came of what was kept, where there was something. */
export function needsAuth(server: string, why?: string): NeedsAuth {
  return new NeedsAuth(`needs auth${why === undefined ? "" : ` (${why})`}: agent mcp auth ${server} signs you in`);
}

/** Whether what is kept is of no use any more, as far as can be seen from here. */
export function isOver({ refreshToken, expiresAt }: SignedIn, now: number): boolean {
  return refreshToken === undefined && expiresAt !== undefined && expiresAt <= now;
}
