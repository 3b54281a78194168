// The boot screen with a slow start behind it, then a stand-in for the main screen that tells what it was given.
import { writeSync } from "node:fs";
import { boot } from "../../../src/ui/boot.ts";
import { systemClock } from "../../../src/util/system.ts";

const shell = boot({
  stdin: process.stdin,
  stdout: process.stdout,
  clock: systemClock,
  writeSync: (data) => void writeSync(1, data),
  status: "ask mode · starting",
  onGone: () => process.exit(129),
  onInterrupt: () => process.exit(130),
});
process.on("SIGUSR2", () => {
  shell.handOver((events) => {
    for (const event of events) {
      if (event.kind !== "key") continue;
      shell.out.above([`got ${event.key.name}`]);
      if (event.key.name === "q") {
        shell.out.close(["bye"]);
        shell.modes.restoreSync();
        process.exit(0);
      }
    }
  });
});
