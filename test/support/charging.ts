import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { defineTool, z, type Answer, type Question } from "../../src/index.ts";

/** A tool whose effect outside shows if it happens twice: a line of `charged.txt` below `home` for each. */
export function chargeTool(home: string) {
  return defineTool({
    name: "charge",
    description: "Charges a card.",
    input: z.object({ eur: z.number() }),
    run: ({ eur }, { operationId }) => {
      appendFileSync(join(home, "charged.txt"), `${eur} ${operationId}\n`);
      return `Charged ${eur} EUR.`;
    },
  });
}

/** Says yes to all but to losing `precious.txt`. Nobody is here at once for the model's questions: they wait, and are answered later. */
export const careful = {
  ask: ({ effect }: Question): Promise<Answer> =>
    Promise.resolve(effect.subject === "precious.txt" ? { kind: "no", note: "it is precious" } : { kind: "yes" }),
  askPerson: () => Promise.resolve(undefined),
};
