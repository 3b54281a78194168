import { builtinTools } from "../tools/builtin.ts";
import type { Tool } from "../tools/tool.ts";

type ToolRules = NonNullable<Tool["rules"]>;

/** What every tool declares of itself: nothing here names one (T2). */
const declared: ReadonlyMap<string, ToolRules | undefined> = new Map(builtinTools.map((t) => [t.name, t.rules]));

/** How rules look at the calls of this tool; undefined: by its name alone, as at every tool that isn't built in. */
export function rulesOf(tool: string): ToolRules | undefined {
  return declared.get(tool);
}

/** Names that a rule may begin with because a tool has them. */
export function toolNames(): readonly string[] {
  return [...declared.keys()];
}

/** The tool whose rules hold words; its name stands in texts that explain how to write one. */
export function commandTool(): string {
  return builtinTools.find((t) => t.rules === "command")?.name ?? "Unsandboxed";
}
