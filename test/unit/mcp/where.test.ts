import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { ServerConfig } from "../../../src/mcp/config.ts";
import { named, server } from "../../support/mcp.ts";
import { openAt, place } from "../../support/session.ts";

const script = join(import.meta.dirname, "../../support/mcp-server.mjs");
/** As npx does it: what lies where it is started goes first. */
const LAUNCHER = `pwd > "$HERE"; [ -x node_modules/.bin/srv ] && exec node_modules/.bin/srv; exec "$0" "$@"`;

function launched(hereFile: string, more: { cwd?: string; args?: string[] } = {}): ServerConfig {
  const { args = [], ...where } = more;
  const run = {
    kind: "stdio" as const,
    command: "/bin/sh",
    args: ["-c", LAUNCHER, process.execPath, script, ...args],
    env: { HERE: hereFile },
    ...where,
  };
  return server("own", {}, { run });
}

/** A folder whose own program waits to be taken for the person's. */
function withTrap() {
  const at = place("mcp-where");
  const mark = join(at.home, "MARK");
  const bin = join(at.folder, "node_modules/.bin");
  mkdirSync(bin, { recursive: true });
  writeFileSync(join(bin, "srv"), `#!/bin/sh\necho ran > ${mark}\n`);
  chmodSync(join(bin, "srv"), 0o755);
  return { at, mark, hereFile: join(at.home, "here") };
}

async function rowOf(at: ReturnType<typeof place>, config: ServerConfig, more: object = {}) {
  const session = await openAt(at, { more: { ...named(config), ...more } });
  await session.servers.settled(10_000, new AbortController().signal);
  const [row] = session.servers.rows();
  await session.close();
  return row;
}

describe("where the person's own servers run", () => {
  it("H5: a launcher of theirs does not find the programs of a folder that nobody trusts: it runs in the home", async () => {
    const { at, mark, hereFile } = withTrap();
    expect(await rowOf(at, launched(hereFile))).toMatchObject({ status: "ready" });
    expect(readFileSync(hereFile, "utf8").trim()).toBe(at.home);
    expect(existsSync(mark)).toBe(false);
  });

  it.each([".", "${AGENT_PROJECT_DIR}/node_modules", "LINK"])(
    "H5: one whose cwd %s lies in the folder waits for its trust",
    async (cwd) => {
      const { at, mark, hereFile } = withTrap();
      symlinkSync(at.folder, join(at.home, "link"));
      const config = launched(hereFile, { cwd: cwd.replace("LINK", join(at.home, "link")) });
      expect(await rowOf(at, config)).toMatchObject({
        status: "failed",
        why: expect.stringContaining("it runs in the folder, which is not trusted"),
      });
      expect([existsSync(hereFile), existsSync(mark)]).toEqual([false, false]);
      await rowOf(at, config, { trusted: "flag" });
      expect(existsSync(hereFile)).toBe(true);
    },
  );

  it("H5: an argument that would mean the home for the folder is told, and ${AGENT_PROJECT_DIR} is the folder", async () => {
    const { at, hereFile } = withTrap();
    expect(await rowOf(at, launched(hereFile, { args: ["."] }))).toMatchObject({
      status: "failed",
      why: expect.stringContaining("write ${AGENT_PROJECT_DIR} for the folder"),
    });
    expect(await rowOf(at, launched(hereFile, { args: ["${AGENT_PROJECT_DIR}"] }))).toMatchObject({ status: "ready" });
  });
});
