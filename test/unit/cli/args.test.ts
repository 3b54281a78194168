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
});
