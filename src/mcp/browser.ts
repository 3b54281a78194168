import { findProgram, startProcess } from "../util/process.ts";

/** What a browser needs to be found and to come up. */
const TAKEN =
  /^(HOME|USER|LOGNAME|PATH|LANG|LC_\w+|DISPLAY|WAYLAND_DISPLAY|XAUTHORITY|XDG_\w+|DBUS_SESSION_BUS_ADDRESS|BROWSER)$/;

/**
 * Opens an http or https address in the person's browser; false where there is no screen, or nothing that could.
 * @param notBelow folders whose programs are never taken.
 */
export function openBrowser(
  address: URL,
  {
    env,
    platform,
    notBelow,
  }: { env: Readonly<Record<string, string | undefined>>; platform: NodeJS.Platform; notBelow: readonly string[] },
): boolean {
  const mac = platform === "darwin";
  if (!mac && (env["DISPLAY"] ?? "") === "" && (env["WAYLAND_DISPLAY"] ?? "") === "") return false;
  const program = findProgram(mac ? "open" : "xdg-open", env["PATH"] ?? "", notBelow);
  if (program === undefined) return false;
  const taken = Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => (value !== undefined && TAKEN.test(name) ? [[name, value]] : [])),
  );
  const child = startProcess(program, [address.href], { cwd: "/", env: taken, stdio: "ignore" });
  child.on("error", () => undefined);
  child.unref();
  return true;
}
