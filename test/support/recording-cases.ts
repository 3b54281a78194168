import type { Answer } from "../../src/permissions/asker.ts";
import type { Session } from "../../src/session/session.ts";
import type { Mode, Rule } from "../../src/events/effect.ts";
import type { ScriptInput } from "./open-at.ts";

/** What a recorded person can do beside answering. */
export interface Desk {
  session: Session;
  /** Runs a message to its end; `stopAt`: stops it when this text was seen in a command's output. */
  say(text: string, stopAt?: string): Promise<void>;
  goOn(): Promise<void>;
  /** Closes the session and opens it again, as after a day. */
  reopen(): Promise<void>;
}

/** One recorded session: its folder, its model, its person. */
export interface Case {
  name: string;
  /** For the list of recordings. */
  about: string;
  mode: Mode;
  rehearse?: boolean;
  rules?: readonly Rule[];
  files: Readonly<Record<string, string>>;
  script: ScriptInput;
  /** In the order of the questions. */
  answers?: readonly (Answer | "yes" | "no")[];
  /** To AskUser; undefined: nobody is there. */
  words?: readonly (string | undefined)[];
  /** What the person does while a question is open. */
  meanwhile?(session: Session, n: number): Promise<void>;
  act(desk: Desk): Promise<void>;
}

const bash = (command: string, more: Record<string, unknown> = {}) => ({ name: "Bash", input: { command, ...more } });
const edit = (file_path: string, old_string: string, new_string: string) => ({
  name: "Edit",
  input: { file_path, old_string, new_string },
});
const read = (file_path: string) => ({ name: "Read", input: { file_path } });
const write = (file_path: string, content: string) => ({ name: "Write", input: { file_path, content } });

const NOTES = {
  "README.md": "# Notes\n\nThings to remember.\n",
  "todo.txt": "milk\nbread\n",
  "old/2019.txt": "long ago\n",
  "old/2020.txt": "a while ago\n",
};

/** The ten recorded sessions of `fixtures/sessions/`. */
export const CASES: readonly Case[] = [
  {
    name: "edit-bash-denial",
    about:
      "an edit that is answered yes for the session, a command that only reads, a deletion that is answered no with words",
    mode: "ask",
    files: NOTES,
    script: {
      turns: [
        {
          text: "I'll look at the list.",
          calls: [{ name: "Glob", input: { pattern: "**/*" } }, read("todo.txt"), bash("wc -l todo.txt README.md")],
        },
        { calls: [edit("todo.txt", "bread", "bread\nbutter")] },
        { calls: [edit("todo.txt", "milk", "milk, oat")] },
        { calls: [bash("rm -r old")] },
        { text: "I added butter, and left old/ as it is." },
      ],
    },
    answers: [
      { kind: "yes", remember: { scope: "session", rule: "Edit(todo.txt)" } },
      { kind: "no", note: "I still need old/" },
    ],
    act: (desk) => desk.say("Put butter on the list and tidy up."),
  },
  {
    name: "plan-mode",
    about:
      "plan mode: reads and a build in the copy, a refused write; then the mode changes and the plan is carried out",
    mode: "plan",
    files: NOTES,
    script: {
      turns: [
        { calls: [read("README.md"), bash("grep -c . todo.txt > count.txt && cat count.txt")] },
        { calls: [write("PLAN.md", "1. Do it.\n")] },
        { text: "Plan: write PLAN.md with one line." },
        { calls: [write("PLAN.md", "1. Do it.\n")] },
        { text: "Written." },
      ],
    },
    answers: ["yes"],
    async act(desk) {
      await desk.say("Plan a plan.");
      await desk.session.setMode("ask");
      await desk.say("Go on and write it.");
    },
  },
  {
    name: "auto-high-risk",
    about: "auto mode: low and medium risk land unasked, a deletion asks, one that a rule names does not",
    mode: "auto",
    files: NOTES,
    rules: [{ action: "allow", text: "Delete(old/2019.txt)", source: "user" }],
    script: {
      turns: [
        { calls: [read("todo.txt")] },
        {
          text: "Two things at once.",
          calls: [edit("todo.txt", "milk", "oat milk"), bash("rm old/2020.txt")],
        },
        { calls: [bash("rm old/2019.txt")] },
        { text: "Done." },
      ],
    },
    answers: ["yes"],
    act: (desk) => desk.say("Oat milk, and clear out old/."),
  },
  {
    name: "rehearse-and-land",
    about: "a rehearsal: three steps wait, the review takes two of the files",
    mode: "ask",
    rehearse: true,
    files: NOTES,
    script: {
      turns: [
        { calls: [write("index.md", "- todo\n"), bash("sort todo.txt -o todo.txt")] },
        { calls: [bash("cat index.md todo.txt")] },
        { text: "Both are pending." },
        { text: "Good." },
      ],
    },
    answers: [{ kind: "yes", left: [{ root: 0, path: "index.md" }] }],
    async act(desk) {
      await desk.say("Sort the list and add an index.");
      await desk.session.land();
      await desk.say("Thanks.");
    },
  },
  {
    name: "undo",
    about: "two landed steps, a command of the person's, the newest step undone and redone, the model told",
    mode: "auto",
    files: NOTES,
    script: {
      turns: [
        { calls: [write("a.txt", "one\n")] },
        { calls: [edit("a.txt", "one", "two")] },
        { text: "a.txt says two." },
        { calls: [read("a.txt")] },
        { text: "It says one again." },
      ],
    },
    async act(desk) {
      await desk.say("Write a.txt.");
      await desk.session.undo();
      await desk.say("Look again.");
      await desk.session.redo();
      const typed = desk.session.shell("tr a-z A-Z < a.txt > b.txt", new AbortController().signal);
      while ((await typed.next()).done !== true);
    },
  },
  {
    name: "ask-user",
    about: "a question of the model's: nobody is there, the program ends, the answer comes a day later",
    mode: "ask",
    files: NOTES,
    script: {
      turns: [
        {
          text: "One question first.",
          calls: [
            { name: "AskUser", input: { question: "Which list?", options: [{ label: "todo" }, { label: "done" }] } },
          ],
        },
        { calls: [read("todo.txt")] },
        { calls: [edit("todo.txt", "milk", "milk (2)")] },
        { text: "Two milks on todo." },
      ],
    },
    words: [undefined, "todo"],
    answers: ["yes"],
    async act(desk) {
      await desk.say("Add another milk.");
      await desk.reopen();
      await desk.goOn();
    },
  },
  {
    name: "background-group",
    about: "a background shell: it is started, asked for its output, changes a file, and is ended",
    mode: "ask",
    files: NOTES,
    script: {
      turns: [
        {
          calls: [bash("echo made > made.txt; echo ready; sleep 600", { run_in_background: true })],
        },
        { calls: [{ name: "BashOutput", input: { shell_id: "bg_1" } }, bash("ls")] },
        { calls: [{ name: "KillShell", input: { shell_id: "bg_1" } }] },
        { text: "It ran and was ended." },
      ],
    },
    answers: ["yes"],
    act: (desk) => desk.say("Try a server."),
  },
  {
    name: "failing-tool",
    about: "the same edit fails three times in a row: handed over to the person (S4)",
    mode: "auto",
    files: NOTES,
    script: {
      turns: [
        { calls: [read("todo.txt"), edit("todo.txt", "cheese", "brie")] },
        { calls: [read("todo.txt")] },
        { calls: [edit("todo.txt", "cheese", "brie")] },
        { calls: [edit("todo.txt", "Cheese", "Brie")] },
        { calls: [edit("todo.txt", "CHEESE", "BRIE")] },
        { calls: [edit("todo.txt", "kaas", "brie")] },
        { text: "never" },
      ],
      loop: false,
    },
    act: (desk) => desk.say("Brie instead of cheese."),
  },
  {
    name: "interrupt",
    about: "a command is stopped while it runs; the next message goes on",
    mode: "auto",
    files: NOTES,
    script: {
      turns: [
        { calls: [bash("echo started; sleep 60; echo never > never.txt"), read("todo.txt")] },
        { calls: [bash("ls")] },
        { text: "Nothing of it is there." },
      ],
    },
    async act(desk) {
      await desk.say("Wait a minute.", "started");
      await desk.say("Never mind. What is there?");
    },
  },
  {
    name: "steering-large-output",
    about:
      "output too long for the model is kept in a file it can read; words typed meanwhile; a mode switch at a question",
    mode: "ask",
    files: NOTES,
    script: {
      turns: [
        { calls: [bash("seq -f 'line %06.0f of a long list' 1 3000")] },
        { calls: [bash("echo x >> todo.txt")] },
        { calls: [bash("echo y >> todo.txt")] },
        { text: "Stopped, since it is a plan now." },
      ],
    },
    answers: ["yes", "yes"],
    async meanwhile(session, n) {
      if (n === 0) session.steer("and then do the same with y");
      else await session.setMode("plan");
    },
    act: (desk) => desk.say("Count, then add x."),
  },
];
