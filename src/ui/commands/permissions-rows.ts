import type { RuleRow } from "../../session/policy-rows.ts";
import type { Why, WhyGate } from "../../session/policy-why.ts";
import { paragraph } from "../prompt/panel.ts";
import { cleanRow, exact } from "../render/clean.ts";
import { line, type Line, wrap } from "../render/spans.ts";
import { several } from "../render/units.ts";
import type { Style } from "../theme.ts";

/** Where rules come from, in words. */
export const SOURCE_WORDS: Record<RuleRow["rule"]["source"], string> = {
  managed: "the machine's settings",
  user: "your settings",
  person: "your own for this project",
  project: "the project's",
  cli: "typed",
  session: "this session",
};

const ACTION_STYLES: Record<RuleRow["rule"]["action"], Style> = { allow: "ok", ask: "warning", deny: "error" };

/** A rule on as many rows as it needs: what it says, where it stands, when it last decided. */
export function ruleLines(row: RuleRow, width: number): Line[] {
  const { rule } = row;
  const head: Line = [
    { text: rule.action.padEnd(6), style: ACTION_STYLES[rule.action] },
    { text: exact(rule.text), style: "bold" },
  ];
  return [
    ...wrap(head, { width, rest: line("      ") }),
    ...wrap(line(`      ${ruleNote(row)}`, "dim"), { width, rest: line("      ") }),
  ];
}

/** Source, place and use of a rule on one row. */
export function ruleNote({ rule, at, state, uses, lastUse, before }: RuleRow): string {
  const states = {
    counts: [],
    disk: ["new in its file, doesn't count yet"],
    gone: ["counts, but no longer in its file"],
  }[state];
  const used =
    uses > 0
      ? `decided ${several(uses, "time")} in this session, last ${clock(lastUse ?? "")}`
      : before === null
        ? "never decided here yet"
        : before === undefined
          ? "not used in this session"
          : `last decided ${day(before)}`;
  return [cleanRow(SOURCE_WORDS[rule.source]), ...(at === undefined ? [] : [exact(at)]), ...states, used].join(" · ");
}

function clock(iso: string): string {
  return iso.slice(11, 16);
}

function day(iso: string): string {
  return iso.slice(0, 16).replace("T", " ");
}

/** Why a call was decided on as it was. */
export function whyLines(why: Why, width: number): Line[] {
  const subject = exact(why.subject).split("\n");
  const more = subject.length > 1 ? ` and ${several(subject.length - 1, "more line")}` : "";
  const head: Line = [
    { text: `#${why.n} ${cleanRow(why.tool)} `, style: "bold" },
    { text: `${cleanRow(subject[0] ?? "")}${more}` },
    { text: `  ${cleanRow(why.callId)}`, style: "dim" },
  ];
  const hooks = why.hooks.map(
    ({ event, name, exit, said }) =>
      `  hook ${name} on ${event}: ${said ?? "no objection"}${exit === null || exit === 0 ? "" : ` (exit ${exit})`}`,
  );
  return [
    ...wrap(head, { width, rest: line("  ") }),
    ...hooks.flatMap((text) => paragraph(cleanRow(text), width)),
    ...(why.gates.length === 0 ? paragraph("  It was never judged: it did not come that far.", width) : []),
    ...why.gates.flatMap((gate) => gateLines(gate, width)),
  ];
}

/** What came of a gate, in a few words. */
export function gateWords({ gate, verdict, outcome, by }: WhyGate): string {
  const when = gate === "needs" ? "before it ran" : "before its changes landed";
  if (by === "none" && outcome === "open") return `${when}: asked, and not answered yet`;
  if (by === "none") return `${when}: allowed; no gate had to judge it`;
  const who = { policy: "policy", rule: "a rule", hook: "a hook", person: "you", nobody: "nobody", bypass: "--bypass" }[
    by
  ];
  if (by === "bypass") return `${when}: not asked, allowed by --bypass`;
  if (verdict === "ask")
    return by === "nobody"
      ? `${when}: would have asked, and nobody was there: denied`
      : `${when}: asked; ${who} ${outcome === "allow" ? "said yes" : "said no"}`;
  return `${when}: ${outcome === "allow" ? "allowed" : "denied"} by ${who}`;
}

function gateLines(gate: WhyGate, width: number): Line[] {
  const style: Style = gate.outcome === "deny" ? "error" : gate.outcome === "open" ? "warning" : "ok";
  const row = (text: string, of?: Style) => wrap(line(`    ${cleanRow(text)}`, of), { width, rest: line("      ") });
  return [
    ...paragraph(`  ${gateWords(gate)} (${gate.mode} mode, risk ${gate.risk})`, width, style),
    ...gate.effect.flatMap((text) => row(`it ${text}`)),
    ...row(`why: ${gate.reason}`),
    ...gate.rules.flatMap((rule) =>
      row(
        `${rule.decided ? "decided by" : "also fits"} ${rule.action} ${rule.text} (${SOURCE_WORDS[rule.source]}${rule.at === undefined ? "" : `, ${rule.at}`})`,
      ),
    ),
    ...(gate.note === undefined ? [] : row(`with the words: ${gate.note}`)),
    ...gate.instead.flatMap((text) => row(text, "dim")),
  ];
}
