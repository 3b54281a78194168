import { z } from "zod";
import { failed, quiet } from "./outcome.ts";
import { findShell, tellShell } from "./shell-result.ts";
import { defineTool } from "./tool.ts";

const Input = z.strictObject({ shell_id: z.string() });

/** Ends a background shell (T1). */
export const killShellTool = defineTool<z.infer<typeof Input>>({
  name: "KillShell",
  description: `Ends a background shell with all its processes, and tells its last output. Use it to start a server anew, or when it is in the way: with the session all end by themselves.
Example: {"shell_id":"bg_1"}`,
  input: Input,
  subject: (input) => input.shell_id,
  needs: () => Promise.resolve([]),
  parallel: () => false,
  run: (input, ctx) =>
    quiet(async () => {
      const group = findShell(input.shell_id, ctx);
      if (typeof group === "string") return failed(group);
      await group.kill();
      return tellShell(group, ctx);
    }),
});
