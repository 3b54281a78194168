import { z } from "zod";
import { MODES } from "./mode.ts";
import { SideEffect } from "./side-effect.ts";

export const Mode = z.enum(MODES);
export type Mode = z.infer<typeof Mode>;

export const Risk = z.enum(["low", "medium", "high"]);
export type Risk = z.infer<typeof Risk>;

/**
 * What a call must be allowed before it runs. `change`: it would change files of the folder (plan mode refuses it; its
 * change set is judged later). `uncontained`: a command where no copy can be had (P10). `before`: the setting
 * `permissions.commands: "before"` wants a question ahead of a contained command (P9).
 */
export const Need = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("outside"), access: z.enum(["read", "write"]), path: z.string() }),
  /** `get`: nothing but a page is got from there, by this scheme. */
  z.object({
    kind: z.literal("network"),
    host: z.string(),
    port: z.number().optional(),
    get: z.enum(["http", "https"]).optional(),
  }),
  z.object({ kind: z.literal("unsandboxed"), words: z.string() }),
  z.object({ kind: z.literal("uncontained"), words: z.string() }),
  z.object({ kind: z.literal("before"), words: z.string() }),
  z.object({ kind: z.literal("change"), paths: z.array(z.string()) }),
  /** A port of the copy's network is opened on the machine's own loopback. */
  z.object({ kind: z.literal("port"), port: z.number() }),
  /** `pin`: SHA-256, hex, over all that the server says of the tool (name, description, schema). */
  z.object({
    kind: z.literal("mcp"),
    server: z.string(),
    tool: z.string(),
    pin: z.string().optional(),
    /** What the server says of the tool: for the question, and nothing is decided by it. */
    about: z.string().optional(),
    /** What of it is other than when it last ran. */
    changed: z.string().optional(),
  }),
]);
export type Need = z.infer<typeof Need>;

/**
 * Facts about one changed entry that raise its risk (P3). They are found with I/O by `workspace/`, judged without by
 * `permissions/`. `own`: the session made this file and nobody else changed it since, which takes the risk from
 * `delete` and `empty`.
 */
export const Mark = z.enum([
  "delete",
  "empty",
  "uncommitted",
  "executable",
  "setid",
  /** Who owns it can no longer read it, or enter the folder. */
  "closed",
  /** Every user of the machine may change it. */
  "open-to-all",
  "special",
  "link-out",
  "type-change",
  "control",
  "own",
  "regenerable",
  "hardlink",
  /** Brought by git's own switch or fast-forward; its old bytes are committed, so nothing is lost by it. */
  "committed",
]);
export type Mark = z.infer<typeof Mark>;

export const ChangeOp = z.enum(["create", "modify", "delete", "rename", "chmod", "link", "type"]);
export type ChangeOp = z.infer<typeof ChangeOp>;

/** One line of a change set as it is judged and shown. `path` is for people: relative to its root, UTF-8, unsafe bytes as U+FFFD. */
export const ChangeEntry = z.object({
  root: z.number(),
  path: z.string(),
  from: z.string().optional(),
  op: ChangeOp,
  type: z.enum(["file", "folder", "link", "special"]),
  marks: z.array(Mark),
  /** Lines added and removed, where the change is shown as a diff. */
  added: z.number().optional(),
  removed: z.number().optional(),
  /** Bytes afterwards. */
  size: z.number().optional(),
  binary: z.boolean().optional(),
  /** Files below, for a whole folder that came or went. */
  files: z.number().optional(),
  target: z.string().optional(),
  /** What runs it outside of the copy, where hooks or servers name it: "hook PostToolUse". It has the mark `control` then. */
  runBy: z.string().optional(),
});
export type ChangeEntry = z.infer<typeof ChangeEntry>;

/** What a step did inside `.git`, by meaning (P3). `high` lines name what raises the risk. */
export const GitEffect = z.object({ text: z.string(), high: z.boolean() });
export type GitEffect = z.infer<typeof GitEffect>;

/**
 * A change set as the gate judges it and the question shows it. `entries` leaves out `.git` (told by `git`) and
 * regenerable output (told by `regenerable`); every deletion, emptied file, control file and new executable is in it.
 */
export const ChangeSummary = z.object({
  entries: z.array(ChangeEntry),
  /** Files outside `.git` and regenerable output, the number that P4 counts. */
  files: z.number(),
  git: z.array(GitEffect),
  regenerable: z.array(z.object({ root: z.number(), path: z.string(), files: z.number(), bytes: z.number() })),
  /** SHA-256 over the sorted changes with their fingerprints: what was shown is what lands. */
  manifestHash: z.string(),
  undoable: z.boolean(),
  /** What the step did beyond its changes: no undo takes it back. */
  sideEffects: z.array(SideEffect).optional(),
});
export type ChangeSummary = z.infer<typeof ChangeSummary>;

/** What is judged: a call's needs before it runs, or its changes after it ran in the copy and before they land. */
export const Effect = z.object({
  tool: z.string(),
  subject: z.string(),
  /** Files that the call names, links followed: relative to the root that holds them, absolute outside. What `Read(…)` and `Edit(…)` rules match. */
  paths: z.array(z.string()).optional(),
  needs: z.array(Need),
  changes: ChangeSummary.optional(),
  /** Further files that earlier calls of this tool changed in the same turn, since a person last said yes to one of them (P4). */
  earlier: z.object({ files: z.number(), paths: z.array(z.string()) }).optional(),
  contained: z.boolean(),
  /** Of a command: what earlier ones of the session made of its words, unasked (a moved PATH, `~/.npmrc`); a sentence's part each. No allow of words counts then. */
  shaped: z.array(z.string()).optional(),
});
export type Effect = z.infer<typeof Effect>;

export const RuleSource = z.enum(["managed", "user", "person", "project", "cli", "session"]);
export type RuleSource = z.infer<typeof RuleSource>;
/** `text` as written, such as `Bash(npm test:*)`, `Edit(src/**)`, `Delete(tmp/**)`, `Network(host:443)`, `Land(node_modules)`. */
export const Rule = z.object({ action: z.enum(["allow", "ask", "deny"]), text: z.string(), source: RuleSource });
export type Rule = z.infer<typeof Rule>;
/** A rule with the place that it was read from, `file:line`; none for what was typed. */
export const PlacedRule = Rule.extend({ at: z.string().optional() });
export type PlacedRule = z.infer<typeof PlacedRule>;

export const Decision = z.object({
  action: z.enum(["allow", "ask", "deny"]),
  risk: Risk,
  /** For people and the model, one sentence. */
  reason: z.string(),
  rule: Rule.optional(),
  /** All rules that decided, where they are several: each allow lifts only what it names. */
  rules: z.array(Rule).optional(),
  /** Name of the hook that decided, empty where it has none (H2). */
  hook: z.string().optional(),
  /** Allowed, although the policy would have asked: by `--bypass` (P8). */
  bypassed: z.boolean().optional(),
});
export type Decision = z.infer<typeof Decision>;
