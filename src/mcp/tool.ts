import { z } from "zod";
import { text } from "../events/block.ts";
import { asData } from "../tools/as-data.ts";
import { failed, stopped } from "../tools/outcome.ts";
import type { Outcome, Progress, Tool, ToolContext } from "../tools/tool.ts";
import { wrongIn } from "./check-input.ts";
import { wordsOf } from "./connect.ts";
import { elicitor } from "./elicit.ts";
import { CallAnswer, resultOf } from "./result.ts";
import type { Seen } from "./seen.ts";
import { bounded, type ServerTool } from "./server-tool.ts";
import type { Server } from "./server.ts";

type Input = Record<string, unknown>;

/** Characters of a description that a question shows. */
const MOST_ABOUT = 400;
/** However much progress a server tells of, no call goes on for longer than so many of its times. */
const MOST_TIMES = 20;

/** A server's tool as the loop takes it: an outside effect each time, whatever the server says of it. */
export function loopTool(tool: ServerTool, server: Server, seen: Seen): Tool<Input> {
  return {
    name: tool.full,
    description: tool.description,
    input: inputOf(tool),
    // All of it: what is sent away must have been on screen before a yes counts (P5).
    subject: (input) => JSON.stringify(input),
    needs: () => {
      const changed = seen.changeOf(tool, server.line);
      const about = bounded(tool.description, MOST_ABOUT);
      return Promise.resolve([
        {
          kind: "mcp",
          server: tool.server,
          tool: tool.name,
          pin: tool.pin,
          ...(about === "" ? {} : { about }),
          ...(changed === undefined ? {} : { changed }),
        },
      ]);
    },
    parallel: () => false,
    run: (input, ctx) => run(tool, server, input, ctx, () => seen.ran(tool, server.line)),
  };
}

function inputOf({ schema }: ServerTool): z.ZodType<Input> {
  return z.record(z.string(), z.unknown()).superRefine((input, ctx) => {
    for (const { path, problem } of wrongIn(input, schema))
      ctx.addIssue({ code: "custom", path: [...path], message: problem });
  });
}

async function* run(
  tool: ServerTool,
  server: Server,
  input: Input,
  ctx: ToolContext,
  ran: () => void,
): AsyncGenerator<Progress, Outcome> {
  if (ctx.signal.aborted) return stopped();
  const news: string[] = [];
  let wake = (): void => undefined;
  const tell = (words: string): void => {
    news.push(words);
    wake();
  };
  const call = calling(tool, server, input, ctx, { tell, ran });
  let outcome: Outcome | undefined;
  void call.then((done) => {
    outcome = done;
    wake();
  });
  for (;;) {
    for (const words of news.splice(0)) yield { text: `${words}\n` };
    if (outcome !== undefined) return outcome;
    await new Promise<void>((resolve) => (wake = resolve));
  }
}

interface Telling {
  tell: (words: string) => void;
  ran: () => void;
}

/** The call's outcome, whatever the server does; never rejects. */
async function calling(
  tool: ServerTool,
  server: Server,
  input: Input,
  ctx: ToolContext,
  { tell, ran }: Telling,
): Promise<Outcome> {
  const { callMs } = server.config;
  const { signal } = ctx;
  const work = server.use(
    async ({ client }) => {
      // It may have come back as something else than what was asked about.
      const now = server.tools.find((t) => t.name === tool.name);
      if (now?.pin !== tool.pin) throw new Changed();
      ran();
      return client.request({ method: "tools/call", params: { name: tool.given, arguments: input } }, CallAnswer, {
        signal,
        timeout: callMs,
        resetTimeoutOnProgress: true,
        maxTotalTimeout: callMs * MOST_TIMES,
        onprogress: ({ progress, total, message }) => tell(progressLine(progress, total, message)),
      });
    },
    signal,
    elicitor(tool.server, (question) => ctx.askPerson(question)),
  );
  try {
    const answer = await Promise.race([work, abandoned(signal, work)]);
    if (answer === undefined) return { status: "interrupted", content: [text(LEFT)] };
    const content = resultOf(answer, ctx.resultsDir);
    return { status: answer.isError === true ? "error" : "ok", content };
  } catch (error) {
    if (signal.aborted) return { status: "interrupted", content: [text(LEFT)] };
    if (error instanceof Changed)
      return failed(
        `${tool.full} is another tool now than the one that was asked about, so it was not called. ToolSearch shows it as it is.`,
      );
    return failed(asData(server.mask(failure(error, tool, callMs))));
  }
}

class Changed extends Error {}

/** A server that does not take a cancellation is not waited for. */
function abandoned(signal: AbortSignal, work: Promise<unknown>): Promise<undefined> {
  return new Promise((resolve) => {
    const left = (): void => resolve(undefined);
    if (signal.aborted) left();
    signal.addEventListener("abort", left, { once: true });
    void work.catch(() => undefined).finally(() => signal.removeEventListener("abort", left));
  });
}

function failure(error: unknown, { server }: ServerTool, callMs: number): string {
  const words = error instanceof Error ? error.message : String(error);
  if (words.startsWith(`The server ${server} `)) return words;
  const said = wordsOf(error, callMs);
  const late = said.startsWith("it did not answer");
  return late
    ? `The server ${server} did not answer within ${callMs / 1000} s, and the call was cancelled; it may still have its effect. Check before you repeat it.`
    : `The server ${server} refused the call: ${bounded(words, 4000)}`;
}

function progressLine(progress: number, total: number | undefined, message: string | undefined): string {
  const of = total === undefined ? String(progress) : `${progress} of ${total}`;
  return message === undefined || message === "" ? of : `${of}: ${bounded(message, 300)}`;
}

const LEFT = "Interrupted while it ran; it may still have its effect. Check before you repeat it.";
