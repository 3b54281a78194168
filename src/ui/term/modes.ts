/** What can be switched on in a terminal, and must be off when it is given back. */
export type ModeName = "paste" | "focus" | "kitty" | "otherKeys" | "alternate" | "title" | "progress";

const ON: Readonly<Record<ModeName, string>> = {
  paste: "\x1b[?2004h",
  focus: "\x1b[?1004h",
  // Unknown to a terminal, it is ignored; a push keeps the flags of the program outside.
  kitty: "\x1b[>1u",
  otherKeys: "\x1b[>4;1m",
  alternate: "\x1b[?1049h",
  // The title outside is kept by the terminal.
  title: "\x1b[22;0t",
  progress: "\x1b]9;4;3\x07",
};
const OFF: Readonly<Record<ModeName, string>> = {
  paste: "\x1b[?2004l",
  focus: "\x1b[?1004l",
  kitty: "\x1b[<u",
  otherKeys: "\x1b[>4;0m",
  alternate: "\x1b[?1049l",
  // Emptied first: where none was kept the terminal shows what it shows by itself.
  title: "\x1b]2;\x07\x1b[23;0t",
  progress: "\x1b]9;4;0\x07",
};
/** No matter what was under way: no synchronized output, autowrap on, cursor shown, no style. */
const PLAIN = "\x1b[?2026l\x1b[?7h\x1b[?25h\x1b[0m";

/**
 * What a killed program may have left behind: synchronized output, no autowrap, no cursor, focus reports, the other screen, keys in
 * another encoding. Nothing of it moves the cursor or takes away what the program outside has pushed.
 */
const FRESH = `${PLAIN}\x1b[?1004l\x1b[?1047l\x1b[>4;0m\x1b[=0u`;

export interface ModesOptions {
  /** Writes at once, without a queue: `writeSync` on the terminal. Its errors are ignored: the terminal may be gone. */
  write(data: string): void;
  /** Raw mode of the terminal's input. */
  setRaw(raw: boolean): void;
}

/** The one registry of what is on. Each push has exactly one pop, whatever way the program ends. */
export interface Modes {
  /** Raw mode on, and these modes, in this order. Modes that are on stay on. */
  enable(...names: readonly ModeName[]): void;
  disable(name: ModeName): void;
  /** The terminal as it was, until `on`: for another program or the shell. */
  off(): void;
  on(): void;
  /** The terminal as it was, for good; safe in an exit handler, and to repeat. */
  restoreSync(): void;
}

/** See `Modes`. */
export function createModes(options: ModesOptions): Modes {
  const enabled: ModeName[] = [];
  let fresh = FRESH;
  let state: "on" | "off" | "done" = "off";
  const quietly = (work: () => void) => {
    try {
      work();
    } catch {
      // Nobody is there to be told, and the rest must still be tried.
    }
  };
  const allOff = () => {
    quietly(() =>
      options.write(
        enabled
          .toReversed()
          .map((name) => OFF[name])
          .join("") + PLAIN,
      ),
    );
    quietly(() => options.setRaw(false));
  };
  const allOn = () => {
    quietly(() => options.setRaw(true));
    quietly(() => options.write(fresh + enabled.map((name) => ON[name]).join("")));
    fresh = "";
  };
  return {
    enable(...names) {
      if (state === "done") return;
      const added = names.filter((name) => !enabled.includes(name));
      enabled.push(...added);
      if (state === "off") allOn();
      else quietly(() => options.write(added.map((name) => ON[name]).join("")));
      state = "on";
    },
    disable(name) {
      const at = enabled.indexOf(name);
      if (at < 0) return;
      enabled.splice(at, 1);
      if (state === "on") quietly(() => options.write(OFF[name]));
    },
    off() {
      if (state === "on") allOff();
      if (state !== "done") state = "off";
    },
    on() {
      if (state === "off") allOn();
      if (state !== "done") state = "on";
    },
    restoreSync() {
      if (state === "on") allOff();
      state = "done";
    },
  };
}
