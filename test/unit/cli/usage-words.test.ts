import { expect, it } from "vitest";
import { parseArgs } from "../../../src/cli/args.ts";

const told = (...words: string[]): string => {
  const parsed = parseArgs(words, "0");
  return parsed.ok ? "" : parsed.err;
};

it.each([
  [["mcp", "remove"], "agent: name is missing: agent mcp remove [options] <name>\n"],
  [["config", "set", "mode"], "agent: value is missing: agent config set [options] <key> <value>\n"],
  [["config", "nope"], 'agent: "nope" is no command of agent config: there are list, get, set, unset, edit\n'],
  [["doctor", "now"], "agent: that is too much for agent doctor (now): agent doctor [options]\n"],
  [["--modle", "x"], "agent: unknown option '--modle'. Did you mean one of --mode, --model? (agent --help)\n"],
  [
    ["sesions"],
    'agent: "sesions" is no command; agent sessions is one. As a message: agent -p sesions (agent --help)\n',
  ],
])("U6: %j is told with who speaks, what is wrong and how it is meant", (words, text) => {
  expect(told(...words)).toBe(text);
});
