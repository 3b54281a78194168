import { cpSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { scriptedModel } from "../../src/model/scripted.ts";
import type { Answer, Asker } from "../../src/permissions/asker.ts";
import { LIMITS } from "../../src/session/defaults.ts";
import { openSession } from "../../src/session/open.ts";
import type { OpenOptions } from "../../src/session/options.ts";
import type { Session } from "../../src/session/session.ts";
import { copyStart } from "../../src/session/recording.ts";
import { defaultToolSettings } from "../../src/session/settings.ts";
import { openStore } from "../../src/session/store.ts";
import { builtinTools } from "../../src/tools/builtin.ts";
import type { Clock, MakeId } from "../../src/util/deps.ts";
import { systemClock } from "../../src/util/system.ts";
import type { Case, Desk } from "./recording-cases.ts";

// Without the test runner: `scripts/record.mjs` runs it.

/** Where recordings are made: no path of anybody's gets into a log. */
const NEUTRAL = "/tmp/understudy-demo";
/** Of nobody: it lies beside each log, so that every machine can verify it. */
const KEY = new Uint8Array(32).fill(7);
/** Every recording begins at this moment. */
const BEGIN = Date.parse("2026-01-05T09:00:00Z");

/** Records one session and saves it as `<to>/<name>/`: log, head, content, key, and the folder it began with. */
export async function recordCase(one: Case, to: string): Promise<void> {
  rmSync(NEUTRAL, { recursive: true, force: true });
  const at = { folder: join(NEUTRAL, "project"), home: join(NEUTRAL, "home") };
  for (const dir of Object.values(at)) mkdirSync(dir, { recursive: true });
  for (const [name, text] of Object.entries(one.files)) {
    mkdirSync(dirname(join(at.folder, name)), { recursive: true });
    writeFileSync(join(at.folder, name), text);
  }
  const saved = join(to, one.name);
  rmSync(saved, { recursive: true, force: true });
  cpSync(at.folder, join(saved, "start"), { recursive: true });
  copyStart(join(saved, "start"), at.folder);
  const options = optionsFor(one, at);
  const desk = deskOf(options, await openSession(options));
  try {
    await one.act(desk);
  } finally {
    await desk.session.close();
  }
  save(options.store, desk.session.id, saved);
  rmSync(NEUTRAL, { recursive: true, force: true });
}

function save(store: OpenOptions["store"], id: string, to: string): void {
  cpSync(join(store.sessions, `${id}.jsonl`), join(to, "log.jsonl"));
  cpSync(join(store.sessions, `${id}.head`), join(to, "head"));
  if (existsSync(store.content) && readdirSync(store.content).length > 0)
    cpSync(store.content, join(to, "content"), { recursive: true });
  writeFileSync(join(to, "key"), `${Buffer.from(KEY).toString("hex")}\n`);
}

function optionsFor(one: Case, at: { folder: string; home: string }): OpenOptions {
  const store = openStore({ config: join(NEUTRAL, "config"), state: join(NEUTRAL, "state", "understudy") });
  writeFileSync(store.key, KEY, { mode: 0o600 });
  const model = scriptedModel(one.script, { id: "scripted", clock: systemClock });
  return {
    folder: at.folder,
    addDirs: [],
    store,
    mode: one.mode,
    ...(one.rehearse === true ? { rehearse: true } : {}),
    defaults: { mode: one.mode, model: "scripted" },
    config: { limits: LIMITS, tools: defaultToolSettings, prices: {}, rules: one.rules ?? [] },
    tools: builtinTools,
    openModel: () => model,
    asker: askerOf(one, () => current),
    saveRule: (text) => Promise.resolve({ action: "allow", text, source: "person" }),
    program: "recording",
    machine: {
      env: { PATH: "/usr/local/bin:/usr/bin:/bin", LANG: "C.UTF-8" },
      home: at.home,
      uid: process.getuid?.() ?? 0,
      gid: process.getgid?.() ?? 0,
      platform: process.platform,
      arch: process.arch,
    },
    clock: fromTheBeginning(),
    makeId: counted(),
  };
}

/** The session that the person sits before. */
let current: Session | undefined;

function deskOf(options: OpenOptions, first: Session): Desk {
  current = first;
  const drain = async (run: ReturnType<Session["submit"]>, seen: (text: string) => void): Promise<void> => {
    for (let step = await run.next(); step.done !== true; step = await run.next())
      if (step.value.type === "tool.output") seen(step.value.text);
  };
  const desk: Desk = {
    session: first,
    say(text, stopAt) {
      const stop = new AbortController();
      return drain(desk.session.submit([{ type: "text", text }], stop.signal), (output) => {
        if (stopAt !== undefined && output.includes(stopAt)) stop.abort();
      });
    },
    goOn: () => drain(desk.session.goOn(new AbortController().signal), () => undefined),
    async reopen() {
      await desk.session.close();
      current = desk.session = await openSession({ ...options, resume: desk.session.id });
    },
  };
  return desk;
}

function askerOf(one: Case, session: () => Session | undefined): Asker {
  const answers = [...(one.answers ?? [])];
  const words = [...(one.words ?? [])];
  let n = 0;
  return {
    async ask(): Promise<Answer> {
      const now = session();
      if (now !== undefined) await one.meanwhile?.(now, n++);
      const next = answers.shift();
      if (next === undefined) throw new Error(`${one.name}: a question more than there are answers`);
      return next === "yes" || next === "no" ? { kind: next } : next;
    },
    askPerson: () => Promise.resolve(words.shift()),
  };
}

/** Real time, moved to a fixed day, so that a new recording differs as little as it can. */
function fromTheBeginning(): Clock {
  const since = Date.now();
  return { ...systemClock, now: () => BEGIN + Date.now() - since };
}

function counted(): MakeId {
  let n = 0;
  return (prefix) =>
    `${prefix}_${(n++)
      .toString(5)
      .padStart(20, "a")
      .replaceAll(/\d/g, (d) => "bcdef"[Number(d)] ?? "a")}`;
}
