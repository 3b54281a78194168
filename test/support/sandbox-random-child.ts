// Plays random scripts as the user it was started by; a JSON line for each combination. Argument: the combinations as JSON.
import { type Combination, playRandom } from "./sandbox-random.ts";

for (const combination of JSON.parse(process.argv[2] ?? "[]") as Combination[]) {
  process.stdout.write(`${JSON.stringify(await playRandom(combination))}\n`);
}
