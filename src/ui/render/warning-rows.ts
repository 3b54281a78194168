import type { Question } from "../../permissions/asker.ts";
import { foreignHosts, unseenIn, untold } from "../../permissions/unseen.ts";
import { type BodyRow, must } from "./body-row.ts";
import { exact } from "./clean.ts";
import { line, wrap } from "./spans.ts";
import { several } from "./units.ts";

/** What of a question could be taken for something else, told before it: hidden characters, hosts that look like others, files untold (P-2). */
export function warningRows(question: Question, width: number): BodyRow[] {
  const unseen = unseenIn(question);
  const hosts = foreignHosts(question.command?.text ?? "");
  const files = untold(question).length;
  const rows = [
    ...(unseen.length === 0 ? [] : [`hidden characters, written as \\u{…}, in ${unseen.join(", ")}`]),
    ...hosts.map(({ shown, real }) => `not plain letters: ${exact(shown)} is really ${real}`),
    ...(files === 0 ? [] : [`${several(files, "file")} can't be shown here`]),
  ];
  return must(
    "warning",
    rows.flatMap((text) => wrap(line(text, "warning"), { width, rest: line("  ") })),
  );
}

/** All of it can be shown as it is, so that a yes may be remembered (P-2). */
export function isPlain(question: Question): boolean {
  return (
    unseenIn(question).length === 0 &&
    untold(question).length === 0 &&
    foreignHosts(question.command?.text ?? "").length === 0
  );
}
