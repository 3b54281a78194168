import type { Effect } from "../events/effect.ts";
import { locate, ruledPath } from "../tools/paths.ts";
import type { Tool, ToolContext } from "../tools/tool.ts";
import { shapedBy } from "./shaped.ts";

/** What the call would touch, links followed; a tool that can't tell is a failed call, never an allowed one. */
export async function effectOf(tool: Tool, input: unknown, ctx: ToolContext): Promise<Effect | { failed: unknown }> {
  try {
    // Without `hidden`: what a deny rule hides is denied here, by name. A path that leads nowhere is the tool's to tell.
    const { roots, view } = ctx;
    const where = { roots, view, state: () => ctx.state() };
    const places = await Promise.all((tool.paths?.(input) ?? []).map((path) => locate(path, where)));
    const paths = places.flatMap((place) => (typeof place === "string" ? [] : [ruledPath(ctx, place)]));
    const shaped = await shapedBy(tool, input, ctx);
    return {
      tool: tool.name,
      subject: tool.subject(input),
      ...(paths.length === 0 ? {} : { paths }),
      needs: [...(await tool.needs(input, ctx))],
      contained: ctx.sandbox.contained,
      ...(shaped.length === 0 ? {} : { shaped }),
    };
  } catch (error) {
    return { failed: error };
  }
}
