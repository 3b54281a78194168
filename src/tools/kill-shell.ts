import { z } from "zod";
import { failed, quiet } from "./outcome.ts";
import { findShell, tellShell } from "./shell-result.ts";
import { defineTool } from "./tool.ts";

const Input = z.strictObject({ shell_id: z.string() });

/** Ends a background shell (T1). */
export const killShellTool = defineTool<z.infer<typeof Input>>({
  name: "KillShell",
  description: `Ends a background shell with every process that it started, and closes its ports. Tells its last output; what it changed and has not landed is put before the person.
Use it when a server is no longer needed, or to start it anew. All shells end with the session by themselves.
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
