import { z } from "zod";
import { failed, quiet } from "../tools/outcome.ts";
import { CALL_TOOL } from "../events/called.ts";
import { defineTool, type Tool } from "../tools/tool.ts";

const Input = z.strictObject({
  name: z.string().describe("mcp__server__tool, as ToolSearch shows it"),
  input: z.record(z.string(), z.unknown()).describe("What that tool takes"),
});
type Input = z.infer<typeof Input>;

/**
 * The one way to the tools of servers, so that the list of tools never changes within a session (C1). The loop takes a call of it as one of
 * the tool that it names (`events/called.ts`); what arrives here names none.
 */
export const callTool: Tool = defineTool<Input>({
  name: CALL_TOOL,
  description: `Calls a tool of a server by its whole name. What it does happens outside: the person is asked first, unless their rules allow it.
Example: {"name":"mcp__tracker__create_issue","input":{"title":"Crash at start"}}`,
  input: Input,
  subject: ({ name }) => name,
  needs: () => Promise.resolve([]),
  parallel: () => false,
  run: ({ name }) =>
    quiet(() =>
      Promise.resolve(
        failed(
          `${JSON.stringify(name.slice(0, 100))} is no tool of a server: those are called mcp__server__tool. Built-in tools are called by themselves.`,
        ),
      ),
    ),
}) as Tool;
