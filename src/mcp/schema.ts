import { z } from "zod";

const words = z.string().max(8000);
const seconds = z.number().positive().max(86_400);
const Common = {
  enabled: z.boolean().optional().describe("false: known, and not started"),
  startSeconds: seconds.optional().describe("How long it may take to start; default 30"),
  callSeconds: seconds.optional().describe("How long a call may take without a sign of progress; default 300"),
};

/** A program that speaks the protocol on its standard input and output. */
const Stdio = z.strictObject({
  type: z.literal("stdio").optional(),
  command: words.min(1).describe("A program; found in PATH, or by its path"),
  args: z.array(words).max(200).optional(),
  env: z
    .record(z.string(), words)
    .optional()
    .describe("Added to its environment; ${NAME} stands for a variable of yours"),
  cwd: words.optional().describe("Where it runs; default: your home, for what a folder brings the folder"),
  ...Common,
});

/** A server elsewhere that speaks the protocol over HTTP. */
const Http = z.strictObject({
  type: z.enum(["http", "streamable-http", "streamableHttp"]).optional(),
  url: words.min(1),
  headers: z
    .record(z.string(), words)
    .optional()
    .describe("Sent with each request; ${NAME} stands for a variable of yours"),
  ...Common,
});

/** How a server stands in a settings file, and in the `.mcp.json` of other programs. */
export const ServerSetting = z.union([Stdio, Http]);
export type ServerSetting = z.infer<typeof ServerSetting>;

/** A name that needs no change in `mcp__server__tool`. */
export const ServerName = z
  .string()
  .regex(
    /^(?!.*__)[A-Za-z0-9](?:[\w-]{0,30}[A-Za-z0-9])?$/,
    "a server's name has 1 to 32 letters, digits, - and single _",
  );

export const ServersSetting = z.record(ServerName, ServerSetting);
export type ServersSetting = z.infer<typeof ServersSetting>;
