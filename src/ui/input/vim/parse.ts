export type Operator = "d" | "c" | "y" | ">" | "<";

/** A whole command. `name` is a motion's, an object's (`iw`), "line" for a doubled operator, or a command's of its own. */
export interface Command {
  name: string;
  operator?: Operator;
  count: number;
  /** A count was typed. */
  counted: boolean;
  /** Of f F t T r. */
  char?: string;
}

const MOTION = /^(?:[hjkl0^$wbeWBEG;,{}%]|g[geE_])$/;
const NORMAL = /^[xXsSJupPDCYoOaAiIvV~./]$/;
const VISUAL = /^[dxXDcsSCRyYJuUpP<>ovV~/]$/;
const OBJECT = /^[ia]["'`()b[\]{}B<>wWp]$/;
const MAX_COUNT = 9999;

/** Keys typed so far: a command, the beginning of one, or nothing that there is. */
export function parse(keys: string, visual: boolean): Command | "more" | "none" {
  const match = /^([1-9]\d*)?(?:([dcy<>])([1-9]\d*)?)?(.*)$/su.exec(visual ? "" : keys);
  const [, first, op, second, rest = ""] = visual ? (/^([1-9]\d*)?()()(.*)$/su.exec(keys) ?? []) : (match ?? []);
  const operator = op === undefined || op === "" ? undefined : (op as Operator);
  const count = Math.min(MAX_COUNT, Number(first ?? 1) * Number(second === "" ? 1 : (second ?? 1)));
  const counted = first !== undefined || (second ?? "") !== "";
  const command = (name: string, char?: string): Command => ({
    name,
    count,
    counted,
    ...(operator === undefined ? {} : { operator }),
    ...(char === undefined ? {} : { char }),
  });
  if (rest === "" || rest === "g") return "more";
  if (operator !== undefined && rest === operator) return command("line");
  const takes = /^[fFtT]/.test(rest) || (rest.startsWith("r") && operator === undefined);
  if (takes) return rest.length === 1 ? "more" : command(rest.charAt(0), rest.slice(1));
  if (operator !== undefined || visual) {
    if (rest === "i" || rest === "a") return "more";
    if (OBJECT.test(rest)) return command(rest);
  }
  if (MOTION.test(rest)) return command(rest);
  const own = visual ? VISUAL : NORMAL;
  return operator === undefined && own.test(rest) ? command(rest) : "none";
}
