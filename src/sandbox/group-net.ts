import { closeSync, openSync } from "node:fs";
import type { Readable } from "node:stream";
import { endGroup, startProcess, type ChildProcess } from "../util/process.ts";
import { firstPid } from "./follow.ts";
import { INFO_FD } from "./launch.ts";
import { LAUNCH_PATH, type Programs } from "./programs.ts";
import { SandboxError } from "./sandbox-error.ts";

/**
 * A network of a session's own, with loopback alone, that several commands share while a background shell lives. Held by open
 * descriptors, not by a process: there is nothing that could outlive the program.
 */
export interface NetSpace {
  /** As a child gets them: the network namespace, then (of an ordinary user) the user namespace that owns it. */
  readonly fds: readonly number[];
  close(): void;
}

/** Makes one: bubblewrap brings loopback up, says so, and ends when its input does. Throws `SandboxError`. */
export async function openNetSpace(programs: Programs, root: boolean): Promise<NetSpace> {
  const { unshare, bwrap, bash } = programs;
  if (unshare === undefined || bwrap === undefined || bash === undefined) throw new SandboxError("bubblewrap is gone");
  const wrapped = [bwrap, "--unshare-net", "--unshare-pid", "--die-with-parent", "--ro-bind", "/", "/"];
  const line = [...wrapped, "--info-fd", String(INFO_FD), bash, "--norc", "-c", "echo up; read -r"];
  const [file, args] = root ? [bwrap, line.slice(1)] : [unshare, ["-Ur", ...line]];
  const child = startProcess(file, args, {
    cwd: "/",
    env: { PATH: LAUNCH_PATH },
    stdio: ["pipe", "pipe", "pipe", "pipe"],
  });
  try {
    const pid = await ready(child);
    const fds: number[] = [];
    try {
      fds.push(openSync(`/proc/${pid}/ns/net`, "r"));
      if (!root) fds.push(openSync(`/proc/${pid}/ns/user`, "r"));
    } catch (error) {
      fds.forEach((fd) => closeSync(fd));
      throw error;
    }
    return { fds, close: () => fds.splice(0).forEach((fd) => closeSync(fd)) };
  } catch (error) {
    throw new SandboxError(
      `no network for background shells: ${error instanceof Error ? error.message : String(error)}`,
    );
  } finally {
    if (child.pid !== undefined) endGroup(child.pid);
  }
}

/** Resolves with the first process of the namespace, once its command runs and loopback is up. */
function ready(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    let [info, out, errors] = ["", "", ""];
    const look = (): void => {
      const pid = firstPid(info);
      if (pid !== undefined && out.includes("up")) resolve(pid);
    };
    child.stdout?.on("data", (chunk: Buffer) => ((out += chunk.toString("latin1")), look()));
    child.stderr?.on("data", (chunk: Buffer) => (errors = (errors + chunk.toString("utf8")).slice(0, 500)));
    (child.stdio[INFO_FD] as Readable | null)?.on(
      "data",
      (chunk: Buffer) => ((info += chunk.toString("latin1")), look()),
    );
    child.once("error", reject);
    child.once("exit", (code) => reject(new Error(errors.trim() || `code ${code}`)));
    child.stdin?.on("error", () => undefined);
  });
}
