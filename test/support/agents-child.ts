/**
 * A process of its own that is killed while three agents work: one has landed a file and waits for its next reply, one runs a command, one has not
 * got its first reply. Arguments: folder, config, state, home, a text that its command's line has. Prints the session's id.
 */
import { isFact } from "../../src/events/event.ts";
import { threeAgents } from "./agents.ts";
import { openAt } from "./open-at.ts";

const [folder = "", config = "", state = "", home = "", mark = ""] = process.argv.slice(2);
const session = await openAt(
  { folder, config, state, home },
  { model: threeAgents(mark, true), more: { mode: "auto" } },
);
process.stdout.write(`${session.id}\n`);
for await (const event of session.submit("go"))
  if (event.type === "agent.event" && isFact(event.event))
    process.stdout.write(`${event.agentId} ${event.event.type}\n`);
