import { saveRule } from "../../../src/session/rules-write.ts";
import { randomId, systemClock } from "../../../src/util/system.ts";

// A process that remembers rules, for the tests: argv is configDir, folder, name, count.
const [configDir = "", folder = "", name = "", count = "0"] = process.argv.slice(2);
for (let i = 0; i < Number(count); i++) {
  await saveRule(`Bash(${name} ${i})`, { configDir, folder, home: "/", clock: systemClock, makeId: randomId });
  process.stdout.write(`${i}\n`);
}
