import { type Line, line, wrap } from "../render/spans.ts";
import type { Command } from "./command.ts";

type Env = Readonly<Record<string, string | undefined>>;

/** What a terminal needs to be told so that Shift+Enter is more than Enter. */
interface Advice {
  name: string;
  /** Sentences, and lines to put somewhere, which begin with two blanks. */
  rows: readonly string[];
}

const ALWAYS = "These make a new line in every terminal: Ctrl+J, and \\ before Enter. Alt+Enter does in nearly all.";
const NOTHING = "Shift+Enter works as it is.";
const TMUX: Advice = {
  name: "tmux",
  rows: [
    "tmux tells Shift+Enter from Enter only where extended keys are on. Put into ~/.tmux.conf:",
    "  set -s extended-keys on",
    "  set -as terminal-features 'xterm*:extkeys'",
    "then run: tmux source-file ~/.tmux.conf, and start agent again. The terminal around tmux must be able to send it, too:",
  ],
};
const SCREEN: Advice = { name: "GNU screen", rows: ["GNU screen can't pass Shift+Enter on. Ctrl+J does it."] };

/** By TERM_PROGRAM, or by a variable that the terminal sets. */
const KNOWN: readonly [matches: (env: Env) => boolean, advice: Advice][] = [
  [by("kitty", "KITTY_WINDOW_ID"), { name: "kitty", rows: [NOTHING] }],
  [by("ghostty", "GHOSTTY_RESOURCES_DIR"), { name: "Ghostty", rows: [NOTHING] }],
  [by("foot"), { name: "foot", rows: [NOTHING] }],
  [
    by("wezterm", "WEZTERM_PANE"),
    {
      name: "WezTerm",
      rows: ["Put into ~/.wezterm.lua, before it returns its config:", "  config.enable_kitty_keyboard = true"],
    },
  ],
  [
    by("alacritty", "ALACRITTY_WINDOW_ID"),
    {
      name: "Alacritty",
      rows: [
        "From 0.13 on Shift+Enter works as it is. Before that put into alacritty.toml:",
        "  [[keyboard.bindings]]",
        '  key = "Return"',
        '  mods = "Shift"',
        '  chars = "\\u001b[13;2u"',
      ],
    },
  ],
  [
    by("iterm", "ITERM_SESSION_ID"),
    {
      name: "iTerm2",
      rows: [
        "Settings > Profiles > Keys > General: Report keys using CSI u, on.",
        "For Alt keys set Left Option key to Esc+ on the same page.",
      ],
    },
  ],
  [
    by("apple_terminal"),
    {
      name: "Terminal of macOS",
      rows: [
        "It can't tell Shift+Enter from Enter. Settings > Profiles > Keyboard: Use Option as Meta key, on; then Option+Enter does it.",
      ],
    },
  ],
  [
    by("vscode"),
    {
      name: "VS Code",
      rows: [
        "Command palette > Preferences: Open Keyboard Shortcuts (JSON), and put into the list:",
        '  { "key": "shift+enter", "command": "workbench.action.terminal.sendSequence",',
        '    "args": { "text": "\\u001b[13;2u" }, "when": "terminalFocus" }',
      ],
    },
  ],
  [
    by("windows_terminal", "WT_SESSION"),
    {
      name: "Windows Terminal",
      rows: [
        "Put into the actions of settings.json:",
        '  { "command": { "action": "sendInput", "input": "\\u001b[13;2u" }, "keys": "shift+enter" }',
      ],
    },
  ],
  [by("xterm", "XTERM_VERSION"), { name: "xterm", rows: [NOTHING] }],
];

function by(program: string, variable?: string): (env: Env) => boolean {
  return (env) => {
    const named = `${env["TERM_PROGRAM"] ?? ""} ${env["TERM"]?.replace(/^xterm-(?:256color|color|16color)$/, "") ?? ""}`;
    return named.toLowerCase().includes(program) || (variable !== undefined && (env[variable] ?? "") !== "");
  };
}

/** What to put where, so that a new line can be typed by more than Ctrl+J (IN-2). */
export function setupRows(env: Env): string[] {
  const multiplexer = (env["TMUX"] ?? "") !== "" ? [TMUX] : (env["STY"] ?? "") !== "" ? [SCREEN] : [];
  const known = KNOWN.find(([matches]) => matches(env))?.[1] ?? {
    name: "This terminal",
    rows: [
      "It is none that is known here. If Shift+Enter sends, let it send the characters Esc [ 13 ; 2 u in the terminal's settings.",
    ],
  };
  const all = [...multiplexer, ...(multiplexer[0] === SCREEN ? [] : [known])];
  return [
    ...all.flatMap(({ name, rows }) => [name, ...rows.map((row) => `  ${row}`)]),
    ALWAYS,
    "Nothing was changed. Which keys arrive: press them, and look at /keys.",
  ];
}

/** Tells how this terminal is set up for a new line; changes nothing. */
export const terminalSetupCommand: Command = {
  name: "terminal-setup",
  text: "How Shift+Enter works in this terminal, and in tmux",
  always: true,
  run: async (_args, context) => {
    const rows = setupRows(context.env ?? {});
    context.say((width): Line[] =>
      rows.flatMap((row) => {
        const indent = /^ */.exec(row)?.[0] ?? "";
        const style = indent === "" && row.length < 20 ? "bold" : undefined;
        return wrap(line(row.trimStart(), style), { width, first: line(indent), rest: line(indent) });
      }),
    );
  },
};
