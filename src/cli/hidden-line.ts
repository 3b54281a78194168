import type { ReadStream } from "node:tty";

/** A line typed or pasted without being shown. undefined: Ctrl-C, Ctrl-D. The terminal is as before when it resolves. */
export function hiddenLine(prompt: string, stdin: ReadStream, out: NodeJS.WritableStream): Promise<string | undefined> {
  out.write(prompt);
  stdin.setRawMode(true);
  stdin.setEncoding("utf8").resume();
  let line = "";
  return new Promise((resolve) => {
    const end = (value: string | undefined): void => {
      stdin.off("data", onData).pause();
      stdin.setRawMode(false);
      out.write("\n");
      resolve(value);
    };
    const onData = (data: string): void => {
      // Marks of a paste, and keys that are no letters.
      for (const letter of data.replaceAll(/\x1b(?:\[[0-9;]*[~A-Za-z]|O.)?/g, "")) {
        if (letter === "\r" || letter === "\n") return end(line);
        if (letter === "\x03" || letter === "\x04") return end(undefined);
        if (letter === "\x7f" || letter === "\b") line = line.slice(0, -1);
        else if (letter === "\x15") line = "";
        else line += letter;
      }
    };
    stdin.on("data", onData);
  });
}
