import type { Mode, Rule } from "../events/effect.ts";
import type { Effort } from "../events/event.ts";
import { parseRule, RuleError } from "../permissions/rule-parse.ts";
import { inHome } from "../permissions/rule-roots.ts";
import { splitRules } from "../permissions/split-rules.ts";
import { rulesFromElsewhere } from "./rules-elsewhere.ts";
import { lostText } from "./settings-elsewhere.ts";

/** What was typed; it stands above all files but for their denies and asks. */
export interface Flags {
  allow?: readonly string[];
  ask?: readonly string[];
  deny?: readonly string[];
  /** Rules as they are written for other programs of this kind; what has no counterpart is told. */
  allowedTools?: readonly string[];
  disallowedTools?: readonly string[];
  mode?: Mode;
  model?: string;
  effort?: Effort;
  fallbackModel?: string;
  maxTurns?: number;
  /** Of one message; `timeMs` too. */
  tokens?: number;
  timeMs?: number;
  /** Of the session. */
  usd?: number;
  appendSystemPrompt?: string;
  /** In the place of the built-in prompt. */
  systemPrompt?: string;
}

/**
 * The rules that were typed. One of this program's own that is no rule is a problem; one written for another program that has no
 * counterpart is told: an allow then spares nothing, a deny asks for its tool.
 */
export function typedRules(
  flags: Flags,
  { folder, home }: { folder: string; home: string },
  problems: string[],
): { rules: Rule[]; notices: string[] } {
  const own = (["allow", "ask", "deny"] as const).flatMap((action) =>
    (flags[action] ?? []).map((text): Rule => ({ action, text: inHome(text, home), source: "cli" })),
  );
  const rules = own.filter((rule) => {
    try {
      parseRule(rule);
      return true;
    } catch (error) {
      if (!(error instanceof RuleError)) throw error;
      problems.push(`--${rule.action}: ${error.message}`);
      return false;
    }
  });
  const notices: string[] = [];
  for (const [name, action] of [
    ["allowedTools", "allow"],
    ["disallowedTools", "deny"],
  ] as const) {
    for (const written of (flags[name] ?? []).flatMap(splitRules)) {
      const { rules: found, lost } = rulesFromElsewhere(written, action, { source: "cli", folder, home });
      rules.push(...found);
      if (lost !== undefined && !(action === "allow" && NEEDS_NONE.test(lost)))
        notices.push(`--${name}: ${lostText(written, action, found, lost)}`);
    }
  }
  return { rules, notices };
}

/** What an allow says where there is nothing to allow: what it names never asks here. */
const NEEDS_NONE = /needs no rule|nothing to allow here/;
