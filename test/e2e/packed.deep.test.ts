import { execFile } from "node:child_process";
import { lstatSync, readdirSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { expect, it, type TestContext } from "vitest";
import { installed } from "../support/npm.ts";
import { agentEnv } from "../support/run-agent.ts";
import { missingTool, needs } from "../support/runnable.ts";
import { scratch } from "../support/scratch.ts";
import { place } from "../support/session.ts";
import { openTerminal, RESTORED } from "../support/terminal.ts";

const root = resolve(import.meta.dirname, "../..");
const run = promisify(execFile);
const MINUTES = 15 * 60_000;
const MOST_MB = 30;
const MOST_PACKAGES = 15;

const PROGRAM = `
import { query, scriptedModel, toEnd } from "understudy";
const model = scriptedModel({ turns: [{ text: "It works." }] });
console.log((await toEnd(query("go", { folder: ".", env: process.env, model }))).text);
`;

/** The packed program in a prefix of its own, installed by this major version of Node with an empty cache. */
async function packed(ctx: TestContext, major: number) {
  needs(ctx, missingTool("npm"));
  const { dir, missing } = await installed(`node-${process.platform}-${process.arch}@${major}`);
  needs(ctx, missing);
  const bin = join(dir, `node_modules/node-${process.platform}-${process.arch}/bin`);
  const at = scratch("packed");
  await run("npm", ["pack", "--ignore-scripts", "--pack-destination", at], { cwd: root });
  const tarball = join(at, readdirSync(at).find((name) => name.endsWith(".tgz")) ?? "");
  const npm = realpathSync((await run("sh", ["-c", "command -v npm"])).stdout.trim());
  const prefix = join(at, "prefix");
  await run(join(bin, "node"), [npm, "install", "-g", "--no-audit", "--no-fund", tarball], {
    env: {
      ...process.env,
      PATH: `${bin}:/usr/bin:/bin`,
      npm_config_prefix: prefix,
      npm_config_cache: join(at, "cache"),
    },
  });
  return { node: join(bin, "node"), bin, prefix, lib: join(prefix, "lib/node_modules"), tarball };
}

/** Every file's path and bytes. */
function filesOf(dir: string): [string, number][] {
  return readdirSync(dir, { recursive: true, encoding: "utf8" }).map((name) => [name, lstatSync(join(dir, name)).size]);
}

it.for([22, 24, 26])(
  "U2, U3: the packed tarball installs small on Node %i; its command, screen and library work there",
  { timeout: MINUTES },
  async (major, ctx) => {
    const { node, bin, prefix, lib, tarball } = await packed(ctx, major);
    const files = filesOf(prefix);
    const packages = files.filter(([name]) => /node_modules\/(@[^/]+\/)?[^/@]+\/package\.json$/.test(name));
    const megabytes = files.reduce((sum, [, bytes]) => sum + bytes, 0) / 1e6;
    // What is measured is told where it is too much.
    expect({ megabytes, fits: megabytes < MOST_MB }).toEqual({ megabytes, fits: true });
    expect(packages.length).toBeLessThanOrEqual(MOST_PACKAGES);
    expect(files.filter(([name]) => name.endsWith(".map"))).toEqual([]);

    const at = place("packed");
    const env = agentEnv(at, { PATH: `${bin}:/usr/bin:/bin`, XDG_CACHE_HOME: join(at.home, ".cache") });
    const agent = (...args: readonly string[]) => run(join(prefix, "bin/agent"), args, { cwd: at.folder, env });
    const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { version: string };
    expect(await agent("--version")).toEqual({ stdout: `${version}\n`, stderr: "" });
    expect((await agent("--help")).stdout).toContain("Usage: agent [options] [command] [prompt...]");
    const doctor = (await agent("doctor")).stdout;
    expect(doctor).toContain(`Node        ${(await run(node, ["--version"])).stdout.trim().slice(1)} on`);
    expect(doctor).toMatch(/^search .*\/rg$/m);
    const demo = await agent("-p", "hello", "--model", "demo");
    expect(demo.stdout).toContain("That was the tour.");
    // Nothing that this Node itself has to say of what it runs.
    expect(demo.stderr).not.toMatch(/warning/i);

    const screen = openTerminal(node, [join(lib, "understudy/bin/agent.js"), "--model", "demo"], {
      cwd: at.folder,
      env,
    });
    await screen.waitFor("ask mode");
    screen.type("/exit\r");
    expect(await screen.exited).toBe(0);
    expect(screen.modes()).toEqual(RESTORED);

    const user = scratch("user");
    symlinkSync(lib, join(user, "node_modules"));
    writeFileSync(join(user, "program.mjs"), PROGRAM);
    const own = await run(node, ["program.mjs"], { cwd: user, env });
    expect([own.stdout, own.stderr]).toEqual(["It works.\n", ""]);
    expect(lstatSync(tarball).size).toBeLessThan(4e6);
  },
);

it("the licences of what is bundled travel along", () => {
  const told = readFileSync(join(root, "dist/THIRD-PARTY.txt"), "utf8");
  const { devDependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
    devDependencies: Record<string, string>;
  };
  for (const name of ["ink", "react", "@anthropic-ai/sdk", "yoga-layout", "highlight.js"])
    expect(told).toMatch(new RegExp(`^${name} \\S+ \\((MIT|Apache-2\\.0|BSD-3-Clause)\\)$`, "m"));
  expect(told).toMatch(/^ajv \S+, within @modelcontextprotocol\/client$/m);
  // The tools that build and test it are not in it.
  expect(
    Object.keys(devDependencies).filter((name) => told.includes(`\n${name} ${devDependencies[name]} (`)),
  ).not.toContain("vitest");
});
