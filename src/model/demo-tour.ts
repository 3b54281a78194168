import { fileCount, filesIn, fullest, overview, several, todosIn } from "./demo-notes.ts";
import { OVERVIEW, TODO, type Result, type Talk } from "./demo-talk.ts";

export interface Call {
  name: string;
  input: Record<string, unknown>;
}
/** What the demo says next, and what it calls. */
export interface Line {
  text: string;
  calls: readonly Call[];
}

const WHAT =
  "This is the built-in demo: no model is behind these words, they were written beforehand. The tools are real, and so are the files.";
const KEY =
  "With a real model you say in your own words what you want: set ANTHROPIC_API_KEY (or point ANTHROPIC_BASE_URL to a local server that speaks the Messages API) and start `agent` in a folder of yours.";

/** The next line of the tour. Pure: the same conversation always goes on the same way. */
export function nextLine(talk: Talk, tools: readonly string[]): Line {
  const missing = ["Glob", "Grep", "Read", "Write"].filter((name) => !tools.includes(name));
  if (missing.length > 0)
    return say(`${WHAT} The tour needs ${missing.join(", ")}, which this session doesn't offer. ${KEY}`);
  if (talk.over && !canGoOn(talk)) return say(afterwards(talk));
  if (talk.glob === undefined) return lookForNotes(talk);
  const line = onward(talk.glob, talk, tools);
  return talk.said === undefined ? line : { ...line, text: `${kindly(talk)}\n\n${line.text}` };
}

/** A tour that stopped short of its proposal in plan mode goes on once another mode is on. */
function canGoOn({ write, asked, glob, grep, read, mode }: Talk): boolean {
  const ready = glob !== undefined && grep !== undefined && read !== undefined;
  return ready && write === undefined && asked === undefined && mode !== "plan";
}

function onward(glob: Result, talk: Talk, tools: readonly string[]): Line {
  const notes = filesIn(glob);
  if (talk.grep === undefined) return lookForTodos(glob, notes.total);
  const found = todosIn(talk.grep);
  const file = fullest(found) ?? notes.files.find((f) => f !== OVERVIEW);
  if (talk.read === undefined && file !== undefined) {
    const old = notes.files.includes(OVERVIEW) ? [{ name: "Read", input: { file_path: OVERVIEW } }] : [];
    return {
      text: `Demo, step 3 of 5: ${foundWords(talk.grep)} I open ${file} to see one whole.`,
      calls: [{ name: "Read", input: { file_path: file, limit: 60 } }, ...old],
    };
  }
  if (talk.write !== undefined) return say(ending(talk.write));
  const content = overview(found, notes.total);
  if (talk.mode === "plan") return say(planned(content));
  const refused = talk.asked !== undefined && (talk.asked.failed || !/^y(es)?\b/i.test(talk.asked.text.trim()));
  if (refused) return say(`Demo, step 5 of 5: then nothing is written. ${KEY}`);
  // In auto mode a new file would land unasked; the tour writes only after a yes.
  if (talk.mode === "auto" && talk.asked === undefined)
    return tools.includes("AskUser") ? ask() : say(planned(content));
  return {
    text: `Demo, step 4 of 5: ${talk.read === undefined ? `${foundWords(talk.grep)} ` : ""}All of it in one place would be handy, so I propose a new file, ${OVERVIEW}. Nothing is written before you say yes: you see what would change, and you decide.`,
    calls: [{ name: "Write", input: { file_path: OVERVIEW, content } }],
  };
}

function lookForNotes({ said }: Talk): Line {
  const other = said === undefined || /\b(tour|demo|show|around|hello|hi)\b/i.test(said);
  const sorry = other ? "" : " So I can't do what you ask; let me show you around instead.";
  return {
    text: `${WHAT}${sorry}\n\nDemo, step 1 of 5: I look which notes this folder holds. Looking never needs your permission.`,
    calls: [{ name: "Glob", input: { pattern: "**/*.md" } }],
  };
}

function lookForTodos(glob: Result, total: number): Line {
  const what = glob.failed
    ? `that look was refused (${firstLine(glob)}).`
    : total === 0
      ? "there are no Markdown notes here."
      : `there ${total === 1 ? "is" : "are"} ${several(total, "Markdown file")}.`;
  const where = total === 0 ? {} : { glob: "*.md" };
  return {
    text: `Demo, step 2 of 5: ${what} Next I search ${total === 0 ? "all files" : "them"} for TODOs.`,
    calls: [{ name: "Grep", input: { pattern: TODO, ...where } }],
  };
}

function foundWords(grep: Result): string {
  if (grep.failed) return `The search was refused (${firstLine(grep)}).`;
  const found = todosIn(grep);
  return found.length === 0
    ? "No TODO is left in here."
    : `I found ${several(found.length, "TODO")} in ${several(fileCount(found), "file")}.`;
}

function ask(): Line {
  const question = `May the demo write ${OVERVIEW} into this folder?`;
  return {
    text: "Demo, step 4 of 5: in auto mode a new file would land without a question, so the demo asks by itself.",
    calls: [{ name: "AskUser", input: { question, options: [{ label: "Yes" }, { label: "No" }] } }],
  };
}

function planned(content: string): string {
  return `Demo, step 4 of 5: nothing may change now, so this is only a plan. I would write ${OVERVIEW}:\n\n${content}\nSwitch to ask mode (Shift+Tab) and say "go on": then I propose it.`;
}

function ending(write: Result): string {
  const how = write.failed
    ? `${OVERVIEW} was not written (${firstLine(write)}), and nothing else was touched: what you don't allow doesn't happen.`
    : `${OVERVIEW} is in the folder now, because it was allowed. \`/undo\` takes it back, after a restart too.`;
  return `Demo, step 5 of 5: ${how}\n\nCommands are judged by what they change, too: where the machine allows it they run in a disposable copy, and you see the changes before they land.\n\nThat was the tour. ${KEY}`;
}

function afterwards({ said = "" }: Talk): string {
  return `I'm only the demo and don't understand ${said === "" ? "more than this" : "what you write"}; the tour is over. Say "tour" to see it again, or /exit to leave.\n\n${KEY}`;
}

function kindly({ write }: Talk): string {
  return write === undefined
    ? "(I saw that you wrote something. I'm only a demo and can't follow it, so I go on with the tour.)"
    : "(I'm only a demo, so I can't answer that.)";
}

function firstLine({ text }: Result): string {
  const line = text.split("\n").find((l) => l.trim() !== "") ?? "no reason given";
  const words = line.replace(/^\[|\]$/g, "").replace(/\.$/, "");
  return words.length > 200 ? `${words.slice(0, 200).toWellFormed()}…` : words;
}

function say(text: string): Line {
  return { text, calls: [] };
}
