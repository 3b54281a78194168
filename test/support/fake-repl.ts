// A program for pty tests: the real screen over a scripted session. What the person types chooses what happens.
import runtime from "react/jsx-runtime";
import { systemClock } from "../../src/util/system.ts";
import { openDrafts } from "../../src/ui/input/draft-file.ts";
import type { Desk } from "../../src/ui/screen/desk.ts";
import { editOutside } from "../../src/ui/term/editor.ts";
import { createScreen } from "../../src/ui/main.tsx";
import { pickSession } from "../../src/ui/pick-session.ts";
import { createPlain } from "../../src/ui/plain/plain.ts";
import { fakeSession } from "./fake-session.ts";
import { playScript } from "./fake-script.ts";

const { stdin, stdout, env } = process;
if (env["CRASH"] !== undefined) {
  const { endOnCrash } = await import("../../src/cli/crash.ts");
  endOnCrash();
  process.on("SIGUSR2", () => {
    setTimeout(() => {
      throw new Error("on purpose");
    });
  });
  // The next thing that is drawn throws while it is.
  process.on("SIGXCPU", () => {
    const thrown = () => {
      throw new Error("on purpose");
    };
    Object.assign(runtime, { jsx: thrown, jsxs: thrown });
    process.emit("SIGWINCH");
    stdout.emit("resize");
  });
  process.on("SIGALRM", () => void Promise.reject(new Error("on purpose")));
}
const sessions = [
  { id: "s_other", title: "Fix the parser", folder: "/home/p/project", age: 3 * 3_600_000, prompts: 4 },
  { id: "s_third", title: "", folder: "/home/p/other", age: 60_000, prompts: 0 },
];
const common = {
  stdin,
  stdout,
  clock: systemClock,
  outside: async (command: string) =>
    command === "vi" ? await held() : (stdout.write(`outside ran ${command}\n`), { exit: 0 }),
};
// A child that runs keeps the program alive.
const held = () => new Promise<never>(() => (stdout.write("outside has it\n"), setInterval(() => undefined, 1000)));
const open = (asker: Parameters<typeof fakeSession>[0]["asker"], id = "s_fake") =>
  fakeSession({
    asker,
    script: playScript,
    id,
    ...(env["UNFINISHED"] === undefined ? {} : { unfinished: env["UNFINISHED"] }),
  });

/** The composer's own files in a folder. */
function deskAt(dir: string): Desk {
  return {
    env,
    vim: env["VIM_KEYS"] === "1",
    edit: (text) => editOutside(text, { env, cwd: dir, dir }),
    drafts: openDrafts(`${dir}/drafts`, {
      pid: process.pid,
      now: () => Date.now(),
      isAlive: () => false,
      mask: (t) => t,
    }),
  };
}

// As `agent --resume` does it: the picker first, then the screen on the same terminal.
const picked =
  env["PICK"] === "1" ? await pickSession(sessions, { stdin, stdout, env, clock: systemClock }) : undefined;

if (env["PLAIN"] === "1") {
  const plain = createPlain({
    ...common,
    welcome: { version: "0.1.0", home: "/home/p" },
    openOther: async (id) => open(plain.asker, id),
    exportTo: () => Promise.resolve("/tmp/talk.md"),
  });
  process.exitCode = await plain.run(open(plain.asker));
} else {
  const screen = createScreen({
    ...common,
    env: { ...env, HOME: "/home/p" },
    version: "0.1.0",
    openOther: async (id) => open(screen.asker, id),
    exportTo: () => Promise.resolve("/tmp/talk.md"),
    sessions: async () => sessions,
    exit: (code) => process.exit(code),
    contextWindow: () => 200_000,
    ...(env["DESK"] === undefined ? {} : { desk: deskAt(env["DESK"]) }),
    first: env["FIRST"],
  });
  process.exitCode = await screen.run(open(screen.asker, picked));
}
