import { amountText, LIMIT_WORDS, scopeText } from "../../loop/limit-words.ts";
import { LIMIT_NAMES, type LimitName, type Scope, SCOPES } from "../../loop/ledger.ts";
import type { LimitsReport } from "../../session/session.ts";
import { parseTime } from "../../util/time.ts";
import { line, type Line } from "../render/spans.ts";
import { tableLines } from "../render/table.ts";
import type { Command } from "./command.ts";
import { tell } from "./tell.ts";

const HOW =
  "/limits turns 200, /limits session usd 5, /limits time 30m set a limit in this session (turns, tokens, usd, time; none takes it off).";

/** What is used of what may be, and another limit for this session (S3). */
export const limitsCommand: Command = {
  name: "limits",
  args: "[[session] turns|tokens|usd|time VALUE]",
  text: "What was used of turns, tokens, money and time; sets a limit",
  always: true,
  run: async (args, context) => {
    if (args === "") {
      context.say((width) => limitLines(context.session.limits(), width));
      return tell(context, HOW);
    }
    const wanted = readLimit(args);
    if (wanted === undefined) return tell(context, `Not understood: ${args}. ${HOW}`, "error");
    const { scope, name, value } = wanted;
    await context.session.setLimit(scope, name, value);
    const what = value === undefined ? `No limit in ${LIMIT_WORDS[name]}` : `The limit is ${amountText(name, value)}`;
    tell(context, `${what} ${scopeText(scope)}. It counts from the next turn on.`);
  },
};

/** What was typed behind the command; undefined where it names no limit. `value` undefined: none. Pure. */
export function readLimit(args: string): { scope: Scope; name: LimitName; value: number | undefined } | undefined {
  const [, session, word = "", value = ""] =
    /^(session\s+|message\s+)?(turns|tokens|usd|time)\s+(\S+)$/.exec(args.trim()) ?? [];
  const name = LIMIT_NAMES.find((n) => LIMIT_WORDS[n] === word);
  if (name === undefined) return undefined;
  const scope = session?.startsWith("session") === true ? "session" : "message";
  if (value === "none") return { scope, name, value: undefined };
  const amount = name === "timeMs" ? parseTime(value) : readAmount(value, name === "usd");
  return amount === undefined ? undefined : { scope, name, value: amount };
}

function readAmount(text: string, parts: boolean): number | undefined {
  const amount = /^\d+(?:\.\d+)?$/.test(text) ? Number(text) : 0;
  return amount > 0 && (parts || Number.isInteger(amount)) ? amount : undefined;
}

/** A row for each limit: used, limit, share, of the message and of the session. */
export function limitLines({ budgets, used }: LimitsReport, width: number): Line[] {
  const header = ["", "this message", "limit", "session", "limit"].map((text) => line(text));
  const rows = LIMIT_NAMES.map((name) => [
    line(LIMIT_WORDS[name]),
    ...SCOPES.flatMap((scope) => {
      const [spent, limit] = [used[scope][name], budgets[scope][name]];
      const share = spent === undefined || limit === undefined ? 0 : spent / limit;
      const style = share >= 1 ? ("error" as const) : share >= 0.8 ? ("warning" as const) : undefined;
      return [
        line(spent === undefined ? "unknown" : amountText(name, spent), style),
        line(limit === undefined ? "none" : amountText(name, limit), "dim"),
      ];
    }),
  ]);
  return tableLines(header, rows, width);
}
