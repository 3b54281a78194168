/** Shorter words are one letter away from too many others. */
const LEAST = 5;

/** The command that a single word was meant for, by its looks: one letter more, less, other, or two that changed places. */
export function nearCommand(word: string, commands: readonly string[]): string | undefined {
  if (word.length < LEAST) return undefined;
  return commands.find((name) => oneApart(word.toLowerCase(), name));
}

function oneApart(a: string, b: string): boolean {
  if (Math.abs(a.length - b.length) > 1) return false;
  let at = 0;
  while (at < a.length && a[at] === b[at]) at++;
  const [restA, restB] = [a.slice(at), b.slice(at)];
  const swapped = `${restA.charAt(1)}${restA.charAt(0)}${restA.slice(2)}`;
  return restA.slice(1) === restB || restA === restB.slice(1) || restA.slice(1) === restB.slice(1) || swapped === restB;
}
