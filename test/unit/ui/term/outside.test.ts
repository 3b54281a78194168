import { mkdtempSync, readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { recordedText, runOutside } from "../../../../src/ui/term/outside.ts";

const ENV = { PATH: "/usr/local/bin:/usr/bin:/bin" };

describe("outside", () => {
  it("U8: a recording is told as text: no lines of the recorder's, no other screen, no control sequence, the last state of a progress bar", () => {
    const said =
      'Script started on 2026-11-30 [COMMAND="x"]\none\r\n\x1b[31mtwo\x1b[0m\r\n10 %\r90 %\r\n\x1b[?1049hvim\x1b[?1049lend\r\n\nScript done on 2026-11-30 [COMMAND_EXIT_CODE="0"]\n';
    expect(recordedText(said)).toBe("one\ntwo\n90 %\nend");
  });
  it("U8: the exit code is the command's own; nothing is left behind, and without a recorder nothing is known of what it said", async () => {
    const dir = mkdtempSync(join(tmpdir(), "own-"));
    const place = { shell: "/bin/sh", cwd: dir, env: { ...ENV, TMPDIR: dir } };
    expect(await runOutside("exit 3", { ...place, recorders: [] })).toEqual({ exit: 3 });
    expect((await runOutside("exit 4", place)).exit).toBe(4);
    expect(readdirSync(dir)).toEqual([]);
  });
});
