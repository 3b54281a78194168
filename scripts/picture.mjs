// `npm run picture`: pictures of the built program for README and docs, docs/screen*.svg: stills, and one that moves.
// `--check`: writes nothing, exits 1 when one is out of date. `--built`: of dist/ as it is.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "./build.mjs";
import { played, PROMPT, SIZE } from "./picture-play.mjs";
import { film, svg } from "./svg.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const title = "agent · ~/tea-timer";
const QUESTION = /const whole[\s\S]*1\W+[Yy]es/;

/** The whole session, a still at each stop. */
async function stops({ type, shows, still }) {
  await shows(/what shall be done/);
  const start = still();
  type(PROMPT);
  await shows(/› The timer.*it\./s);
  const draft = still();
  type("\r");
  await shows(QUESTION);
  const question = still();
  // Ctrl-O: the review of what is asked about.
  type("\x0f");
  await shows(/takes in or leaves out/);
  const review = still();
  type("q");
  await shows(QUESTION);
  // A key so soon behind another one answers nothing.
  await new Promise((resolve) => setTimeout(resolve, 2000));
  type("1");
  await shows(/are shown as/);
  await shows(/what shall be done/);
  const landed = still();
  type("/undo");
  await shows(/› \/undo/);
  type("\r");
  await shows(/(?:Undone|undone)/);
  return { start, draft, question, review, landed, undo: still() };
}

/** From the row with the person's words down. */
function fromPrompt({ rows, caret }) {
  const top = Math.max(
    0,
    rows.findIndex((runs) => runs.some((run) => run.text.includes(PROMPT))),
  );
  return { rows: rows.slice(top), ...(caret === undefined ? {} : { caret: { ...caret, y: caret.y - top } }) };
}

/** Without blank rows at the end. */
function trimmed({ rows, caret }) {
  const last = Math.max(
    rows.findLastIndex((runs) => runs.length > 0),
    caret?.y ?? 0,
  );
  return { rows: rows.slice(0, last + 1), ...(caret === undefined ? {} : { caret }) };
}

function drawn(still, label, theme) {
  const { rows, caret } = trimmed(still);
  return svg(rows, {
    cols: SIZE.cols,
    title,
    label,
    ...(theme === undefined ? {} : { theme }),
    ...(caret === undefined ? {} : { caret }),
  });
}

const SHOWS_QUESTION =
  "Understudy in a terminal: an answer, two tool calls, and the question whether an edit may land, with its diff";

async function pictures() {
  const dark = await played(stops);
  const light = await played(async ({ type, shows, still }) => {
    await shows(/what shall be done/);
    type(PROMPT);
    await shows(/› The timer.*it\./s);
    type("\r");
    await shows(QUESTION);
    return still();
  }, "light");
  const scenes = [
    [dark.start, 1.5],
    [dark.draft, 2],
    [dark.question, 5],
    [dark.review, 3],
    [dark.landed, 3],
    [dark.undo, 4],
  ].map(([still, seconds]) => ({ ...still, seconds }));
  return {
    "screen.svg": drawn(fromPrompt(dark.question), SHOWS_QUESTION),
    "screen-light.svg": drawn(fromPrompt(light), `${SHOWS_QUESTION}, on a light background`, "light"),
    "screen-start.svg": drawn(dark.start, "Understudy at its start: what it is, and an empty composer"),
    "screen-review.svg": drawn(dark.review, "The review of a change: its files, and a diff to choose parts of"),
    "screen-undo.svg": drawn(fromPrompt(dark.undo), "The edit has landed, and was taken back with /undo"),
    "screen-moves.svg": film(scenes, {
      cols: SIZE.cols,
      title,
      label: "A session: a message, the question about an edit, its review, a yes, and the undo",
    }),
  };
}

if (!process.argv.includes("--built")) await build();
const made = await pictures();
const stale = Object.entries(made).filter(([name, text]) => {
  const file = join(root, "docs", name);
  return !existsSync(file) || readFileSync(file, "utf8") !== text;
});
if (process.argv.includes("--check")) {
  for (const [name] of stale) console.error(`docs/${name} is out of date: npm run picture`);
  process.exitCode = stale.length > 0 ? 1 : 0;
} else for (const [name, text] of stale) writeFileSync(join(root, "docs", name), text);
