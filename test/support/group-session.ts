// A session that starts a background shell, and is killed then. Arguments: folder, config, state, home, command.
import { openRig } from "./rig.ts";

const [, , folder = "", config = "", state = "", home = "", command = ""] = process.argv;
// Never to be waited for.
const asking = (): Promise<never> => {
  process.stdout.write("ASKED\n");
  return new Promise(() => undefined);
};
const rig = await openRig({ folder, config, state, home }, "ask", {
  more: { asker: { ask: asking, askPerson: () => Promise.resolve(undefined) } },
});
process.stdout.write(`SESSION ${rig.session.id}\n`);
setInterval(() => undefined, 1000);
await rig.call("Bash", { command, run_in_background: true });
process.stdout.write("IDLE\n");
