import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { LogBody } from "../../../src/events/event.ts";
import { loadKey } from "../../../src/events/key.ts";
import { loadLog } from "../../../src/events/load.ts";
import { BypassError, bypassRefusal, inContainer } from "../../../src/session/bypass.ts";
import { openStore } from "../../../src/session/store.ts";
import { verifyHighRisk } from "../../../src/session/verify-landed.ts";
import { verifyNeeds } from "../../../src/session/verify-needs.ts";
import { events as numbered, OPENED } from "../../support/event-log.ts";
import { needing } from "../permissions/effects.ts";
import { openRig } from "../../support/rig.ts";
import { openAt, type Place, place } from "../../support/session.ts";

const HERE = { roots: ["/home/ann/project"], homes: ["/home/ann"], uid: 1000, contained: false };

describe("where --bypass may be (P8)", () => {
  it.each([
    ["an ordinary user in a project", HERE, undefined],
    ["root outside a container", { ...HERE, uid: 0 }, /refused for root outside a container/],
    ["root in a container", { ...HERE, uid: 0, contained: true }, undefined],
    ["the home", { ...HERE, roots: ["/home/ann"] }, /refused in \/home\/ann, which holds your home/],
    ["what holds the home", { ...HERE, roots: ["/home"] }, /refused in \/home/],
    ["an added folder that is the home", { ...HERE, roots: ["/srv/p", "/home/ann"] }, /refused in \/home\/ann/],
    ["the machine", { ...HERE, roots: ["/"] }, /the whole machine/],
    ["the machine, in a container", { ...HERE, uid: 0, contained: true, roots: ["/"] }, /the whole machine/],
    ["forbidden by settings", { ...HERE, forbidden: "/etc/x.json:3" }, /forbidden by \/etc\/x\.json:3/],
  ])("P8: %s", (_what, at, why) => {
    const said = bypassRefusal(at);
    if (why === undefined) expect(said).toBeUndefined();
    else expect(said).toMatch(why);
  });

  it("P8: a container is told by what container programs leave, and by nothing that isn't there", () => {
    const none = () => false;
    const no = (): string => {
      throw new Error("ENOENT");
    };
    for (const mark of ["/.dockerenv", "/run/.containerenv", "/run/systemd/container"])
      expect(inContainer((path) => path === mark, no)).toBe(true);
    expect(inContainer(none, no)).toBe(false);
    expect(inContainer(none, () => "0::/\n")).toBe(false);
    expect(inContainer(none, () => "0::/init.scope\n")).toBe(false);
    expect(inContainer(none, () => "0::/user.slice/docker-tools.service-notes\n")).toBe(false);
    expect(inContainer(none, () => "12:pids:/docker/3f2a\n0::/\n")).toBe(true);
    expect(inContainer(none, () => "0::/kubepods.slice/kubepods-burstable.slice/x\n")).toBe(true);
    expect(inContainer(none, () => "0::/machine.slice/libpod-3f2a.scope\n")).toBe(true);
  });
});

const open = () => undefined;

async function logOf(at: Place, id: string) {
  const { sessions, content, key } = openStore({ config: at.config, state: at.state });
  return (await loadLog({ sessionsDir: sessions, contentDir: content, sessionId: id, key: loadKey(key) })).events;
}

describe("a session with --bypass (P8)", () => {
  it("P8, W4: asks nothing, lands through the door, can be undone, and the proof says what was not asked", async () => {
    const at = place("bypass");
    writeFileSync(join(at.folder, "a.txt"), "old\n");
    const rig = await openRig(at, "ask", { more: { bypass: open } });
    expect(rig.session.state()).toMatchObject({ bypass: true, mode: "ask" });
    const { asked, facts } = await rig.bash("rm a.txt; echo n > n.txt");
    expect(asked).toEqual([]);
    expect(existsSync(join(at.folder, "a.txt"))).toBe(false);
    expect(facts.find((f) => f.type === "permission.decided")).toMatchObject({
      by: "bypass",
      outcome: "allow",
      risk: "high",
    });
    const events = await logOf(at, rig.session.id);
    expect(verifyHighRisk(events)).toMatchObject({
      breaches: [],
      text: "1 change set landed, 0 asked and answered yes, 1 bypassed, so not asked",
    });
    expect((await rig.undoAll())[0]).toMatchObject({ ok: true });
    expect(readFileSync(join(at.folder, "a.txt"), "utf8")).toBe("old\n");
    await rig.session.close();
    // Without the fact that it was on, the same verdicts prove nothing.
    const without = events.filter((e) => e.type !== "bypass.changed");
    expect(verifyHighRisk(without).breaches[0]?.what).toMatch(/which was not on/);
  });

  it("P8: what a rule denies or asks, and plan mode, hold in it", async () => {
    const at = place("bypass");
    writeFileSync(join(at.folder, "a.txt"), "old\n");
    const rules = [
      { action: "deny", text: "Edit(a.txt)", source: "project" },
      { action: "ask", text: "Bash(touch:*)", source: "managed" },
    ] as const;
    const rig = await openRig(at, "auto", { rules, more: { bypass: open } });
    expect((await rig.bash("rm a.txt")).status).toBe("denied");
    expect((await rig.bash("touch b.txt")).asked).toHaveLength(1);
    await rig.session.setMode("plan");
    expect((await rig.call("Write", { file_path: "c.txt", content: "c" })).status).toBe("denied");
    expect(existsSync(join(at.folder, "a.txt"))).toBe(true);
    expect(existsSync(join(at.folder, "c.txt"))).toBe(false);
    await rig.session.close();
  });

  it("P8: a resumed session is not in it, unless it is typed again", async () => {
    const at = place("bypass");
    const first = await openAt(at, { more: { bypass: open } });
    await first.close();
    const again = await openAt(at, { more: { resume: first.id } });
    expect(again.state().bypass).toBe(false);
    await again.close();
    const typed = await openAt(at, { more: { resume: first.id, bypass: open } });
    expect(typed.state().bypass).toBe(true);
    await typed.close();
  });

  it("P8: is refused for the roots that a session really has, and nothing is written then", async () => {
    const at = place("bypass");
    const seen: string[][] = [];
    const refuse = (roots: readonly string[]) => {
      seen.push([...roots]);
      throw new BypassError("not here");
    };
    await expect(openAt(at, { more: { bypass: refuse } })).rejects.toThrow("not here");
    expect(seen[0]?.[0]).toBe(at.folder);
  });

  it("P8, E6: a bypassed need is counted and named; in plan mode, or when it was not on, it is a breach", () => {
    const effect = needing([{ kind: "network", host: "example.test", port: 443 }]);
    const decided: LogBody = {
      type: "permission.decided",
      callId: "t1",
      gate: "needs",
      outcome: "allow",
      by: "bypass",
      reason: "r",
      risk: "high",
      effect,
    };
    const on: LogBody = { type: "bypass.changed", on: true, by: "flag" };
    const resumed: LogBody = { type: "session.resumed", program: "1", folder: "/p", roots: [] };
    const claim = (...bodies: LogBody[]) => verifyNeeds(numbered([{ ...OPENED, mode: "auto" }, ...bodies]));
    expect(claim(on, decided)).toMatchObject({
      breaches: [],
      text: "1 call, 0 asked and answered yes, 1 bypassed, so not asked",
    });
    expect(claim(decided).breaches[0]?.what).toMatch(/which was not on/);
    expect(claim(on, resumed, decided).breaches).toHaveLength(1);
    expect(claim(on, { type: "mode.changed", mode: "plan", by: "person" }, decided).breaches[0]?.what).toMatch(
      /doesn't lift it/,
    );
  });
});
