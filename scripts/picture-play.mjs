// Plays a session of the built program in a real pseudo-terminal, with a scripted model on a small project, and takes stills on the way.
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { spawn } from "@lydell/node-pty";
import xterm from "@xterm/headless";
import { rowsOf } from "./svg.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
export const SIZE = { cols: 96, rows: 36 };
const WAIT_MS = 60_000;

const FILES = {
  "src/format.ts": `/** "3:20" for 200 seconds. */
export function clock(seconds: number): string {
  const minutes = Math.floor(seconds / 60);
  const rest = Math.round(seconds % 60);
  return \`\${minutes}:\${String(rest).padStart(2, "0")}\`;
}
`,
  "src/timer.ts": `import { clock } from "./format.ts";

export const show = (left: number): string => \`tea in \${clock(left)}\`;
`,
  "package.json": '{ "name": "tea-timer", "type": "module" }\n',
};
export const PROMPT = "The timer shows 1:60 for a moment before it shows 2:00. Find out why and fix it.";
const SCRIPT = {
  turns: [
    {
      text: "I look for the place where seconds become text.",
      calls: [{ name: "Grep", input: { pattern: "clock\\(" } }],
    },
    // A turn of its own: cards of calls that run side by side stand in the order of their ends.
    { calls: [{ name: "Read", input: { file_path: "src/format.ts" } }] },
    {
      text: "Found it. `clock` rounds the seconds **after** it has split off the minutes:\n\n- 119.7 s are 1 minute and 59.7 s,\n- 59.7 is rounded to 60, so the screen says `1:60`.\n\nRounding the whole first, then splitting, keeps both parts in step.",
      calls: [
        {
          name: "Edit",
          input: {
            file_path: "src/format.ts",
            old_string: "  const minutes = Math.floor(seconds / 60);\n  const rest = Math.round(seconds % 60);",
            new_string:
              "  const whole = Math.round(seconds);\n  const minutes = Math.floor(whole / 60);\n  const rest = whole % 60;",
          },
        },
      ],
    },
    { text: "`clock` rounds once now, so 119.7 s are shown as `2:00`." },
  ],
};

/** `steps(stage)` types and takes stills; gives what it gives. `theme`: the terminal's background. */
export async function played(steps, theme = "dark") {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "understudy-picture-")));
  try {
    return await play(base, steps, theme);
  } finally {
    rmSync(base, { recursive: true, force: true });
  }
}

async function play(base, steps, theme) {
  const folder = join(base, "tea-timer");
  for (const [name, text] of Object.entries(FILES)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  // Beside the project, where the search in it does not find the answer.
  writeFileSync(join(base, "fix.json"), JSON.stringify(SCRIPT));
  const terminal = new xterm.Terminal({ ...SIZE, scrollback: 1000, allowProposedApi: true });
  const pty = spawn(process.execPath, [join(root, "bin/agent.js"), "--model", "scripted:../fix.json"], {
    ...SIZE,
    cwd: folder,
    // HOME is the folder's parent, so that the path on the screen is `~/tea-timer` wherever this runs.
    env: {
      PATH: "/usr/local/bin:/usr/bin:/bin",
      HOME: base,
      LANG: "C.UTF-8",
      TERM: "xterm-256color",
      COLORFGBG: theme === "light" ? "0;15" : "15;0",
      UNDERSTUDY_CONFIG: join(base, "config"),
      XDG_STATE_HOME: join(base, "state"),
    },
  });
  let ended = false;
  let cursor = true;
  pty.onExit(() => (ended = true));
  pty.onData((data) => {
    cursor = { h: true, l: false }[/^[^]*\x1b\[\?25([hl])/.exec(data)?.[1]] ?? cursor;
    terminal.write(data);
  });
  terminal.onData((reply) => ended || pty.write(reply));
  try {
    return await steps({
      type: (keys) => pty.write(keys),
      /** Waits until it is on the screen, and the screen stands still. */
      async shows(what) {
        await shown(terminal, what, () => ended);
        await settled(terminal);
      },
      still() {
        const { cursorX: x, cursorY: y } = terminal.buffer.active;
        return { rows: rowsOf(terminal).map((runs) => runs.map(steady)), ...(cursor ? { caret: { x, y } } : {}) };
      },
    });
  } finally {
    if (!ended) pty.kill("SIGKILL");
  }
}

function text(terminal) {
  const { active } = terminal.buffer;
  return Array.from({ length: terminal.rows }, (_, y) =>
    active.getLine(active.baseY + y)?.translateToString(true),
  ).join("\n");
}

async function shown(terminal, what, ended) {
  const until = Date.now() + WAIT_MS;
  while (!what.test(text(terminal))) {
    if (ended() || Date.now() > until) throw new Error(`${what} was not shown:\n${text(terminal)}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Waits until what can be seen has stood still for half a second. */
async function settled(terminal) {
  let last = "";
  let since = Date.now();
  const until = since + WAIT_MS;
  while (Date.now() - since < 500 && Date.now() < until) {
    const now = text(terminal);
    if (now !== last) [last, since] = [now, Date.now()];
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** What differs from run to run is made equal: how long a call took, behind its dot. */
function steady(run) {
  const text = run.text.replaceAll(/(· )\d+(\.\d)? (s|ms)\b/g, "$10.1 s");
  return { ...run, text, cells: run.cells + text.length - run.text.length };
}
