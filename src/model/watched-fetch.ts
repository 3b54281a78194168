/** What a request's connection tells while it goes on. */
export interface Hearing {
  /** A piece has arrived. */
  alive: (piece?: Uint8Array) => void;
  /** The head of the answer has arrived, whatever its status. */
  head: (headers: Headers) => void;
}

/**
 * Tells of every piece that arrives: the SDKs keep pings to themselves. A redirect is not followed: it would turn the request into another
 * one, and take the key elsewhere.
 */
export async function watchedFetch(
  url: string | URL | Request,
  init: RequestInit | undefined,
  { alive, head }: Hearing,
): Promise<Response> {
  const response = await fetch(url, { ...init, redirect: "manual" });
  alive();
  head(response.headers);
  if (response.body === null) return response;
  const watched = new TransformStream<Uint8Array, Uint8Array>({
    transform(piece, out) {
      alive(piece);
      out.enqueue(piece);
    },
  });
  return new Response(response.body.pipeThrough(watched), response);
}
