import type { Need } from "../../events/effect.ts";
import type { Question } from "../../permissions/asker.ts";
import { pinnedRules } from "../../permissions/offer.ts";
import { insideText } from "../../sandbox/net-address.ts";
import { netHostText } from "../../sandbox/net-host.ts";
import { type BodyRow, exactRows, free, must } from "./body-row.ts";
import { exact } from "./clean.ts";
import { line, type Line, widthOf, wrap } from "./spans.ts";

/** What a call wants before it runs, each need with its subject written out. */
export function needRows(needs: readonly Need[], width: number): BodyRow[] {
  return needs.flatMap((need, at) => {
    const [what, subject] = needWords(need);
    if (subject === undefined) return [];
    return must(`need:${at}`, [
      ...wrap(line(what, "warning"), { width }),
      ...exactRows(subject, width, line("  ")),
      ...hostWarning(need, width),
      ...toolRows(need, width),
    ]);
  });
}

/** The person's own rules that would answer it next time; nothing is saved from here (P3). */
export function ruleRows({ gate, effect }: Question, width: number): BodyRow[] {
  const rules = gate === "needs" ? pinnedRules(effect) : [];
  if (rules.length === 0) return [];
  return free(wrap(line(`asked each time, unless your own rules allow ${rules.join(", ")}`, "dim"), { width }));
}

/** Columns that an answer's row needs beside its rule. */
const BESIDE = 48;

/** What an answer would save, whole, where its own row can't hold it: nobody says yes to a rule that is cut (P-1). `edited`: the one in its place. */
export function longRuleRows({ offer }: Question, width: number, edited?: string): BodyRow[] {
  const offered = offer === undefined ? [] : [offer.session, offer.always];
  const rules = [...new Set(edited === undefined ? offered : [edited])];
  if (rules.every((rule) => widthOf(exact(rule)) <= width - BESIDE)) return [];
  return must("rule", [
    ...wrap(line("answer 2 would save", "dim"), { width }),
    ...rules.flatMap((rule) => exactRows(rule, width, line("  "), "code")),
  ]);
}

/** What a call wants, and whose name it is about; a need that the command row tells already has no subject. */
function needWords(need: Need): [what: string, subject: string | undefined] {
  switch (need.kind) {
    case "outside":
      return [`${need.access === "read" ? "reads" : "writes"} outside the folder`, need.path];
    case "network":
      return networkWords(need);
    case "unsandboxed":
      return ["runs outside the copy, as you", need.words];
    case "uncontained":
      return ["runs without walls", undefined];
    case "before":
      return ["runs", undefined];
    case "change":
      return ["would change", need.paths.join("\n")];
    case "port":
      return ["opens a port of the copy on this machine", `127.0.0.1:${need.port}`];
    case "mcp":
      return ["uses a tool of another program", `${need.server} · ${need.tool}`];
  }
}

/** The whole network is another thing than a host by its proxy, and any host than a named one. */
function networkWords({ host, port }: Need & { kind: "network" }): [what: string, subject: string] {
  if (host === "*" && port === undefined)
    return ["gets the WHOLE network", "any host and port, this machine's own services and the private network too"];
  if (host === "*") return ["reaches ANY host", `port ${port}`];
  const inside = insideText(host);
  const text = port === undefined ? host : netHostText({ host, port });
  return ["reaches the network", inside === undefined ? text : `${text} (${inside})`];
}

/** What a server says of its tool, as what it is: the server's words. What became other since it last ran must be seen. */
function toolRows(need: Need, width: number): Line[] {
  if (need.kind !== "mcp") return [];
  const { about, changed } = need;
  return [
    ...(changed === undefined
      ? []
      : [
          ...wrap(line("NOT AS IT WAS when it last ran:", "error"), { width }),
          ...exactRows(changed, width, line("  ")),
        ]),
    ...(about === undefined
      ? []
      : [...wrap(line("its server says of it:", "dim"), { width }), ...exactRows(about, width, line("  "))]),
  ];
}

/** A host that only looks like another is told by its real name (P-2). */
function hostWarning(need: Need, width: number): Line[] {
  if (need.kind !== "network" || /^[\x20-\x7e]*$/.test(need.host)) return [];
  const real = URL.canParse(`http://${need.host}/`) ? new URL(`http://${need.host}/`).hostname : "no valid name";
  return wrap(line(`not plain letters: really ${real}`, "error"), { width });
}
