import { AnswerError } from "./answer-error.ts";
import { CutError } from "./stream-error.ts";

const MOST = 2000;

/** How an answer begins: enough to say what came where no reply did. */
export class AnswerHead {
  headers: Headers | undefined;
  #text = "";
  readonly #decoder = new TextDecoder();

  /** Takes pieces of the body until there are enough. */
  begins(piece: Uint8Array | undefined): void {
    if (piece === undefined || this.#text.length >= MOST) return;
    this.#text += this.#decoder.decode(piece.subarray(0, MOST), { stream: true });
  }

  /** What is wrong with a whole answer without one event of a reply; undefined where it only ended too early. */
  notAStream(): Error | undefined {
    const text = this.#text.trimStart();
    const type = this.headers?.get("content-type")?.split(";")[0]?.trim() ?? "";
    if (isPage(type, text)) return new AnswerError(pageWords(text), { type: "not_a_reply" });
    if (text.startsWith("{") || text.startsWith("[")) return ofJson(text);
    if (text === "" || /^(event|data|id|retry)?:/m.test(text)) return undefined;
    return new CutError("What came is no reply that could be read.");
  }
}

/** A server may say what is wrong with a status of 200. */
function ofJson(text: string): Error {
  try {
    const { error } = Object(JSON.parse(text)) as { error?: unknown };
    const { type, message } = Object(error) as { type?: unknown; message?: unknown };
    if (typeof message === "string")
      return new AnswerError(JSON.stringify(message), { type: typeof type === "string" ? type : "not_a_reply" });
  } catch {
    // Longer than what was kept, or no JSON.
  }
  return new AnswerError("JSON in one piece", { type: "not_a_reply" });
}

/** True for a web page. */
export function isPage(contentType: string, text: string): boolean {
  return contentType === "text/html" || /^\s*<(!doctype|html|head|body)/i.test(text);
}

/** A web page in words: its title is all that a person wants of it. */
export function pageWords(text: string): string {
  const title = /<title[^>]*>([^<]*)/i.exec(text)?.[1]?.replace(/\s+/g, " ").trim() ?? "";
  return title === "" ? "a web page" : `a web page, ${JSON.stringify(title)}`;
}
