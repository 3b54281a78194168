import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { SessionEvent } from "../../src/events/event.ts";
import type { WorkState } from "../../src/events/state.ts";
import { type FeatureList, nextFeature, readFeatures, WORK_FILES } from "../../src/loop/feature-list.ts";
import type { QueryResult, Session } from "../../src/session/session.ts";
import { collect, openAt, place, type Place, type ScriptInput } from "./session.ts";

export const never = () => new AbortController().signal;
export const bash = (command: string) => ({ name: "Bash", input: { command } });
export const write = (file_path: string, content: string) => ({ name: "Write", input: { file_path, content } });
export const edit = (old_string: string, new_string: string) => ({
  name: "Edit",
  input: { file_path: WORK_FILES.list, old_string, new_string },
});
export const git = (at: Place, ...args: string[]) =>
  execFileSync("git", ["-C", at.folder, "-c", "user.name=t", "-c", "user.email=t@t", ...args], { encoding: "utf8" });

export const ids = ["add", "list", "done", "drop"];
export const wanted: FeatureList = {
  wanted: "a list of things to do",
  features: ids.map((id) => ({
    id,
    title: `the word ${id} is understood`,
    check: `grep -q '^${id}$' words.txt`,
    passes: false,
  })),
};
export const listText = (list: FeatureList) => `${JSON.stringify(list, null, 2)}\n`;
export const listIn = (at: Place): FeatureList => {
  const list = readFeatures(readFileSync(join(at.folder, WORK_FILES.list), "utf8"));
  if (typeof list === "string") throw new Error(list);
  return list;
};
/** `"passes"` of one feature, as an edit. */
export const tick = (list: FeatureList, id: string) => {
  const whole = (passes: boolean) => JSON.stringify({ ...list.features.find((f) => f.id === id), passes }, null, 2);
  const inList = (text: string) => text.replaceAll("\n", "\n    ");
  return edit(inList(whole(false)), inList(whole(true)));
};

export function repository(): Place {
  const at = place("long-work");
  git(at, "init", "-q");
  git(at, "config", "user.name", "t");
  git(at, "config", "user.email", "t@t");
  return at;
}

/** A folder in which the first session has been. */
export function begun(list: FeatureList = wanted): Place {
  const at = repository();
  mkdirSync(join(at.folder, "work"));
  writeFileSync(join(at.folder, WORK_FILES.list), listText(list));
  writeFileSync(join(at.folder, WORK_FILES.progress), "Words, one a line, in words.txt.\n");
  writeFileSync(join(at.folder, WORK_FILES.start), "echo ready; touch made-by-start.txt\n");
  git(at, "add", "-A");
  git(at, "commit", "-q", "-m", "begin");
  return at;
}

export function resultsOf(events: readonly SessionEvent[]): string[] {
  return events.flatMap((e) =>
    e.type === "call.finished" ? [e.content.map((b) => (b.type === "text" ? b.text : "")).join("\n")] : [],
  );
}

export interface Worked {
  session: Session;
  result: QueryResult;
  events: SessionEvent[];
  told: string[];
  /** What the model was told of each call, in order. */
  results: string[];
}

export async function work(at: Place, of: WorkState, script: ScriptInput["turns"], text = ""): Promise<Worked> {
  const session = await openAt(at, { script: { turns: script }, more: { mode: "auto", work: of } });
  const told: string[] = [];
  const run = session.longWork?.run(text, never(), (words) => told.push(words));
  if (run === undefined) throw new Error("no long work");
  const { events, result } = await collect(run);
  await session.close();
  return { session, result, events, told, results: resultsOf(events) };
}

export function featureOf(at: Place): WorkState {
  const next = nextFeature(listIn(at));
  if (next === undefined) throw new Error("all pass");
  return { stage: "feature", list: WORK_FILES.list, feature: { id: next.id, check: next.check } };
}

/** What a model may try with the list while it should build feature `n`; each is to be refused. */
export function tries(list: FeatureList, n: number): { files: ScriptInput["turns"]; commands: ScriptInput["turns"] } {
  const id = ids[n] ?? "";
  const py = `import json;p='${WORK_FILES.list}';d=json.load(open(p));d['features'][${n}]['passes']=True;open(p,'w').write(json.dumps(d,indent=2)+'\\n')`;
  const commands = [
    `sed -i 's/"passes": false/"passes": true/' ${WORK_FILES.list}`,
    `python3 -c "${py}"; echo ${id} >> words.txt`,
    `rm -r work`,
    `mv ${WORK_FILES.list} work/old.json && cp work/old.json ${WORK_FILES.list}.new`,
    `cp ${WORK_FILES.list} x.json && ln -sf ../x.json ${WORK_FILES.list}`,
    `chmod 600 ${WORK_FILES.list}`,
    `rm ${WORK_FILES.list}; mkdir ${WORK_FILES.list}`,
    `printf '{"features": []}' > ${WORK_FILES.list}`,
  ];
  const files = [
    tick(list, id),
    ...ids.slice(n + 1).map((other) => tick(list, other)),
    edit(`grep -q '^${id}$' words.txt`, "true"),
    { name: "Delete", input: { file_path: WORK_FILES.list } },
    write(WORK_FILES.list, listText({ ...list, features: list.features.filter((f) => f.id !== id) })),
    write(WORK_FILES.list, listText({ ...list, wanted: "less" })),
  ];
  const turns = (calls: readonly { name: string; input: Record<string, unknown> }[]) =>
    calls.map((call) => ({ calls: [call] }));
  return { files: turns(files), commands: turns(commands.map(bash)) };
}
