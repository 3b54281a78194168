import { existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { configOf } from "../../../src/mcp/config.ts";
import { filesNamed } from "../../../src/session/named-files.ts";
import { hooksFrom, oneHook } from "../../support/hooks.ts";
import { openRig, type Rig } from "../../support/rig.ts";
import { place, type Place, type SessionInput } from "../../support/session.ts";

function withScript(): Place {
  const at = place("outside");
  mkdirSync(join(at.folder, "scripts"));
  writeFileSync(join(at.folder, "scripts", "fmt.sh"), "exit 0\n");
  return at;
}

const formats: SessionInput = { more: { hooks: hooksFrom(oneHook("PostToolUse", "sh scripts/fmt.sh")) } };
const write = (rig: Rig, file_path: string, content = "exit 1\n") => rig.call("Write", { file_path, content });

describe("what hooks and servers run outside of the copy", () => {
  it("P3: in auto mode an edit of a hook's script asks with the reason, is offered for no session, and doesn't land unasked", async () => {
    const at = withScript();
    const rig = await openRig(at, "auto", formats);
    const hit = join(at.home, "hit");
    await rig.call("Read", { file_path: "scripts/fmt.sh" });
    const done = await write(rig, "scripts/fmt.sh", `echo x > ${hit}\n`);
    expect(done.asked).toHaveLength(1);
    expect(done.asked[0]?.decision).toMatchObject({
      risk: "high",
      reason: "changes what runs outside the copy (hook PostToolUse), 1 file: scripts/fmt.sh",
    });
    expect(done.asked[0]?.offer).toBeUndefined();
    expect(done.status).toBe("denied");
    expect(existsSync(hit)).toBe(false);
    // A command that does it asks too, by whatever way it gets there.
    for (const command of [
      `echo 'echo x > ${hit}' > scripts/fmt.sh`,
      "mv scripts scripts2 && ln -s scripts2 scripts",
      "rm -r scripts",
      "echo 'exit 3' > x && mv x scripts/fmt.sh",
    ])
      expect((await rig.bash(command)).text).toContain("runs outside the copy (hook PostToolUse)");
    expect((await write(rig, "scripts/other.sh")).asked).toEqual([]);
    await rig.session.close();
  });

  it("P3: a file that isn't there yet, what a script links to, and a server's file below its own folder are protected", async () => {
    const at = withScript();
    symlinkSync("../real.sh", join(at.folder, "scripts", "linked.sh"));
    writeFileSync(join(at.folder, "real.sh"), "exit 0\n");
    mkdirSync(join(at.folder, "tools"));
    const own = [
      configOf("notes", { command: "node", args: ["server.js"], cwd: "tools", enabled: false }, "user", "f"),
    ];
    const rig = await openRig(at, "auto", {
      more: {
        hooks: hooksFrom(oneHook("Stop", '"$CLAUDE_PROJECT_DIR"/later.sh; cd scripts && ./linked.sh; npm run fmt')),
        servers: () => ({ own, brought: [], notices: [] }),
      },
    });
    expect((await write(rig, "later.sh")).text).toContain("runs outside the copy (hook Stop)");
    await rig.call("Read", { file_path: "real.sh" });
    expect((await write(rig, "real.sh")).text).toContain("runs outside the copy (hook Stop)");
    expect((await write(rig, "package.json", "{}\n")).text).toContain("runs outside the copy (hook Stop)");
    expect((await write(rig, "tools/server.js")).text).toContain("runs outside the copy (server notes)");
    expect((await write(rig, "tools/other.js")).asked).toEqual([]);
    await rig.session.close();
  });

  it("P3: without hooks, and for hooks that run in the copy, nothing is other", async () => {
    const rig = await openRig(withScript(), "auto");
    expect((await rig.bash("echo exit 1 > scripts/fmt.sh")).asked).toEqual([]);
    await rig.session.close();
    const hooks = hooksFrom({ ...(oneHook("Stop", "sh scripts/fmt.sh") as object), inCopy: true });
    const inCopy = await openRig(withScript(), "auto", { more: { hooks } });
    expect((await inCopy.bash("echo exit 1 > scripts/fmt.sh")).asked).toEqual([]);
    await inCopy.session.close();
  });

  it("H5: a folder's hook whose script another hand changed is not run and says so; by the person's yes it runs", async () => {
    const at = withScript();
    const ran = join(at.home, "ran");
    const hooks = hooksFrom(oneHook("PostToolUse", "sh scripts/fmt.sh", { matcher: "Bash" }), "project");
    const rig = await openRig(at, "auto", { more: { hooks, trusted: "person" } });
    const yes = await rig.bash(`echo 'echo x >> ${ran}' > scripts/fmt.sh`, "yes");
    expect(yes.asked).toHaveLength(1);
    expect(existsSync(ran)).toBe(true);
    writeFileSync(join(at.folder, "scripts", "fmt.sh"), `echo x > ${ran}2\n`);
    const done = await rig.bash("true");
    expect(done.facts.find((f) => f.type === "hook.ran")).toMatchObject({
      exit: null,
      failed: expect.stringContaining("scripts/fmt.sh is other than when you trusted this folder") as string,
    });
    expect(existsSync(`${ran}2`)).toBe(false);
    await rig.session.close();
  });

  it.each([
    ["sh scripts/a.sh", "/p/scripts/a.sh"],
    ['bash -c "sh a.sh && b"', "/p/a.sh"],
    ["'my scripts/a.sh' x", "/p/my scripts/a.sh"],
    ["X=./a.sh node b", "/p/b/index.js"],
    ["cd sub; python -m pkg.tool", "/p/sub/pkg/tool.py"],
    ["$(git rev-parse --show-toplevel)/a.sh", "/p/a.sh"],
    ["~/p/a.sh", "/home/p/a.sh"],
    ["${ROOT}/a.sh", "/r/a.sh"],
  ])("P3: %s names %s", (line, file) => {
    expect(filesNamed(line, { cwd: "/p", folder: "/p", env: { HOME: "/home", ROOT: "/r" } })).toContain(file);
  });
});
