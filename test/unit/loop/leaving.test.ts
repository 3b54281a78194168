import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Mode, Rule, RuleSource } from "../../../src/events/effect.ts";
import { questionText } from "../../../src/permissions/question-text.ts";
import { origin } from "../../support/net.ts";
import { openRig, type Rig } from "../../support/rig.ts";
import { missingTool, needs } from "../../support/runnable.ts";
import { scratch } from "../../support/scratch.ts";
import { place } from "../../support/session.ts";

async function web(): Promise<Awaited<ReturnType<typeof origin>>> {
  const server = await origin("from outside");
  onTestFinished(() => server.close());
  return server;
}

async function rig(mode: Mode, rules: readonly Rule[] = []): Promise<Rig & { folder: string }> {
  const at = place();
  const opened = await openRig(at, mode, { rules });
  onTestFinished(() => opened.session.close());
  return { ...opened, folder: at.folder };
}

const allow = (text: string, source: RuleSource): Rule => ({ action: "allow", text, source });

describe("a command that names hosts", () => {
  it("P3: asks each time in ask and auto mode, once for all of them; nothing is offered to be remembered", async (ctx) => {
    needs(ctx, missingTool("bwrap") ?? missingTool("curl"));
    const server = await web();
    const host = `127.0.0.1:${server.port}`;
    const input = { command: `curl -s http://${host}/`, network: [host, "other.example:443"] };
    for (const mode of ["ask", "auto"] as const) {
      const one = await rig(mode);
      const denied = await one.call("Bash", input, "no");
      expect(denied.asked).toHaveLength(1);
      expect(denied.asked[0]?.decision.risk).toBe("high");
      expect(denied.asked[0]?.offer).toBeUndefined();
      expect(denied.text).toContain(
        `uses the network: ${host} (this machine itself); uses the network: other.example:443`,
      );
      expect([denied.status, server.seen.length]).toEqual(["denied", 0]);
      for (const again of [1, 2]) {
        const done = await one.call("Bash", input, "yes");
        expect([done.asked.length, done.status, again]).toEqual([1, "ok", again]);
        expect(done.result).toMatch(
          new RegExp(`^from outside\\n\\[It reached ${host} \\(\\d+ B up, \\d+ B down\\); no undo takes that back\\]$`),
        );
      }
      expect(server.seen.splice(0)).toHaveLength(2);
    }
  });

  it("P1: in plan mode it is denied unasked", async (ctx) => {
    needs(ctx, missingTool("bwrap"));
    const done = await (await rig("plan")).call("Bash", { command: "true", network: ["h.example:443"] }, "yes");
    expect([done.asked.length, done.status]).toEqual([0, "denied"]);
  });

  it("P3: the person's own rule lifts it, one of the session or the project does not, and none lifts another port", async (ctx) => {
    needs(ctx, missingTool("bwrap"));
    const [own, not] = ["own.example:443", "not.example:443"];
    const one = await rig("auto", [
      allow(`Network(${own})`, "person"),
      allow(`Network(${not})`, "session"),
      allow(`Network(${not})`, "project"),
    ]);
    const lifted = await one.call("Bash", { command: "echo ran", network: [own] }, "no");
    expect([lifted.asked.length, lifted.result]).toEqual([0, "ran"]);
    expect(lifted.facts.find((f) => f.type === "permission.decided")).toMatchObject({ rule: { source: "person" } });
    for (const network of [[not], [own, not], ["own.example:80"]]) {
      const asked = await one.call("Bash", { command: "echo ran", network }, "no");
      expect([asked.asked.length, asked.status]).toEqual([1, "denied"]);
    }
  });

  it("P5: what was reached is a fact of the call and is told with its changes, which land or not", async (ctx) => {
    needs(ctx, missingTool("bwrap") ?? missingTool("curl"));
    const server = await web();
    const host = `127.0.0.1:${server.port}`;
    const one = await rig("ask");
    const input = { command: `curl -s -o got.txt http://${host}/`, network: [host] };
    const done = await one.call("Bash", input, "yes");
    const [before, after] = done.asked;
    expect(before?.gate).toBe("needs");
    expect(after?.gate).toBe("changes");
    const reached = { kind: "network", host: "127.0.0.1", port: server.port };
    expect(after?.effect.changes?.sideEffects).toMatchObject([reached]);
    expect(after === undefined ? "" : questionText(after)).toMatch(
      new RegExp(`it also reached ${host} \\(\\d+ B up, \\d+ B down\\): this can't be undone, whatever you answer`),
    );
    const facts = new Map(done.facts.map((fact) => [fact.type, fact]));
    expect(facts.get("call.finished")).toMatchObject({ sideEffects: [reached] });
    expect(facts.get("changes.proposed")).toMatchObject({ summary: { sideEffects: [reached] } });
    expect(facts.get("changes.landed")).toMatchObject({ summary: { sideEffects: [reached] } });
    expect(readFileSync(join(one.folder, "got.txt"), "utf8")).toBe("from outside");
    expect((await one.session.undo()).text).toMatch(new RegExp(`^Undone: got\\.txt .*Not undone: it reached ${host} `));
    expect(existsSync(join(one.folder, "got.txt"))).toBe(false);
  });
});

describe("a background shell that names hosts", () => {
  it("P5: reaches them as long as it lives, tells what it reached and what was refused", async (ctx) => {
    needs(ctx, missingTool("bwrap") ?? missingTool("curl"));
    const server = await web();
    const host = `127.0.0.1:${server.port}`;
    const one = await rig("auto");
    const command = `curl -s http://${host}/; curl -s http://b.example/; sleep 600`;
    const started = await one.call("Bash", { command, network: [host], run_in_background: true }, "yes");
    expect(started.asked).toHaveLength(1);
    expect(started.result).toContain("later commands don't reach its ports");
    const read = await one.call("BashOutput", { shell_id: "bg_1", wait_ms: 3000 });
    expect(started.result + read.result).toContain("from outside");
    const end = await one.call("KillShell", { shell_id: "bg_1" });
    expect(end.result).toContain(`[It reached ${host} (`);
    expect(end.result).toContain(`network: ["${host}","b.example:80"]`);
    expect(end.facts.find((f) => f.type === "call.finished")).toMatchObject({
      sideEffects: [{ kind: "network", host: "127.0.0.1", port: server.port }],
    });
  });
});

describe("a command that leaves the copy otherwise", () => {
  it("P3: a folder outside asks each time; a write there is told as what no undo takes back", async (ctx) => {
    needs(ctx, missingTool("bwrap"));
    const out = scratch("outside");
    writeFileSync(join(out, "f"), "old\n");
    const one = await rig("auto");
    const see = { command: `cat ${out}/f`, outside: [{ path: out, access: "read" }] };
    expect((await one.call("Bash", see, "no")).status).toBe("denied");
    const seen = await one.call("Bash", see, "yes");
    expect([seen.asked.length, seen.result]).toEqual([1, "old"]);
    const write = { command: `echo new > ${out}/f`, outside: [{ path: out, access: "write" }] };
    const wrote = await one.call("Bash", write, "yes");
    expect([wrote.asked.length, wrote.result]).toEqual([1, `[It could write in ${out}; no undo takes that back]`]);
    expect(readFileSync(join(out, "f"), "utf8")).toBe("new\n");
    const ruled = await rig("ask", [allow(`Outside(${out}/**)`, "user"), allow(`Outside(${out})`, "user")]);
    expect((await ruled.call("Bash", see, "no")).asked).toEqual([]);
  });

  it("P3: unsandboxed asks each time, names what it is, and is lifted by the person's own words alone", async (ctx) => {
    needs(ctx, missingTool("bwrap"));
    const one = await rig("auto");
    const input = { command: "echo x > made.txt", unsandboxed: true };
    const denied = await one.call("Bash", input, "no");
    expect(denied.text).toContain("runs outside the copy: echo x > made.txt");
    expect([denied.status, existsSync(join(one.folder, "made.txt"))]).toEqual(["denied", false]);
    const done = await one.call("Bash", input, "yes");
    expect(done.asked).toHaveLength(1);
    expect(done.result).toBe("[It ran outside the copy, what it changed is not known; no undo takes that back]");
    expect(readFileSync(join(one.folder, "made.txt"), "utf8")).toBe("x\n");
    const ruled = await rig("auto", [
      allow("Unsandboxed(echo hi)", "person"),
      allow("Unsandboxed(echo ho)", "session"),
    ]);
    expect((await ruled.call("Bash", { command: "echo hi", unsandboxed: true }, "no")).asked).toEqual([]);
    expect((await ruled.call("Bash", { command: "echo ho", unsandboxed: true }, "no")).asked).toHaveLength(1);
    const planned = await rig("plan");
    mkdirSync(join(planned.folder, "d"));
    expect((await planned.call("Bash", input, "yes")).status).toBe("denied");
  });

  it("P3: what ran in the copy decides neither which program an allowed word starts outside, nor in which folder", async (ctx) => {
    needs(ctx, missingTool("bwrap"));
    const one = await rig("auto", [allow("Unsandboxed(marked)", "person"), allow("Unsandboxed(pwd)", "person")]);
    const plant = 'mkdir -p ~/b; printf "#!/bin/sh\\necho planted" > ~/b/marked; chmod +x ~/b/marked';
    const prepare = `${plant}; export PATH="$HOME/b:$PATH" LD_PRELOAD=/x BASH_ENV="$HOME/b/marked"; cd ~/b`;
    await one.call("Bash", { command: prepare }, "no");
    const ran = await one.call("Bash", { command: "marked", unsandboxed: true }, "no");
    expect(ran.asked).toEqual([]);
    expect(ran.result).toContain("marked: command not found");
    const where = await one.call("Bash", { command: "pwd", unsandboxed: true }, "no");
    expect(where.result.split("\n")[0]).toBe(one.folder);
    // The copy's own shell stands where it stood, with what it exported.
    expect(
      (await one.call("Bash", { command: 'case "$PATH" in "$HOME"/b:*) echo kept;; esac' }, "no")).result,
    ).toContain("kept");
  });

  it("L8: what is wrong with it is a result that says how to write it, and nothing is asked", async (ctx) => {
    needs(ctx, missingTool("bwrap"));
    const one = await rig("ask");
    const url = await one.call("Bash", { command: "true", network: ["https://h.example/"] }, "yes");
    expect([url.asked.length, url.status]).toEqual([0, "error"]);
    expect(url.result).toContain("Write host:port");
    const both = { command: "true", unsandboxed: true, run_in_background: true };
    expect((await one.call("Bash", both, "yes")).result).toContain("can't go on in the background");
  });
});

describe("the network in a copy", () => {
  it("SANDBOX-H21: a name that is not found says which call would reach it; a refused host which list", async (ctx) => {
    needs(ctx, missingTool("bwrap") ?? missingTool("curl"));
    const one = await rig("auto");
    const off = await one.call("Bash", { command: "curl -sS https://h.example/" });
    expect(off.result).toContain('call Bash again with network: ["h.example:443"]');
    const more = await one.call("Bash", { command: "curl -sS https://b.example/", network: ["a.example:443"] }, "yes");
    expect(more.result).toContain('call Bash again with network: ["a.example:443","b.example:443"]');
  });
});
