import type { Command, Redirection, SyntaxNode, Word } from "unbash";
import { later } from "../util/later.ts";
import type { Sign } from "./glob-parts.ts";

/** With the first command that is judged. */
const unbash = later<typeof import("unbash")>("unbash");

/** One word of a command. `sure`: what is written is what the program gets; otherwise `signs` says what it may look like, where that is known. */
export interface Piece {
  value: string;
  sure: boolean;
  signs?: readonly Sign[];
}

/** A simple command as the shell would start it. `bare`: no assignments in front, no file opened but /dev/null. */
export interface SimpleCommand {
  words: readonly Piece[];
  /** Name of what it starts, without folders, in lower case; empty where that isn't sure. */
  program: string;
  bare: boolean;
  /** Variables set in front of it, or by it alone. */
  sets?: readonly { name: string; value: Piece }[];
}

/**
 * A command text, taken apart. `opaque`: it could not be read whole, and nothing may be concluded from `commands`.
 * `sure`: no word anywhere depends on expansion, and no function is defined. `simple`: one simple command and nothing around it.
 * `opens`: a redirection around several commands (`{ …; } > file`) opens a file.
 */
export interface Script {
  commands: readonly SimpleCommand[];
  opaque: boolean;
  sure: boolean;
  simple: boolean;
  opens: boolean;
}

const MAX_BYTES = 64 * 1024;
const MAX_HEREDOCS = 64;
/** Substitutions, expansions and tests: deep nests of them take a parser seconds. */
const MAX_OPENERS = 500;
const OPENERS = /\$[({[]|[<>]\(|`|\(\(|\[\[/g;
const OPAQUE: Script = { commands: [], opaque: true, sure: false, simple: false, opens: true };

/** Nodes that only hold others. Whatever is in neither list makes the text opaque. */
const PLAIN =
  kinds(`Script Statement Command CompoundList AndOr Pipeline Time Negation Subshell BraceGroup If Elif For While Case CaseItem
  Select Redirected Word Literal SingleQuoted DoubleQuoted Assignment ArrayValue Redirect HereString HereDoc HereDocDelimiter
  HereDocBody FileDescriptor FileDescriptorVariable TestCommand TestUnary TestBinary TestLogical TestNot TestGroup`);
/** Nodes whose outcome is known only when they run (or whose decoding isn't worth trusting), and functions, which give words another meaning. */
const UNSURE =
  kinds(`Glob ExtendedGlob BraceExpansion SimpleExpansion ParameterExpansion CommandExpansion ArithmeticExpansion
  ArithmeticCommand ArithmeticFor ArithmeticBinary ArithmeticUnary ArithmeticTernary ArithmeticGroup ArithmeticWord
  ArithmeticCommandExpansion ProcessSubstitution AnsiCQuoted LocaleString Function Coproc Default Remove Replace Slice
  CaseModification Transform Names`);

function kinds(names: string): ReadonlySet<string> {
  return new Set(names.split(/\s+/));
}

/** The newest, since every rule asks for the same text, and for the scripts in it. */
const recent = new Map<string, Script>();
const MOST_RECENT = 32;

/** Reads a command text with the shell's own grammar, nested commands included. Never throws. */
export function readScript(source: string): Script {
  const known = recent.get(source);
  if (known !== undefined) return known;
  const script = read(source);
  if (recent.size >= MOST_RECENT) recent.clear();
  recent.set(source, script);
  return script;
}

function read(source: string): Script {
  // Refused before parsing: what a parser may read otherwise than bash does, and what would take it seconds (SECURITY 2, 5).
  if (Buffer.byteLength(source) > MAX_BYTES || count(source, /<</g) > MAX_HEREDOCS) return OPAQUE;
  if (count(source, OPENERS) > MAX_OPENERS) return OPAQUE;
  if (/[^\P{Cc}\n\t]|\p{Cs}/u.test(source)) return OPAQUE;
  try {
    return visitAll(source);
  } catch {
    return OPAQUE;
  }
}

function count(source: string, sign: RegExp): number {
  return source.match(sign)?.length ?? 0;
}

function visitAll(source: string): Script {
  const commands: SimpleCommand[] = [];
  let opaque = false;
  let sure = true;
  let opens = false;
  const visit = (node: SyntaxNode): void => {
    if (UNSURE.has(node.type) || isEvaluated(node)) sure = false;
    else if (!PLAIN.has(node.type)) opaque = true;
    if (node.type === "Script" && (node.errors?.length ?? 0) > 0) opaque = true;
    if (node.type === "Word" && node.text.startsWith("~")) sure = false;
    if (node.type === "Redirected" && !node.redirects.every(harmless)) opens = true;
    if (node.type === "Command") commands.push(simpleCommand(node));
    if (isEvaluated(node)) commands.push(evaluated(node));
    unbash().forEachChild(node, visit);
  };
  const script = unbash().parse(source);
  visit(script);
  const only = script.commands.length === 1 ? script.commands[0] : undefined;
  const simple = only?.command.type === "Command" && only.background !== true && commands.length === 1;
  return { commands, opaque, sure, simple, opens };
}

/** Inside `[[ ]]` these take their words for arithmetic or a subscript: bash runs the substitutions in them, quoted or not. */
const EVALUATED = new Set("-eq -ne -lt -le -gt -ge -v -R".split(" "));

function isEvaluated(node: SyntaxNode): node is SyntaxNode & { type: "TestBinary" | "TestUnary" } {
  return (node.type === "TestBinary" || node.type === "TestUnary") && EVALUATED.has(node.operator);
}

/** Its words as those of a command: some of them are run as a text. */
function evaluated(node: SyntaxNode & { type: "TestBinary" | "TestUnary" }): SimpleCommand {
  const words = node.type === "TestUnary" ? [node.operand] : [node.left, node.right];
  return { words: [{ value: "[[", sure: true }, ...words.map(piece)], program: "[[", bare: false };
}

function simpleCommand(node: Command): SimpleCommand {
  const words = [...(node.name === undefined ? [] : [node.name]), ...node.args].map((w): Piece =>
    w.type === "Word" ? piece(w) : { value: w.text, sure: false },
  );
  const sets = node.prefix.flatMap((p) => {
    if (p.type !== "Assignment") return [];
    return [{ name: p.name, value: p.value.type === "Word" ? piece(p.value) : { value: p.text, sure: false } }];
  });
  const bare = sets.length === 0 && node.redirects.every(harmless);
  return { words, program: programOf(words[0]), bare, ...(sets.length === 0 ? {} : { sets }) };
}

/** The name of a program as rules to tighten compare it. */
export function programOf(word: Piece | undefined): string {
  return word?.sure === true ? word.value.slice(word.value.lastIndexOf("/") + 1).toLowerCase() : "";
}

function harmless(redirect: Redirection): boolean {
  if (
    redirect.type !== "Redirect" ||
    redirect.target === undefined ||
    redirect.descriptor?.type === "FileDescriptorVariable"
  )
    return false;
  const target = piece(redirect.target);
  if (!target.sure) return false;
  if (redirect.operator === ">&" || redirect.operator === "<&") return /^(\d+|-)$/.test(target.value);
  return target.value === "/dev/null";
}

function piece(word: Word): Piece {
  const { value } = word;
  if (word.text.startsWith("~")) return { value, sure: false };
  const parts = word.parts ?? [];
  if (parts.every((p) => !moves(p))) return { value, sure: true };
  const signs: Sign[] = [];
  for (const part of parts) {
    if (part.type === "Glob") signs.push(part.kind === "star" ? { star: true } : { any: true });
    else if (part.type === "Literal" || part.type === "SingleQuoted") signs.push(...Array.from(part.value));
    else return { value, sure: false };
  }
  return { value, sure: false, signs };
}

/** Holds an expansion, at any depth. */
function moves(node: SyntaxNode): boolean {
  if (UNSURE.has(node.type) || !PLAIN.has(node.type)) return true;
  let found = false;
  unbash().forEachChild(node, (child) => {
    found ||= moves(child);
  });
  return found;
}
