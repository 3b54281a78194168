import { join } from "node:path";
import { layersOf } from "../../src/events/layers.ts";
import { listSessions } from "../../src/events/sessions.ts";
import { openSession, scriptedModel, toEnd, type Session } from "../../src/index.ts";
import { careful, chargeTool } from "./charging.ts";
import { libraryOptions } from "./library.ts";
import type { Place, ScriptInput } from "./open-at.ts";

// Started as a process: a long session of everything, done as a person would do it. Killed anywhere and started again it goes on from
// where the log says that it stands; `argv[2]`: the place, as JSON.
const at = JSON.parse(process.argv[2] ?? "") as Place;

const bash = (command: string) => ({ name: "Bash", input: { command } });
const charge = (eur: number) => ({ name: "charge", input: { eur } });
const read = (file_path: string) => ({ name: "Read", input: { file_path } });
const COMMIT =
  "git add -A && GIT_AUTHOR_DATE=2026-02-02T00:00:00Z GIT_COMMITTER_DATE=2026-02-02T00:00:00Z git -c user.name=t -c user.email=t@t.invalid commit -qm step";

/** Calls that append would show twice in the folder if they happened twice. */
const script: ScriptInput = {
  turns: [
    { text: "I look around first.", calls: [{ name: "Glob", input: { pattern: "*.txt" } }, read("a.txt")] },
    { calls: [{ name: "Edit", input: { file_path: "a.txt", old_string: "one", new_string: "two" } }, charge(5)] },
    {
      calls: [
        { name: "Write", input: { file_path: "new/b.txt", content: "b\n" } },
        { name: "Delete", input: { file_path: "precious.txt" } },
        { name: "TodoWrite", input: { todos: [{ text: "count", status: "active" }] } },
      ],
    },
    { calls: [bash("echo first >> log.txt; exit 3"), { name: "AskUser", input: { question: "Which colour?" } }] },
    { calls: [bash("export COLOUR=blue; cd new; echo $COLOUR >> ../log.txt"), { name: "Missing", input: {} }] },
    { text: "The first part is done." },
    { calls: [bash("echo rehearsed >> log.txt; mkdir -p node_modules/x; echo i > node_modules/x/i.js")] },
    { calls: [read("log.txt"), { name: "Write", input: { file_path: "c.txt", content: "c\n" } }] },
    { text: "It waits for your review." },
    { calls: [{ name: "Bash", input: { command: "echo up; sleep 600", run_in_background: true } }, charge(7)] },
    { calls: [{ name: "KillShell", input: { shell_id: "bg_1" } }, bash(`cd ..; echo last >> log.txt; ${COMMIT}`)] },
    { text: "All of it is done." },
  ],
};

/** Goes on with what is unfinished, answers what waits. */
async function finish(session: Session): Promise<void> {
  while (session.unfinished() !== undefined) {
    const waits = session.state().query?.ended === "waiting";
    await toEnd(waits ? session.goOn(undefined, "blue") : session.goOn());
  }
}

async function message(session: Session, n: number): Promise<void> {
  if (session.state().prompts === n) await finish(session);
  if (session.state().prompts >= n) return;
  await toEnd(session.submit(`part ${n}`));
  await finish(session);
}

const pending = (session: Session) => layersOf(session.state()).some((layer) => layer.pended);

/** What a person does, each only if it is not done yet. */
async function work(session: Session): Promise<void> {
  await message(session, 1);
  if (!session.state().steps.some((step) => step.status === "undone")) await session.undo();
  if (session.state().mode === "ask") await session.setMode("auto");
  if (session.state().prompts < 2) await session.setRehearsal(true);
  await message(session, 2);
  if (pending(session)) await session.land({ yes: true });
  if (session.state().rehearsing) await session.setRehearsal(false);
  await message(session, 3);
}

const known = listSessions(join(at.state, "understudy", "sessions"))[0]?.id;
const session = await openSession(
  libraryOptions(at, {
    model: scriptedModel(script),
    tools: [chargeTool(at.home)],
    program: "shop",
    asker: careful,
    ...(known === undefined ? {} : { resume: known }),
  }),
);
await work(session);
await session.close();
