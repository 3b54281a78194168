import { type Command, InvalidArgumentError, Option } from "commander";
import type { Mode } from "../events/effect.ts";
import { MODES } from "../events/mode.ts";
import { areRules } from "../permissions/split-rules.ts";
import type { WritableSource } from "../session/rules-edit.ts";
import type { PolicyTestOptions } from "./policy-test.ts";
import type { PermissionsOptions } from "./permissions.ts";
import type { WhyOptions } from "./why.ts";

/** What looks at rules and decisions, and changes rules (P6). */
export type PermissionsInvocation =
  | { verb: "permissions"; options: PermissionsOptions }
  | { verb: "why"; options: WhyOptions }
  | { verb: "policy-test"; options: PolicyTestOptions };

type Choose = (i: PermissionsInvocation) => void;

/** What the flags of other programs of this kind come to here. */
export interface PermissionFlags {
  mode?: Mode;
  allow: readonly string[];
  ask: readonly string[];
  deny: readonly string[];
  /** Rules as they are written for other programs of this kind. */
  allowedTools: readonly string[];
  disallowedTools: readonly string[];
}

/** The modes of other programs: a mode of this one, with what it allows besides. */
const MODE_NAMES: ReadonlyMap<string, { mode: Mode; allow?: string }> = new Map<string, { mode: Mode; allow?: string }>(
  [
    ...MODES.map((mode): [string, { mode: Mode }] => [mode, { mode }]),
    ["default", { mode: "ask" }],
    ["manual", { mode: "ask" }],
    ["acceptEdits", { mode: "ask", allow: "Edit" }],
    // Where nobody can be asked, what would ask is denied; on a screen it asks.
    ["dontAsk", { mode: "ask" }],
    // Only beside --bypass.
    ["bypassPermissions", { mode: "auto" }],
  ],
);

const collect = (value: string, all: readonly string[] = []) => [...all, value];

/** Adds `--ask` and the flags by which scripts for other programs of this kind run. */
export function addPermissionFlags(program: Command): void {
  program
    .option("--ask <rule>", "such as 'Bash(git push:*)' (repeatable)", collect)
    .addOption(
      new Option("--permission-mode <mode>", "as scripts know it: plan, default, acceptEdits, auto, dontAsk")
        .argParser(permissionMode)
        .conflicts("mode"),
    )
    .option("--allowed-tools <rules...>", "as scripts know it: --allow for each rule; commas or blanks between them")
    .option("--disallowed-tools <rules...>", "the same for --deny")
    .addOption(new Option("--allowedTools <rules...>").hideHelp())
    .addOption(new Option("--disallowedTools <rules...>").hideHelp())
    .addOption(new Option("--dangerously-skip-permissions").hideHelp());
  program.hook("preAction", () => {
    const o = program.opts();
    const word =
      o["dangerouslySkipPermissions"] === true
        ? "--dangerously-skip-permissions"
        : o["permissionMode"] === "bypassPermissions"
          ? "--permission-mode bypassPermissions"
          : undefined;
    if (word !== undefined && o["bypass"] !== true)
      program.error(`${word} needs --bypass here, typed as such.`, { exitCode: 2 });
  });
}

function permissionMode(value: string): string {
  if (!MODE_NAMES.has(value))
    throw new InvalidArgumentError(
      `There are ${[...MODE_NAMES.keys()].join(", ")}; here modes are plan, ask and auto.`,
    );
  return value;
}

const LISTS = ["allowedTools", "disallowedTools"] as const;

/**
 * The prompt where it stands behind the rules of another program's flag, which takes all words that follow it: from the first that is no
 * rule. `o` keeps the rules.
 */
export function promptBehindRules(o: Record<string, unknown>): string[] {
  return LISTS.flatMap((name) => {
    const words = (o[name] ?? []) as string[];
    const from = words.findIndex((word) => !areRules(word));
    if (from < 0) return [];
    o[name] = words.slice(0, from);
    return words.slice(from);
  });
}

/** What was typed of them. */
export function permissionFlags(o: Record<string, unknown>): PermissionFlags {
  const alias = MODE_NAMES.get(String(o["permissionMode"]));
  const mode = alias?.mode ?? (o["mode"] as Mode | undefined);
  const list = (...names: string[]) => names.flatMap((name) => (o[name] ?? []) as string[]);
  return {
    ...(mode === undefined ? {} : { mode }),
    allow: [...list("allow"), ...(alias?.allow === undefined ? [] : [alias.allow])],
    ask: list("ask"),
    deny: list("deny"),
    allowedTools: list("allowedTools"),
    disallowedTools: list("disallowedTools"),
  };
}

/** Adds `agent permissions`, `agent why` and `agent policy test`. */
export function addPermissions(program: Command, choose: Choose): void {
  addRules(program, choose);
  program
    .command("why [call]")
    .description("say why a call was allowed, asked about or denied, and what would change that; without one, the last")
    .option("--session <id>", "of this session instead of this folder's newest")
    .option("--list", "the calls that were judged, with the numbers by which they can be named", false)
    .option("--json", "one JSON object", false)
    .action((call: string | undefined, o: Omit<WhyOptions, "call">) =>
      choose({ verb: "why", options: { ...o, ...(call === undefined ? {} : { call }) } }),
    );
  program
    .command("policy")
    .description("try rules before you trust them: agent policy test --help")
    .command("test")
    .description("judge past sessions by the rules as they are now, and others; show which decisions would differ")
    .option("--session <id...>", "these sessions; without it, this folder's newest 20")
    .option("--last <n>", "this folder's newest N sessions", count)
    .addOption(
      new Option("--all", "of every folder, each by its own rules").default(false).conflicts(["session", "last"]),
    )
    .option("--settings <file>", "the rules of this file in the place of your own and the project's")
    .option("--allow <rule>", "a rule besides (repeatable)", collect, [])
    .option("--ask <rule>", "a rule besides (repeatable)", collect, [])
    .option("--deny <rule>", "a rule besides (repeatable)", collect, [])
    .addOption(new Option("--mode <mode>", "as if every message had been in this mode").choices(MODES))
    .option("--fail-on-change", "exit with 1 where a decision would differ", false)
    .option("--json", "a line of JSON for each difference, then one of sums", false)
    .action((o: PolicyTestOptions) => choose({ verb: "policy-test", options: o }));
}

function addRules(program: Command, choose: Choose): void {
  const rules = program
    .command("permissions")
    .description("list the rules that count in this folder, where each stands, and whether it ever decided")
    .option("--json", "a line of JSON for each", false)
    .action((o: { json: boolean }) => choose({ verb: "permissions", options: { act: "list", json: o.json } }));
  for (const action of ["allow", "ask", "deny"] as const) {
    rules
      .command(`${action} <rule>`)
      .description(`add a rule to your own for this project that ${ACTS[action]}`)
      .option("--user", "to your settings for every project", false)
      .action((rule: string, o: { user: boolean }) =>
        choose({ verb: "permissions", options: { act: "add", action, rule, source: sourceOf(o) } }),
      );
  }
  rules
    .command("remove <rule>")
    .description("take a rule out of your own for this project")
    .option("--user", "out of your settings for every project", false)
    .action((rule: string, o: { user: boolean }) =>
      choose({ verb: "permissions", options: { act: "remove", rule, source: sourceOf(o) } }),
    );
}

const ACTS = { allow: "spares a question", ask: "demands one", deny: "refuses" } as const;

function sourceOf({ user }: { user: boolean }): WritableSource {
  return user ? "user" : "person";
}

function count(value: string): number {
  const n = Number(value);
  if (!Number.isInteger(n) || n <= 0) throw new InvalidArgumentError("it must be a whole number above 0.");
  return n;
}
