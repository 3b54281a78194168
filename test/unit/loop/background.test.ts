import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { SandboxLimits } from "../../../src/sandbox/sandbox.ts";
import { startBackground } from "../../../src/tools/bash-background.ts";
import type { ToolContext } from "../../../src/tools/tool.ts";
import { fetchIn, SERVER, until } from "../../support/group-bench.ts";
import { openRig, type Rig } from "../../support/rig.ts";
import { missingTool, needs } from "../../support/runnable.ts";
import { processesWith } from "../../support/sandbox-shell.ts";
import { type Place, place } from "../../support/session.ts";

const tool = missingTool("bwrap") ?? missingTool("nsenter") ?? missingTool("python3");
const background = (command: string, more: Record<string, unknown> = {}) => ({
  command,
  run_in_background: true,
  ...more,
});

async function rigged(
  at: Place,
  ...args: Parameters<typeof openRig> extends [Place, ...infer R] ? R : never
): Promise<Rig> {
  const rig = await openRig(at, ...args);
  onTestFinished(() => rig.session.close());
  return rig;
}
/** Waits for the person, who makes this file. */
const GO = "until [ -e go ]; do sleep 0.05; done";
const go = (at: Place): void => writeFileSync(join(at.folder, "go"), "");
const notes = (rig: Rig): string[] => rig.session.state().items.flatMap((i) => (i.kind === "note" ? [i.text] : []));
const text = (at: Place, path: string): string | undefined =>
  existsSync(join(at.folder, path)) ? readFileSync(join(at.folder, path), "utf8") : undefined;

describe("a server in the background", () => {
  it("T7: is refused unix sockets, and the result says what to do instead", async (ctx) => {
    needs(ctx, tool);
    const rig = await rigged(place("bg-unix"), "auto");
    const listen = "python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind(\"s.sock\")'";
    const started = await rig.call("Bash", background(`${listen}; sleep 1000`));
    expect(started.result).toMatch(/Errno 97.*\[Note: .*unix sockets.*TCP port on 127\.0\.0\.1/s);
    expect((await rig.call("BashOutput", { shell_id: "bg_1" })).result).not.toContain("unix");
    expect((await rig.bash(`${listen} && echo has`)).result).toContain("has");
  }, 60_000);
  it("T1: sees what lands, what is undone and what the person edits; later commands reach its port", async (ctx) => {
    needs(ctx, tool);
    const at = place("bg");
    mkdirSync(join(at.folder, "d"));
    writeFileSync(join(at.folder, "d/page.txt"), "one");
    writeFileSync(join(at.folder, "d/other.txt"), "other");
    const rig = await rigged(at, "auto");
    const page = async (): Promise<string> => (await rig.bash(fetchIn("d/page.txt"))).result.split("\n")[0] ?? "";
    const started = await rig.call("Bash", background(SERVER));
    expect(started.result).toMatch(
      /^Started in the background as shell bg_1: BashOutput reads it.*\n.*Serving.*\n\[bg_1 runs\.\]$/s,
    );
    expect(started.asked).toEqual([]);
    expect(rig.session.background().shells).toEqual([{ id: "bg_1", command: SERVER }]);
    expect(await page()).toBe("one");
    const other = async (): Promise<string> => (await rig.bash(`${fetchIn("d/other.txt")} 2>&1 | tail -1`)).result;
    expect(await other()).toBe("other");
    await rig.call("Read", { file_path: "d/page.txt" });
    await rig.call("Edit", { file_path: "d/page.txt", old_string: "one", new_string: "two" });
    expect(await page()).toBe("two");
    await rig.session.undo();
    expect(await page()).toBe("one");
    writeFileSync(join(at.folder, "page.tmp"), "mine");
    renameSync(join(at.folder, "page.tmp"), join(at.folder, "d/page.txt"));
    await until(async () => (await page()) === "mine");
    const gone = await rig.bash("rm -r d", "yes");
    expect(gone.asked).toHaveLength(1);
    expect((await rig.bash(`${fetchIn("d/page.txt")} 2>&1 | tail -1`)).result).toMatch(/404/);
    // Looked at before, and never written into the shell's view.
    expect(await other()).toMatch(/404/);
    await rig.session.undo();
    expect([await page(), await other()]).toEqual(["mine", "other"]);
    // What the door and the person brought is nobody's change.
    const end = await rig.call("KillShell", { shell_id: "bg_1" });
    expect(end.asked).toEqual([]);
    expect(end.result).toMatch(/\[bg_1 ended: it was stopped\. Whole output: .*\]$/);
    expect(end.facts.map((f) => f.type)).not.toContain("changes.proposed");
    expect(rig.session.background()).toEqual({ shells: [], ports: [] });
  }, 60_000);

  it("P3: a port asks in every mode, each time; a no starts nothing", async (ctx) => {
    needs(ctx, tool);
    const at = place("bg-port");
    writeFileSync(join(at.folder, "a.txt"), "one");
    const rig = await rigged(at, "auto", { rules: [{ action: "allow", text: "Bash(*)", source: "user" }] });
    const no = await rig.call("Bash", background(SERVER, { ports: [3000] }), { kind: "no", note: "not now" });
    expect(no.asked).toHaveLength(1);
    expect(no.asked[0]?.decision).toMatchObject({ action: "ask", risk: "high" });
    expect(no.asked[0]?.offer).toBeUndefined();
    expect(no.text).toContain("opens port 3000 of the copy on 127.0.0.1:3000");
    expect(no.status).toBe("denied");
    expect(rig.session.background().shells).toEqual([]);
    const yes = await rig.call("Bash", background(SERVER, { ports: [3000] }), "yes");
    const url = /http:\/\/127\.0\.0\.1:\d+\//.exec(yes.result)?.[0] ?? "";
    expect(await (await fetch(`${url}a.txt`)).text()).toBe("one");
    expect((await rig.call("Bash", background("sleep 100", { ports: [3000] }), "yes")).asked).toHaveLength(1);
    const alone = await rig.call("Bash", { command: "true", ports: [3000] }, "yes");
    expect([alone.status, alone.asked]).toEqual(["error", []]);
    const own = await rig.session.openPort(3000);
    expect(own).toMatchObject({ ok: true });
    expect((await rig.session.openPort()).text).toContain(url);
    for (const shell_id of ["bg_1", "bg_2"]) await rig.call("KillShell", { shell_id });
    await expect(fetch(url)).rejects.toThrow();
    expect((await rig.session.openPort(3000)).ok).toBe(false);
  }, 60_000);

  it("P1: in plan mode nothing goes on; where the copy can't have any, the model is told what to do instead", async (ctx) => {
    needs(ctx, tool);
    const rig = await rigged(place("bg-plan"), "plan");
    const refused = await rig.call("Bash", background("sleep 100"));
    expect([refused.status, refused.result]).toEqual(["error", expect.stringContaining("in one command instead")]);
    const limits: SandboxLimits = { timeoutMs: 1, processes: 1, fileSizeMb: 1, layerMb: 1 };
    const command = { operationId: "op", command: "c", cwd: "/", env: {}, network: false, layers: [], limits };
    const without = { sandbox: { kind: "copy-bind", contained: true } } as unknown as ToolContext;
    const outcome = await startBackground({ ...command, mode: "auto" }, [], without);
    expect(outcome).toMatchObject({
      status: "error",
      content: [{ text: expect.stringContaining("(copy-bind)") as string }],
    });
    expect((await rig.call("BashOutput", { shell_id: "bg_7" })).result).toContain("There is no shell bg_7");
  });
});

describe("what a background shell changes", () => {
  const WRITER = `echo one > own.txt; echo up; ${GO}; echo two > own.txt; echo again; sleep 1000`;

  const maker = (go: string): string =>
    `echo up; until [ -e ${go} ]; do sleep 0.05; done; mkdir dist; echo x > dist/a.js; echo y > src.txt; echo made; sleep 1000`;

  it("W3: is told while it runs and asked about at the end of the query; after a no only when it changes again", async (ctx) => {
    needs(ctx, tool);
    const at = place("bg-own");
    const rig = await rigged(at, "ask");
    const started = await rig.call("Bash", background(WRITER), "no");
    expect(started.result).toContain("In the shell's own copy only, not in the folder: create own.txt");
    expect(started.asked.map((q) => [q.gate, q.command?.text])).toEqual([["changes", WRITER]]);
    expect(text(at, "own.txt")).toBeUndefined();
    expect(notes(rig).at(-1)).toMatch(/^Background shell bg_1.*None of its changes reached the folder/);
    const again = await rig.call("BashOutput", { shell_id: "bg_1" }, "yes");
    expect([again.asked, again.result]).toEqual([[], "(no new output)\n[bg_1 runs.]"]);
    go(at);
    const later = await rig.call("BashOutput", { shell_id: "bg_1", wait_ms: 20_000 }, "yes");
    expect(later.result).toMatch(/^again\n/);
    expect(later.asked).toHaveLength(1);
    expect(text(at, "own.txt")).toBe("two\n");
    await rig.session.undo();
    expect(text(at, "own.txt")).toBeUndefined();
  }, 60_000);

  it("P6: lands at once with land: true; a denial leaves what the shell said", async (ctx) => {
    needs(ctx, tool);
    const at = place("bg-land");
    const rig = await rigged(at, "ask");
    const reading = { wait_ms: 20_000, land: true };
    await rig.call("Bash", background(maker("go1")));
    writeFileSync(join(at.folder, "go1"), "");
    const denied = await rig.call("BashOutput", { shell_id: "bg_1", ...reading }, { kind: "no", note: "why?" });
    expect(denied.status).toBe("denied");
    expect(denied.result).toMatch(/^made\n[^]*None of its changes reached the folder[^]*why\?/);
    await rig.call("Bash", background(maker("go2")));
    writeFileSync(join(at.folder, "go2"), "");
    const landed = await rig.call("BashOutput", { shell_id: "bg_2", ...reading }, "yes");
    expect(landed.result).toMatch(/Landed in the folder: create src\.txt/);
    expect(text(at, "src.txt")).toBe("y\n");
    // Regenerable output is a layer of the copy.
    expect((await rig.bash("cat dist/a.js")).result).toBe("x");
    expect(text(at, "dist/a.js")).toBeUndefined();
  }, 60_000);

  it("L8: its end by itself is told once, by the result that tells it or else ahead of the next turn", async (ctx) => {
    needs(ctx, tool);
    const at = place("bg-end");
    const rig = await rigged(at, "auto");
    const early = await rig.call("Bash", background("echo no such thing; exit 3"));
    expect(early.result).toMatch(/no such thing\n\[bg_1 ended, exit code 3\. Whole output: /);
    await rig.call("Bash", background(`echo up; ${GO}; exit 4`));
    go(at);
    await until(() => rig.session.background().shells.length === 0);
    await rig.bash("true");
    const told = (): string[] => notes(rig).filter((note) => note.includes("Background shell"));
    expect(told()).toEqual([
      expect.stringMatching(/^Background shell bg_2: ended by itself, with exit code 4 \(echo up/),
    ]);
    await rig.call("BashOutput", { shell_id: "bg_2" });
    await rig.bash("true");
    expect(told()).toHaveLength(1);
    await rig.call("Bash", background("echo up; sleep 1000"));
    expect(await rig.session.stopShell("bg_3")).toMatchObject({ ok: true });
    expect(await rig.session.stopShell("bg_3")).toMatchObject({ ok: false });
    await rig.bash("true");
    expect(told()[1]).toMatch(/^Background shell bg_3: the person ended it \(echo up/);
    expect((await rig.call("BashOutput", { shell_id: "bg_2" })).result).toMatch(
      /everything of it was told\. Its whole output: .*\.txt$/,
    );
  }, 60_000);
});

describe("when the session ends", () => {
  it("E3: no shell is left; a resumed session tells the model, and what was changed can still land", async (ctx) => {
    needs(ctx, tool);
    const at = place("bg-resume");
    const nap = `${400_000 + process.pid}.5`;
    const rig = await openRig(at, "ask");
    await rig.call(
      "Bash",
      background(`echo up; ${GO}; echo mine > own.txt; echo said; setsid sleep ${nap} & sleep ${nap}`),
    );
    go(at);
    await until(() => processesWith(nap).length >= 2);
    await rig.session.close();
    expect(processesWith(nap)).toEqual([]);
    const again = await rigged(at, "ask", { more: { resume: rig.session.id } });
    const read = await again.call("BashOutput", { shell_id: "bg_1" }, "yes");
    expect(notes(again).at(-1)).toMatch(/^Background shell bg_1: ended with the program/);
    expect(read.result).toMatch(/^up\nsaid\n\[bg_1 ended with the program/);
    expect(text(at, "own.txt")).toBe("mine\n");
  }, 60_000);

  it.for([
    ["nobody was asked yet", `echo up; ${GO}; `],
    ["the question was open", ""],
  ] as const)("E3: the same after kill -9, nothing of it lost: %s", { timeout: 60_000 }, async ([why, first], ctx) => {
    needs(ctx, tool);
    const at = place("bg-kill");
    const nap = `${500_000 + process.pid}.${why.length}`;
    const script = resolve(import.meta.dirname, "../../support/group-session.ts");
    const command = `${first}echo mine > own.txt; echo said; sleep ${nap}`;
    const child = spawn(process.execPath, [script, at.folder, at.config, at.state, at.home, command], {
      stdio: ["ignore", "pipe", "ignore"],
    });
    onTestFinished(() => void child.kill("SIGKILL"));
    let out = "";
    child.stdout.on("data", (chunk: Buffer) => (out += chunk.toString("utf8")));
    await until(() => out.includes(first === "" ? "ASKED" : "IDLE"));
    go(at);
    const running = (): number[] => processesWith(nap).filter((pid) => pid !== child.pid);
    await until(() => readdirSync(at.state, { recursive: true }).some((name) => String(name).endsWith("u0/own.txt")));
    await until(() => running().length > 0);
    child.kill("SIGKILL");
    await until(() => running().length === 0);
    const id = /SESSION (\S+)/.exec(out)?.[1] ?? "";
    const rig = await rigged(at, "ask", { more: { resume: id } });
    expect(rig.session.background().shells).toEqual([]);
    expect(text(at, "own.txt")).toBeUndefined();
    const read = await rig.call("BashOutput", { shell_id: "bg_1" }, "yes");
    expect(notes(rig).some((note) => note.includes("Background shell bg_1: ended with the program"))).toBe(true);
    expect(read.result).toMatch(/said\n\[bg_1 ended with the program/);
    expect(read.asked).toHaveLength(1);
    expect(text(at, "own.txt")).toBe("mine\n");
  });
});
