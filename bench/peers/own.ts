import { join, resolve } from "node:path";
import type { Program } from "./program.ts";

/** The built program, as a person starts it. */
const AGENT = resolve(import.meta.dirname, "../../bin/agent.js");
const ANTHROPIC = { ANTHROPIC_API_KEY: "bench-key-of-no-worth", ANTHROPIC_BASE_URL: "@url@" };
const FLOOR = join(import.meta.dirname, "floor.mjs");
const none = (): Record<string, string> => ({});

export const OURS: Program = {
  name: "understudy",
  command: ["node", AGENT],
  env: ANTHROPIC,
  files: none,
  print: (prompt) => ["-p", prompt],
  screen: [],
  tool: "Read",
  template: '{"file_path":"@path@"}',
};

/** The least that any program on Node needs for the same, over HTTP alone and with the SDK. */
export const FLOORS: readonly Program[] = (["http", "sdk"] as const).map((how) => ({
  name: how === "http" ? "floor" : "floor, SDK",
  command: ["node", FLOOR, how],
  env: ANTHROPIC,
  files: none,
  print: (prompt: string) => ["print", prompt],
  screen: ["screen"],
  tool: "read",
  template: '{"path":"@path@"}',
  version: ["version"],
  help: ["help"],
}));
