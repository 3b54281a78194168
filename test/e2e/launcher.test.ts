import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { scratch } from "../support/scratch.ts";
import { openTerminal, RESTORED } from "../support/terminal.ts";

const root = resolve(import.meta.dirname, "../..");
/** The Node that a newcomer may have: the machine's own where it is too old for the program, else ours that says so. */
const old: readonly string[] = oldNode();

function oldNode(): string[] {
  const found = ["/usr/bin/node", "/usr/local/bin/node"].find(isOld);
  if (found !== undefined) return [found];
  const says = "Object.defineProperty(process,'versions',{value:{...process.versions,node:'20.19.0'}})";
  return [process.execPath, "--import", `data:text/javascript,${says}`];
}
function isOld(file: string): boolean {
  if (!existsSync(file)) return false;
  const [major = 0, minor = 0] = spawnSync(file, ["-p", "process.versions.node"], { encoding: "utf8" })
    .stdout.split(".")
    .map(Number);
  return major > 0 && (major < 22 || (major === 22 && minor < 13));
}

/** What stands in for the program: it does what its first argument says. */
const FAKE = `
const [what, ...rest] = process.argv.slice(2);
export async function main() {
  if (what === "tell") {
    let input = "";
    for await (const part of process.stdin) input += part;
    console.log(JSON.stringify({ node: process.versions.node, rest, input }));
  }
  if (what === "code") process.exitCode = Number(rest[0]);
  if (what === "screen") {
    process.stdin.setRawMode(true);
    process.stdout.write("\\x1b[?2004h\\x1b[?1004h\\x1b[>1u\\x1b[>4;1m\\x1b[?25l\\x1b[?2026h", () => process.kill(process.pid, "SIGKILL"));
  }
  if (what === "die") process.kill(process.pid, rest[0]);
  if (what === "handle") for (const name of ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"])
    process.on(name, () => { console.log("got " + name); process.exit(77); });
  if (what === "handle" || what === "wait") { console.log(process.pid); setInterval(() => undefined, 1000); }
}`;

/** The launcher as it is shipped, over a small program of our own; with the local Node or without. */
function shipped(options: { node: boolean; dist?: boolean }): string {
  const dir = scratch("launcher");
  cpSync(join(root, "bin"), join(dir, "bin"), { recursive: true });
  writeFileSync(join(dir, "package.json"), JSON.stringify({ type: "module", version: "9.8.7" }));
  if (options.dist !== false) {
    mkdirSync(join(dir, "dist"));
    writeFileSync(join(dir, "dist/cli.js"), FAKE);
    writeFileSync(join(dir, "dist/first-paint.js"), "export const paintFirst = () => undefined;");
  }
  mkdirSync(join(dir, "node_modules"));
  if (options.node) symlinkSync(join(root, "node_modules/node"), join(dir, "node_modules/node"));
  return join(dir, "bin/agent.js");
}

const ours = [process.execPath];
function run(node: readonly string[], args: readonly string[], input = "") {
  const [file = "", ...first] = node;
  const { status, signal, stdout, stderr } = spawnSync(file, [...first, ...args], { encoding: "utf8", input });
  return { status, signal, stdout, stderr };
}

/** Starts the launcher on the old Node and waits for the process id that the program tells. */
async function started(...args: string[]): Promise<{ child: ChildProcess; pid: number; said: () => string }> {
  const [file = "", ...first] = old;
  const child = spawn(file, [...first, shipped({ node: true }), ...args], { stdio: ["ignore", "pipe", "inherit"] });
  let out = "";
  child.stdout?.setEncoding("utf8").on("data", (text: string) => (out += text));
  while (!out.includes("\n")) await once(child.stdout ?? child, "data");
  const pid = Number(out.split("\n")[0]);
  onTestFinished(() => {
    if (existsSync(`/proc/${pid}/exe`)) process.kill(pid, "SIGKILL");
  });
  return { child, pid, said: () => out };
}

describe("launcher", () => {
  it("answers --version on any Node, with nothing built or installed", () => {
    const agent = shipped({ node: false, dist: false });
    for (const node of [ours, old])
      for (const flag of ["--version", "-V"])
        expect(run(node, [agent, flag])).toEqual({ status: 0, signal: null, stdout: "9.8.7\n", stderr: "" });
  });
  it("says what to do when nothing is built", () => {
    const ran = run(ours, [shipped({ node: false, dist: false }), "-p", "hi"]);
    expect(ran).toMatchObject({ status: 1, stdout: "" });
    expect(ran.stderr).toMatch(/^agent: dist\/ is missing.*npm run build.*\n$/);
  });
  it("is no process more on a Node that is new enough", () => {
    const ran = run(ours, [shipped({ node: false }), "tell", "a b"], "typed");
    expect(JSON.parse(ran.stdout)).toEqual({ node: process.versions.node, rest: ["a b"], input: "typed" });
  });
  it("an older Node hands over to the local one: arguments, input and output go through", () => {
    const ran = run(old, [shipped({ node: true }), "tell", "a b", "--flag", ""], "typed");
    expect(ran).toMatchObject({ status: 0, stderr: "" });
    expect(JSON.parse(ran.stdout)).toEqual({
      node: process.versions.node,
      rest: ["a b", "--flag", ""],
      input: "typed",
    });
  });
  it("an older Node without a local one says what is needed", () => {
    const ran = run(old, [shipped({ node: false }), "tell"]);
    expect(ran).toMatchObject({ status: 1, stdout: "" });
    expect(ran.stderr).toMatch(/^agent: needs Node 22\.13 or newer, this is .*\n$/);
  });
  it.for([0, 1, 6, 70, 143])("U2: exit code %i comes through an older Node", (code) => {
    expect(run(old, [shipped({ node: true }), "code", String(code)])).toMatchObject({ status: code, signal: null });
  });
  it("S7: a program that is killed in the middle of its screen leaves a terminal that can be used", async () => {
    const [file = "", ...first] = old;
    const t = openTerminal(file, [...first, shipped({ node: true }), "screen"], { cols: 60, rows: 10 });
    await t.exited;
    expect((await t.lines()).join("\n")).toContain("agent: it was killed. Nothing is lost: agent --continue goes on.");
    expect(t.modes()).toEqual(RESTORED);
  });
  it.for(["SIGKILL", "SIGTERM", "SIGABRT"])("U2: a program that %s ended ends the launcher the same way", (name) => {
    expect(run(old, [shipped({ node: true }), "die", name])).toMatchObject({ status: null, signal: name });
  });
  it.for(["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"] as const)(
    "%s to the launcher reaches the program",
    async (name) => {
      const { child, said } = await started("handle");
      child.kill(name);
      expect(await once(child, "close")).toEqual([77, null]);
      expect(said()).toContain(`got ${name}`);
    },
  );
  it("U2: a signal that the program leaves to the system ends both by it", async () => {
    const { child, pid } = await started("wait");
    child.kill("SIGTERM");
    expect(await once(child, "close")).toEqual([null, "SIGTERM"]);
    expect(existsSync(`/proc/${pid}`)).toBe(false);
  });
  it("the program ends when its launcher was killed", async () => {
    const { child, pid } = await started("wait");
    child.kill("SIGKILL");
    // The pipe closes when the last holder of its end, the program, is gone.
    await once(child, "close");
    expect(existsSync(`/proc/${pid}/exe`)).toBe(false);
  });
});
