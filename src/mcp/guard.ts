import { startProcess, type ChildProcess } from "../util/process.ts";

/** Reads "add PGID" and "del PGID"; at the end of its input, which comes with the end of this program by any death, what is left is ended. */
const SCRIPT = `
all=" "
while read -r what id; do
  case "$what" in
    add) all="$all$id " ;;
    del) all="\${all%% $id *} \${all#* $id }" ;;
    end) exit 0 ;;
  esac
done
for id in $all; do kill -TERM "-$id" 2>/dev/null; done
sleep 1
for id in $all; do kill -KILL "-$id" 2>/dev/null; done
`;

/** Sees to it that process groups end with this program, also where it is killed. One small shell, started with the first of them. */
export class Guard {
  #child: ChildProcess | undefined;

  add(group: number): void {
    this.#child ??= this.#start();
    this.#say(`add ${group}`);
  }

  remove(group: number): void {
    if (this.#child !== undefined) this.#say(`del ${group}`);
  }

  /** Nothing is left to guard. */
  close(): void {
    this.#say("end");
    this.#child?.stdin?.end();
    this.#child = undefined;
  }

  #start(): ChildProcess {
    const child = startProcess("/bin/sh", ["-c", SCRIPT], {
      cwd: "/",
      env: { PATH: "/usr/bin:/bin" },
      stdio: ["pipe", "ignore", "ignore"],
    });
    child.on("error", () => undefined);
    child.stdin?.on("error", () => undefined);
    child.unref();
    return child;
  }

  #say(line: string): void {
    this.#child?.stdin?.write(`${line}\n`);
  }
}
