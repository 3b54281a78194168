/** What stdout holds: the answer's text, one JSON object, or a line of JSON for each fact and the result at last. */
export const FORMATS = ["text", "json", "stream-json"] as const;
export type Format = (typeof FORMATS)[number];
/** What stdin holds: text behind the prompt, or a line of JSON for each message and answer. */
export const INPUT_FORMATS = ["text", "stream-json"] as const;
export type InputFormat = (typeof INPUT_FORMATS)[number];
