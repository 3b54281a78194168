// Records the sessions of fixtures/sessions/ anew: all, or those named. Then look at the diff: what changed in them, the program changed.
import { fileURLToPath } from "node:url";
import { recordCase } from "../test/support/record.ts";
import { CASES } from "../test/support/recording-cases.ts";

const to = fileURLToPath(new URL("../fixtures/sessions", import.meta.url));
const wanted = process.argv.slice(2);
for (const one of CASES.filter(({ name }) => wanted.length === 0 || wanted.includes(name))) {
  await recordCase(one, to);
  console.log(`${one.name}: ${one.about}`);
}
