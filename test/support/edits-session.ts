import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { listSessions } from "../../src/events/sessions.ts";
import { openSession, scriptedModel, toEnd, type Answer, type Question } from "../../src/index.ts";
import { libraryOptions } from "./library.ts";
import type { Place, ScriptInput } from "./open-at.ts";

// Started as a process: one reply with neighbouring edits, asked about in one question, of which one file is left out. Killed anywhere and
// started again it goes on; `argv[2]`: the place, as JSON. What was asked is kept beside the project.
const at = JSON.parse(process.argv[2] ?? "") as Place;

const write = (file_path: string) => ({ name: "Write", input: { file_path, content: `${file_path}\n` } });
const edit = (old_string: string, new_string: string) => ({
  name: "Edit",
  input: { file_path: "a.txt", old_string, new_string },
});
const script: ScriptInput = {
  turns: [
    { calls: [{ name: "Read", input: { file_path: "a.txt" } }] },
    { calls: [edit("one", "1"), write("new/b.txt"), edit("three", "3"), write("c.txt"), write("d.txt")] },
    { text: "done" },
  ],
};

const asker = {
  together: () => true,
  ask: ({ effect, together = [] }: Question): Promise<Answer> => {
    const paths = effect.changes?.entries.map((e) => e.path) ?? [];
    appendFileSync(join(at.home, "asked.txt"), `${together.length}: ${paths.join(" ")}\n`);
    return Promise.resolve({ kind: "yes", left: [{ root: 0, path: "c.txt" }] });
  },
  askPerson: () => Promise.resolve(undefined),
};

const known = listSessions(join(at.state, "understudy", "sessions"))[0]?.id;
const session = await openSession(
  libraryOptions(at, {
    model: scriptedModel(script),
    program: "edits",
    asker,
    ...(known === undefined ? {} : { resume: known }),
  }),
);
if (session.state().prompts === 0) await toEnd(session.submit("go"));
while (session.unfinished() !== undefined) await toEnd(session.goOn());
await session.close();
