/** Where in a request: which message, which block of it, which block inside of that (of a result). All from 0. */
export interface Place {
  message: number;
  block?: number;
  inner?: number;
}

/** What a refused request was refused for, as far as the service's words tell. */
export type Refusal =
  /** Thinking that it takes for changed, or misses. */
  | { about: "thinking" }
  /** Tokens (with the room for the reply) and how many there may be, where it says so. */
  | { about: "length"; tokens?: number; most?: number }
  /** A picture or document, without saying which one. */
  | { about: "media"; kind: "image" | "document" | "both" }
  | { about: "places"; places: readonly Place[] };

const PLACE = /messages[.[](\d+)\]?(?:\.content[.[](\d+)\]?(?:(?:\.tool_result)?\.content[.[](\d+)\]?)?)?/g;
const LENGTH =
  /(?:prompt|input) is too long|exceed(?:s|ed)? (?:the )?(?:context|maximum)|maximum context length|too large/i;

/**
 * Reads the message of a refusal (400, 413); undefined where it is about nothing that a conversation holds: the key, the model, a parameter.
 * @param words what the service said, with whatever stands around it
 */
export function refusalOf(words: string): Refusal | undefined {
  const places = [...words.matchAll(PLACE)].map(placeOf);
  if (/\bthinking`?(?: block|\.signature|`? or `?redacted_thinking)|redacted_thinking|cannot be `?thinking/.test(words))
    return { about: "thinking" };
  if (places.length > 0) return { about: "places", places };
  const length = lengthOf(words);
  if (length !== undefined) return length;
  if (/too much media|images? and documents/i.test(words)) return { about: "media", kind: "both" };
  if (/\bPDF\b|\bdocument\b/i.test(words)) return { about: "media", kind: "document" };
  if (/\bimages?\b/i.test(words)) return { about: "media", kind: "image" };
  return undefined;
}

function placeOf([, message, block, inner]: RegExpMatchArray): Place {
  return {
    message: Number(message),
    ...(block === undefined ? {} : { block: Number(block) }),
    ...(inner === undefined ? {} : { inner: Number(inner) }),
  };
}

function lengthOf(words: string): Refusal | undefined {
  const prompt = /(\d+) tokens > (\d+)/.exec(words);
  if (prompt !== null) return { about: "length", tokens: Number(prompt[1]), most: Number(prompt[2]) };
  const both = /exceed context limit: (\d+) \+ (\d+) > (\d+)/.exec(words);
  if (both !== null) return { about: "length", tokens: Number(both[1]) + Number(both[2]), most: Number(both[3]) };
  return LENGTH.test(words) ? { about: "length" } : undefined;
}

/** The service's own reason, without the path and what was said around it: one line, cut. */
export function reasonOf(words: string): string {
  const at = [...words.matchAll(/messages[.[][\w.[\]]*:? |messages: /g)].at(-1);
  const said = at === undefined ? words : words.slice(at.index + at[0].length);
  const line = said.replaceAll(/\s+/g, " ").trim().replace(/\.$/, "");
  return line.length > 160 ? `${line.slice(0, 159)}…` : line;
}
