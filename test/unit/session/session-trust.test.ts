import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { trustNotices } from "../../../src/session/session-trust.ts";
import { FolderTrust } from "../../../src/session/trust.ts";
import { systemClock } from "../../../src/util/system.ts";
import { collect, openAt, type Place, place } from "../../support/session.ts";

let made = 0;

function trustAt(at: Place): FolderTrust {
  const makeId = (prefix: string) => `${prefix}_${++made}`;
  const uid = process.getuid?.() ?? 0;
  return new FolderTrust({
    configDir: at.config,
    folder: at.folder,
    homes: [at.home],
    uid,
    clock: systemClock,
    makeId,
  });
}

function bringing(command = "a"): Place {
  const at = place("trusting");
  mkdirSync(join(at.folder, ".claude"));
  writeFileSync(join(at.folder, ".claude", "settings.json"), JSON.stringify({ hooks: { Stop: [{ command }] } }));
  return at;
}

describe("trust of an open session", () => {
  it("H5: the log says when a stored trust fits; resumed with other hooks it is none, and the session says so", async () => {
    const at = bringing();
    const first = await openAt(at, { more: { trust: trustAt(at) } });
    expect(first.state().trusted).toBe(false);
    expect(first.trust.unused()).toEqual(["1 hook"]);
    expect(first.notices.join("\n")).toMatch(/Not used, since this folder is not trusted: 1 hook\./);
    const look = await first.trust.look();
    expect(look?.state).toBe("new");
    if (look !== undefined) expect(await first.trust.give(look)).toMatchObject({ ok: true });
    expect(first.state().trusted).toBe(true);
    expect(first.trust.unused()).toEqual([]);
    await first.close();
    const same = await openAt(at, { more: { resume: first.id, trust: trustAt(at) } });
    expect(same.state().trusted).toBe(true);
    await same.close();
    writeFileSync(join(at.folder, ".claude", "settings.json"), JSON.stringify({ hooks: { Stop: [{ command: "b" }] } }));
    const other = await openAt(at, { more: { resume: first.id, trust: trustAt(at) } });
    expect(other.state().trusted).toBe(false);
    expect(other.trust.unused()).toEqual(["1 hook"]);
    await other.close();
  });

  it("H5: taken back it counts no more, here and at the next start; without anything said nothing is taken", async () => {
    const at = bringing();
    const trust = trustAt(at);
    trust.say(true, await trust.look());
    const session = await openAt(at, { more: { trust: trustAt(at) } });
    expect(session.state().trusted).toBe(true);
    expect(await session.trust.takeBack()).toMatchObject({ ok: true });
    expect(session.state().trusted).toBe(false);
    expect(await session.trust.takeBack()).toMatchObject({ ok: false });
    await session.close();
    expect((await trustAt(at).look()).state).toBe("new");
  });

  it("H5, S9: a check that the folder brings runs only where it is trusted, the person's own always", async () => {
    const at = bringing();
    const checks = {
      rounds: 0,
      list: [
        { kind: "command", name: "theirs", command: "false", timeoutMs: 10_000, brought: true },
        { kind: "command", name: "mine", command: "true", timeoutMs: 10_000 },
      ],
    } as const;
    const ran = async (trusted: boolean) => {
      const more = { mode: "auto" as const, ...(trusted ? { trusted: "flag" as const } : {}) };
      const write = { name: "Write", input: { file_path: `${trusted}.txt`, content: "n" } };
      const session = await openAt(at, { script: { turns: [{ calls: [write] }, { text: "Done." }] }, checks, more });
      const { events } = await collect(session.submit("go"));
      await session.close();
      return events.flatMap((e) => (e.type === "check.ran" ? [e.name] : []));
    };
    expect(await ran(false)).toEqual(["mine"]);
    expect(await ran(true)).toEqual(["theirs", "mine"]);
  });

  it("H5: rules and memory that are other than when it was trusted are told, what can't be used too", async () => {
    const at = bringing();
    writeFileSync(join(at.folder, "CLAUDE.md"), "one");
    const trust = trustAt(at);
    trust.say(true, await trust.look());
    writeFileSync(join(at.folder, "CLAUDE.md"), "two");
    writeFileSync(join(at.folder, ".mcp.json"), "{");
    const notices = trustNotices(await trustAt(at).look());
    expect(notices[0]).toMatch(/Other than when you trusted this folder: CLAUDE\.md \(changed\)/);
    expect(notices[1]).toMatch(/\.mcp\.json: can't be understood as JSON/);
    expect(trustNotices(undefined)).toEqual([]);
  });
});
