import { describe, expect, it } from "vitest";
import { parseArgs } from "../../../src/cli/args.ts";

describe("arguments", () => {
  it("U2: the help tells defaults only where they say something", () => {
    const help = parseArgs(["--help"], "1");
    expect(help.ok ? "" : help.out.match(/\(default: (?:false|\[\])\)/g)).toBeNull();
    const parsed = parseArgs(["--allow", "Bash(a)", "--allow", "Bash(b)", "x"], "1");
    expect(parsed.ok && parsed.invocation).toMatchObject({
      options: { allow: ["Bash(a)", "Bash(b)"], deny: [], print: false },
    });
  });

  it.each(["sesions", "session", "Sessions", "exprot", "replays", "undoo"])("U2: %s alone is no message", (word) => {
    const parsed = parseArgs([word], "1");
    expect(parsed).toMatchObject({
      ok: false,
      code: 2,
      err: expect.stringContaining(`"${word}" is no command; agent `) as string,
    });
    expect(parseArgs(["-p", word], "1")).toMatchObject({ ok: true, invocation: { options: { prompt: word } } });
  });

  it.each([["continue"], ["post"], ["session", "cookies expire too early"], ["explain"], ["why do sessions end?"]])(
    "U2: %s is a message",
    (...words) => {
      expect(parseArgs(words, "1")).toMatchObject({ ok: true, invocation: { options: { prompt: words.join(" ") } } });
    },
  );
});
