import { findProgram, runProcess } from "../../util/process.ts";

type Env = Readonly<Record<string, string | undefined>>;
const MOST = 32 << 20;
const TIME_MS = 5000;
/** What these programs need to find the display. */
const PASSED = ["WAYLAND_DISPLAY", "XDG_RUNTIME_DIR", "DISPLAY", "XAUTHORITY", "HOME", "LANG"];

interface Way {
  program: string;
  args: readonly string[];
  /** What has to be installed for it. */
  from: string;
}

/** The picture in the person's clipboard, or why there is none: what is missing, or that it holds none. */
export async function clipboardImage(env: Env, platform: NodeJS.Platform): Promise<Buffer | string> {
  const ways = waysOf(env, platform);
  if (typeof ways === "string") return ways;
  const found = ways.flatMap((way) => {
    const file = findProgram(way.program, env["PATH"] ?? "");
    return file === undefined ? [] : [{ ...way, file }];
  });
  if (found.length === 0) return `To paste a picture install ${ways.map((way) => way.from).join(" or ")}.`;
  const passed = PASSED.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]]));
  for (const { file, args, program } of found) {
    const run = { cwd: "/", env: Object.fromEntries(passed), timeoutMs: TIME_MS, maxBytes: MOST };
    const { code, stdout } = await runProcess(file, args, run);
    const bytes = program === "osascript" ? fromScript(Buffer.from(stdout)) : Buffer.from(stdout);
    if (code === 0 && bytes.length > 0) return bytes;
  }
  return "The clipboard holds no picture.";
}

/** Programs that can read the clipboard here, the likeliest first. */
export function waysOf(env: Env, platform: NodeJS.Platform): readonly Way[] | string {
  const wayland = {
    program: "wl-paste",
    args: ["--no-newline", "--type", "image/png"],
    from: "wl-paste (wl-clipboard)",
  };
  const x11 = { program: "xclip", args: ["-selection", "clipboard", "-t", "image/png", "-o"], from: "xclip" };
  if (platform === "darwin")
    return [{ program: "osascript", args: ["-e", "get the clipboard as «class PNGf»"], from: "osascript" }];
  const ways = [
    ...((env["WAYLAND_DISPLAY"] ?? "") === "" ? [] : [wayland]),
    ...((env["DISPLAY"] ?? "") === "" ? [] : [x11]),
  ];
  if (ways.length > 0) return ways;
  const ssh = (env["SSH_CONNECTION"] ?? "") !== "";
  return ssh
    ? "Over ssh there is no clipboard to read: copy the file over, name it with @."
    : "No display here (WAYLAND_DISPLAY, DISPLAY), so no clipboard: name it with @.";
}

/** `«data PNGf89504E47…»` */
function fromScript(out: Buffer): Buffer {
  return Buffer.from(/«data PNGf([0-9A-F]+)»/.exec(out.toString("utf8"))?.[1] ?? "", "hex");
}
