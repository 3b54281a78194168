import type { Command, Option } from "commander";

import type { ShellName } from "./args-completion.ts";

interface Flag {
  names: readonly string[];
  about: string;
  /** It takes a value: one of these where they are known. */
  value?: readonly string[];
}

/** A command with what may stand behind it. `path`: the words that lead to it, empty for the program itself. */
interface Place {
  path: string;
  commands: readonly { name: string; about: string }[];
  /** What its first word may be, where that is known. */
  choices: readonly string[];
  /** Its first word is a session's id. */
  session: boolean;
  flags: readonly Flag[];
}

/** Every command of a program, itself first. */
export function placesOf(command: Command, path = ""): Place[] {
  const help = command.createHelp();
  const commands = help.visibleCommands(command).filter((c) => c.name() !== "help");
  const below = commands.flatMap((c) => placesOf(c, path === "" ? c.name() : `${path} ${c.name()}`));
  return [
    {
      path,
      commands: commands.map((c) => ({ name: c.name(), about: c.description() })),
      choices: command.registeredArguments[0]?.argChoices ?? [],
      session: /^(id|session)$/.test(command.registeredArguments[0]?.name() ?? ""),
      flags: help.visibleOptions(command).map(flagOf),
    },
    ...below,
  ];
}

function flagOf(option: Option): Flag {
  const names = [option.short, option.long].filter((name) => name !== undefined);
  const value = option.required || option.optional ? { value: option.argChoices ?? [] } : {};
  return { names, about: option.description, ...value };
}

/** A script for a shell to source, that completes the program's commands, flags and their values. Words are the program's own, never a person's. */
export function completionScript(shell: ShellName, program: Command): string {
  return { bash, zsh, fish }[shell](program.name(), placesOf(program));
}

/** Where the words so far lead, as lines of bash and zsh; `words`: the shell's own array of them, `from`: its first. */
function pathLines(places: readonly Place[], words: string, from: number, end: string): string {
  const known = places.filter((p) => p.path !== "").map((p) => `"${p.path}"`);
  return `  local path="" word i
  for ((i = ${from}; i < ${end}; i++)); do
    word="\${${words}[i]}"
    case "\${path:+$path }$word" in
      ${known.join(" | ")}) path="\${path:+$path }$word" ;;
    esac
  done`;
}

/** Values of flags, by place: those of the program hold everywhere. */
function valued(places: readonly Place[]): { path: string; flag: string; values: readonly string[] }[] {
  return places.flatMap(({ path, flags }) =>
    flags.flatMap(({ names, value }) =>
      value === undefined || value.length === 0 ? [] : names.map((flag) => ({ path, flag, values: value })),
    ),
  );
}

/** Ids of sessions, newest first, out of the folder where they lie: no program is started for each Tab. */
const SESSIONS = `ls -t "$dir" 2>/dev/null | sed -n 's/\\.jsonl$//p' | grep -v -- '-a[0-9]*$' | head -n 100`;
const SESSION_FLAGS = ["--resume", "-r"];

/** Where a session's id is due: behind these words. */
function sessionPlaces(places: readonly Place[]): string[] {
  return places.filter((p) => p.session).map(({ path }) => `${path}:${path.split(" ").at(-1) ?? ""}`);
}

function bash(name: string, places: readonly Place[]): string {
  const values = valued(places).map(
    ({ path, flag, values: all }) => `    "${path}:${flag}") words="${all.join(" ")}" ;;`,
  );
  const words = places.map(
    ({ path, commands, choices, flags }) =>
      `    "${path}") words="${[...commands.map((c) => c.name), ...choices, ...flags.flatMap((f) => f.names)].join(" ")}" ;;`,
  );
  const sessions = [...SESSION_FLAGS.map((flag) => `:${flag}`), ...sessionPlaces(places)].map((at) => `"${at}"`);
  return `# Completion of ${name} for bash: source <(${name} completion bash)
_${name}_sessions() {
  local dir="\${XDG_STATE_HOME:-$HOME/.local/state}/understudy/sessions"
  ${SESSIONS}
}
_${name}() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" prev="\${COMP_WORDS[COMP_CWORD-1]}" words=""
${pathLines(places, "COMP_WORDS", 1, "COMP_CWORD")}
  case "$path:$prev" in
${values.join("\n")}
  esac
  [ -n "$words" ] || case "$path" in
${words.join("\n")}
  esac
  case "$path:$prev" in
    ${sessions.join(" | ")}) [[ "$cur" == -* ]] || words="$words $(_${name}_sessions)" ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
complete -o default -F _${name} ${name}
`;
}

/** A word with its description, in quotes, as zsh's _describe takes it. */
const described = (word: string, about: string): string => quote(`${word.replaceAll(":", "\\:")}:${about}`);
const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

function zsh(name: string, places: readonly Place[]): string {
  const values = valued(places).map(
    ({ path, flag, values: all }) => `    "${path}:${flag}") compadd -- ${all.join(" ")}; return ;;`,
  );
  const words = places.map(
    ({ path, commands, choices, flags }) => `    "${path}")
      commands=(${[...commands.map((c) => described(c.name, c.about)), ...choices].join(" ")})
      flags=(${flags.flatMap((f) => f.names.map((n) => described(n, f.about))).join(" ")}) ;;`,
  );
  const sessions = [...SESSION_FLAGS.map((flag) => `:${flag}`), ...sessionPlaces(places)].map((at) => `"${at}"`);
  return `#compdef ${name}
# Completion of ${name} for zsh: ${name} completion zsh > a folder of $fpath, as _${name}
_${name}() {
  local -a commands flags
  local dir="\${XDG_STATE_HOME:-$HOME/.local/state}/understudy/sessions"
${pathLines(places, "words", 2, "CURRENT")}
  case "$path:\${words[CURRENT-1]}" in
${values.join("\n")}
  esac
  case "$path:\${words[CURRENT-1]}" in
    ${sessions.join(" | ")}) compadd -V sessions -- \${(f)"$(${SESSIONS})"} ;;
  esac
  case "$path" in
${words.join("\n")}
  esac
  (( $#commands )) && _describe command commands
  [[ "\${words[CURRENT]}" == -* ]] && _describe -o flag flags
  _files
}
if [ "\${funcstack[1]}" = "_${name}" ]; then _${name} "$@"; else compdef _${name} ${name}; fi
`;
}

function fish(name: string, places: readonly Place[]): string {
  const known = places.filter((p) => p.path !== "").map((p) => quote(p.path));
  const lines = places.flatMap(({ path, commands, choices, session, flags }) => {
    const at = `complete -c ${name} -n ${quote(`__${name}_at ${quote(path)}`)}`;
    return [
      ...commands.map((c) => `${at} -a ${quote(c.name)} -d ${quote(c.about)}`),
      ...choices.map((choice) => `${at} -a ${quote(choice)}`),
      ...(session ? [`${at} -a '(__${name}_sessions)'`] : []),
      ...flags.map(({ names, about, value }) => {
        const given = names.map((n) => (n.startsWith("--") ? `-l ${n.slice(2)}` : `-s ${n.slice(1)}`)).join(" ");
        const ids = path === "" && names.some((n) => SESSION_FLAGS.includes(n));
        if (ids) return `${at} ${given} -d ${quote(about)} -x -a '(__${name}_sessions)'`;
        const takes = value === undefined ? "" : value.length === 0 ? " -r" : ` -x -a ${quote(value.join(" "))}`;
        return `${at} ${given} -d ${quote(about)}${takes}`;
      }),
    ];
  });
  return `# Completion of ${name} for fish: ${name} completion fish | source
function __${name}_at
  set -l path ""
  for word in (commandline -opc)[2..]
    set -l next (string trim -- "$path $word")
    contains -- "$next" ${known.join(" ")}; and set path "$next"
  end
  test "$path" = "$argv[1]"
end
function __${name}_sessions
  set -l dir "$HOME/.local/state/understudy/sessions"
  set -q XDG_STATE_HOME; and set dir "$XDG_STATE_HOME/understudy/sessions"
  ${SESSIONS}
end
${lines.join("\n")}
`;
}
