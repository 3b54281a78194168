import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { findSession } from "../../../src/events/sessions.ts";
import { loadSuite } from "../../../src/evals/suite.ts";
import { findRun } from "../../../src/evals/run-folder.ts";
import { writeSuite } from "../../../src/evals/write-suite.ts";
import { openModel } from "../../../src/model/open.ts";
import { failureOf } from "../../../src/cli/failure.ts";
import { addServer, namedIn, removeServer } from "../../../src/session/mcp-write.ts";
import { systemClock, randomId } from "../../../src/util/system.ts";
import { place } from "../../support/session.ts";
import { scratch } from "../../support/scratch.ts";

describe("names of the person's", () => {
  it("U4: a server is found in either of the person's files", async () => {
    const at = place("mcp");
    const deps = { configDir: at.config, folder: at.folder, home: at.home, clock: systemClock, makeId: randomId };
    const server = (name: string, source: "user" | "person") =>
      addServer({ name, setting: { command: "x" }, source }, deps);
    const file = await server("here", "person");
    await server("both", "user");
    await server("both", "person");
    expect(["here", "both", "none"].map((name) => namedIn(name, deps))).toEqual([["person"], ["user", "person"], []]);
    await removeServer("here", "person", deps);
    expect(readFileSync(file, "utf8")).not.toContain("here");
  });

  it("V1: what is no suite is told with those that there are", async () => {
    const base = scratch("suites");
    writeSuite(join(base, "mine"));
    await expect(loadSuite(join(base, "nosuch"))).rejects.toThrow(/no suite\.yaml\. There is .*mine; agent eval init/);
    await expect(loadSuite(join(scratch("none"), "x"))).rejects.toThrow(
      "no suite.yaml. agent eval init DIR makes one.",
    );
  });

  it("U2: one that can't be used is exit code 2, whatever it is the name of", () => {
    const at = place("names");
    writeFileSync(join(at.config, "no.json"), "{");
    const deps = { clock: systemClock, access: {}, random: () => 0 };
    const tries = [
      () => findSession(at.state, "nosuch"),
      () => findRun(at.state, "nosuch"),
      () => openModel("scripted:/no/such.json", deps),
      () => openModel(`scripted:${join(at.config, "no.json")}`, deps),
    ];
    const codes = tries.map((run) => {
      try {
        run();
        return 0;
      } catch (error) {
        return failureOf(error).code;
      }
    });
    expect(codes).toEqual([2, 2, 2, 2]);
  });
});
