import type { Line } from "./case.ts";
import { groundAt } from "./ground.ts";
import { runLine } from "./run.ts";

// A process of the pool: one case at a time, until the parent lets go.
const ground = groundAt(process.argv[2] ?? "");
process.on("message", (line: Line) => {
  void runLine(line, ground).then((result) => process.send?.({ ...result, why: result.why.slice(0, 2000) }));
});
// A parent that was ended takes its cases along.
process.on("disconnect", () => process.exit());
process.send?.("ready");
