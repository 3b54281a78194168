// Processes that run mutants, each ended and made anew where a mutant hangs it.
import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";

const WORKER = fileURLToPath(new URL("worker.mjs", import.meta.url));

/** One process, whose relative paths lie in `cwd`; `ask` gives its answer, or undefined where it hung or died, after which it is another process. */
export function startWorker(cwd, args) {
  let child;
  let alarm;
  let settle = () => {};
  function watch(ms) {
    clearTimeout(alarm);
    alarm = setTimeout(() => child.kill("SIGKILL"), ms);
  }
  function begin() {
    const own = fork(WORKER, args, {
      cwd,
      env: { ...process.env, NODE_ENV: "test" },
      stdio: ["ignore", "ignore", "inherit", "ipc"],
    });
    child = own;
    const ready = new Promise((resolve) => {
      own.on("message", (message) => {
        if (message.ready) resolve();
        // A test that never gives way is ended from here; the process ends the others itself.
        else if (message.at !== undefined) watch(20_000 + 40 * message.ms);
        else settle(message.answer);
      });
      own.on("exit", () => {
        resolve();
        if (child === own) settle(undefined);
      });
    });
    return ready;
  }
  let ready = begin();
  return {
    async ask(message) {
      await ready;
      watch(60_000);
      const answer = await new Promise((resolve) => {
        settle = resolve;
        if (child.connected) child.send(message);
        else resolve(undefined);
      });
      clearTimeout(alarm);
      if (answer === undefined) this.renew();
      return answer;
    },
    renew() {
      const old = child;
      ready = begin();
      old.kill("SIGKILL");
    },
    stop() {
      settle = () => {};
      child.kill("SIGKILL");
    },
  };
}
