/** Bytes of one message, as over standard input and output. */
export const MOST_BYTES = 16 << 20;

/**
 * `fetch` that ends an answer with a message of more than `MOST_BYTES`: the protocol's client reads a message whole before it looks at it.
 * An event stream may be longer, each event of it not.
 * @param over told once it happens; the connection is of no use then.
 */
export function boundedFetch(over: () => void): typeof fetch {
  return async (input, init) => {
    const answer = await fetch(input, init);
    if (answer.body === null) return answer;
    const events = answer.headers.get("content-type")?.startsWith("text/event-stream") === true;
    const { status, statusText, headers } = answer;
    const counted = answer.body.pipeThrough(counter(events ? sinceEvent() : (part) => part.length, over));
    return new Response(counted, { status, statusText, headers });
  };
}

/** @param added what a piece adds to the message that is open; negative where that is another one now. */
function counter(
  added: (part: Uint8Array, open: number) => number,
  over: () => void,
): TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>> {
  let open = 0;
  return new TransformStream({
    transform(part, controller) {
      open += added(part, open);
      if (open <= MOST_BYTES) return controller.enqueue(part);
      over();
      controller.error(new Error(TOO_LARGE));
    },
  });
}

export const TOO_LARGE = `it sent a message of more than ${MOST_BYTES >> 20} MB`;

const LF = 10;
const CR = 13;

/** Counts from the last empty line on: there an event ends. */
function sinceEvent(): (part: Uint8Array, open: number) => number {
  let blank = true;
  return (part, open) => {
    let since = open;
    for (const byte of part) {
      since++;
      if (byte === LF || byte === CR) {
        if (blank) since = 0;
        blank = byte === LF || blank;
      } else blank = false;
    }
    return since - open;
  };
}
