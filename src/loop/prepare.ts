import { z } from "zod";
import { text, type ToolUseBlock } from "../events/block.ts";
import type { SavedOutcome } from "../events/event.ts";
import type { Tool } from "../tools/tool.ts";

/** A call with its tool and parsed input, or with the result that says why it can't run (L8, L10). */
export type Prepared = { block: ToolUseBlock; parallel: boolean } & (
  | { ok: true; tool: Tool; input: unknown }
  | { ok: false; result: SavedOutcome }
);

/** Finds the tool and parses the input; what is wrong becomes a result for the model. */
export function prepare(block: ToolUseBlock, tools: readonly Tool[]): Prepared {
  const tool = tools.find((t) => t.name === block.name);
  if (tool === undefined) return refused(block, unknownTool(block.name, tools));
  if (block.broken !== undefined) {
    const size = block.broken.length;
    return refused(
      block,
      `The input of this ${tool.name} call was cut off or is no valid JSON after ${size} characters; nothing ran. Send it again, in smaller parts.`,
    );
  }
  const parsed = tool.input.safeParse(block.input);
  if (!parsed.success) return refused(block, invalidInput(tool, parsed.error));
  return { ok: true, block, tool, input: parsed.data, parallel: tool.parallel(parsed.data) };
}

function refused(block: ToolUseBlock, words: string): Prepared {
  return { ok: false, block, parallel: true, result: { status: "error", content: [text(words)], touched: [] } };
}

function unknownTool(name: string, tools: readonly Tool[]): string {
  // Those of servers may be hundreds.
  const names = tools.flatMap((t) => (t.name.startsWith("mcp__") ? [] : [t.name])).toSorted();
  if (name.startsWith("mcp__") && names.includes("ToolSearch"))
    return `There is no tool ${JSON.stringify(name.slice(0, 80))} of a server, or its server is not there yet: ToolSearch waits for servers, and shows the tools that there are.`;
  const plain = (s: string) => s.toLowerCase().replaceAll(/[^a-z]/g, "");
  const near = names.find((n) => plain(n) === plain(name) || plain(name).includes(plain(n)));
  const hint = near === undefined ? "" : ` Did you mean ${near}?`;
  return `There is no tool ${JSON.stringify(name.slice(0, 80))}.${hint} The tools are: ${names.join(", ")}.`;
}

/** A list whose every entry is wrong is wrong in one way. */
const MOST_ISSUES = 6;

function invalidInput(tool: Tool, error: z.ZodError): string {
  const all = error.issues.map(
    (issue) => `- ${issue.path.length === 0 ? "input" : issue.path.join(".")}: ${issue.message}`,
  );
  const lines =
    all.length > MOST_ISSUES + 1 ? [...all.slice(0, MOST_ISSUES), `- and ${all.length - MOST_ISSUES} more`] : all;
  const unknown = error.issues.some((issue) => issue.code === "unrecognized_keys" && issue.path.length === 0);
  const fields =
    unknown && tool.input instanceof z.ZodObject
      ? `\nThe fields are: ${Object.keys(tool.input.shape).join(", ")}.`
      : "";
  return `Invalid input for ${tool.name}; nothing ran.\n${lines.join("\n")}${fields}`;
}
