import { realpathSync } from "node:fs";
import type { Rule } from "../events/effect.ts";
import { homeOf, programDirs } from "../session/environment.ts";
import { decidedBefore, editWords, keyOf } from "../session/policy-rows.ts";
import type { WritableSource } from "../session/rules-edit.ts";
import { addRule, changeRule, type SaveDeps } from "../session/rules-write.ts";
import { loadSettings } from "../session/settings.ts";
import { openStore } from "../session/store.ts";
import { ruleLines } from "../ui/commands/permissions-rows.ts";
import { textOfLine } from "../ui/render/spans.ts";
import { jsonLine } from "../util/json-line.ts";
import { randomId, systemClock } from "../util/system.ts";
import { sanitize } from "../util/visible.ts";
import { refuseAllows } from "../session/settings-managed.ts";
import { inHome } from "../permissions/rule-roots.ts";
import { refuseBad } from "./refuse-bad.ts";
import { UsageError } from "./usage-error.ts";
import { outWidth } from "./out-width.ts";

export type PermissionsOptions =
  | { act: "list"; json: boolean }
  | { act: "add"; action: Rule["action"]; rule: string; source: WritableSource }
  | { act: "remove"; rule: string; source: WritableSource };

/** `agent permissions`: the rules that count in this folder; adds to and takes from the person's own. Gives the exit code. */
export async function permissions(options: PermissionsOptions): Promise<number> {
  const dirs = programDirs(process.env);
  const store = openStore(dirs);
  const place = { configDir: dirs.config, folder: realpathSync(process.cwd()), home: homeOf(process.env) };
  const deps: SaveDeps = { ...place, clock: systemClock, makeId: randomId };
  const settings = loadSettings(place);
  if (options.act === "list") return list(settings, decidedBefore(store.sessions, place.folder), options.json);
  if (options.act === "add") {
    if (options.action === "allow") refuseAllows(settings.managed);
    const { action, rule: text, source } = options;
    refuseBad({ action, text: inHome(text, place.home), source }, "");
    await addRule({ action, text, source }, deps);
    return say(`${action} ${text}: saved; sessions that open from now on read it`);
  }
  const found = settings.rules.filter((r) => r.text === options.rule || unhomed(r.text, place.home) === options.rule);
  const mine = found.filter(
    (r): r is Rule & { source: WritableSource } =>
      r.source === options.source && editWords(r, settings.places.get(r)) === true,
  );
  if (mine.length === 0) throw new UsageError(missing(options.rule, found, settings.places));
  for (const rule of mine) await changeRule(rule, undefined, deps);
  return say(`${options.rule}: taken away`);
}

function unhomed(text: string, home: string): string {
  return text.replace(`(${home}/`, "(~/");
}

function missing(rule: string, found: readonly Rule[], places: ReadonlyMap<Rule, string>): string {
  const [other] = found;
  if (other === undefined) return `there is no rule ${rule}; \`agent permissions\` lists them`;
  const at = places.get(other);
  const edit = editWords(other, at);
  return `${rule} stands in ${at ?? other.source}${edit === true ? `: ${other.source === "user" ? "add --user" : "leave --user away"}` : `; ${edit}`}`;
}

function say(text: string): number {
  process.stdout.write(`${sanitize(text)}\n`);
  return 0;
}

function list(
  { rules, places, files, notices, managed, noBypass }: ReturnType<typeof loadSettings>,
  before: ReadonlyMap<string, string>,
  json: boolean,
): number {
  const rows = rules.map((rule) => {
    const at = places.get(rule);
    const edit = editWords(rule, at);
    return {
      rule,
      ...(at === undefined ? {} : { at }),
      state: "counts" as const,
      edit,
      uses: 0,
      before: before.get(keyOf(rule)) ?? null,
    };
  });
  for (const notice of notices) process.stderr.write(`agent: ${sanitize(notice)}\n`);
  if (json) {
    const lines = rows.map(({ rule, at, edit, before: last }) =>
      jsonLine({
        type: "rule",
        version: 1,
        ...rule,
        ...(at === undefined ? {} : { at }),
        editable: edit === true,
        last_decided: last,
      }),
    );
    process.stdout.write(lines.map((text) => `${text}\n`).join(""));
    return 0;
  }
  const width = outWidth();
  const lines = rows.flatMap((row) => ruleLines(row, width)).map(textOfLine);
  const tail = [
    ...(rows.length === 0 ? ["No rules count in this folder."] : []),
    ...(managed === undefined
      ? []
      : [
          `The machine's settings ${managed.file} stand above all${managed.locked.size === 0 ? "." : `, and lock ${[...managed.locked].join(", ")}.`}`,
        ]),
    ...(noBypass === undefined ? [] : [`--bypass is forbidden by ${noBypass}.`]),
    ...(files.length === 0 ? [] : [`Read: ${files.join(", ")}`]),
  ];
  process.stdout.write([...lines, ...tail.map((text) => sanitize(text))].map((text) => `${text.trimEnd()}\n`).join(""));
  return 0;
}
