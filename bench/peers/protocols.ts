import { chat } from "./protocol-chat.ts";
import { google } from "./protocol-google.ts";
import { messages } from "./protocol-messages.ts";
import type { Protocol } from "./protocol.ts";
import { responses } from "./protocol-responses.ts";

export const PROTOCOLS: readonly Protocol[] = [messages, chat, responses, google];
