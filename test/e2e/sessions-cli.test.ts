import { existsSync, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { listSessions } from "../../src/events/sessions.ts";
import { runAgent, scriptFile, startAgent } from "../support/run-agent.ts";
import { place, type Place } from "../support/session.ts";

const HOSTILE = '</script><script>alert(1)</script> `fence` \u001b]0;title\u0007 & "quotes"';
const SCRIPT = {
  turns: [
    { text: `The first answer. ${HOSTILE}` },
    { calls: [{ name: "Write", input: { file_path: "b.txt", content: "```\nb\n" } }] },
    { text: "The second answer." },
  ],
  loop: true,
};
const sessionsOf = (at: Place) => listSessions(join(at.state, "understudy", "sessions"));

/** A project with one session of two messages; gives its id. */
async function talked(at: Place): Promise<string> {
  const model = scriptFile(at, SCRIPT);
  const args = ["-p", "--mode", "auto", "--model", model];
  expect(await runAgent(at, [...args, "find the needle"])).toMatchObject({ code: 0 });
  expect(await runAgent(at, [...args, "--continue", `and write ${HOSTILE}`])).toMatchObject({ code: 0 });
  return sessionsOf(at)[0]?.id ?? expect.fail("no session");
}

describe("agent sessions, export, --fork", () => {
  it("E2, U6: lists, searches, names, forks, exports and deletes", { timeout: 300_000 }, async () => {
    const at = place("cli");
    const id = await talked(at);
    const agent = (...args: string[]) => runAgent(at, args);

    expect((await agent("sessions")).out).toMatch(new RegExp(`^${id}  .* 2 messages  find the needle`));
    expect((await agent("sessions", "NEEDLE", "write")).out).toContain(`${id}  `);
    expect(await agent("sessions", "--reindex")).toMatchObject({
      code: 0,
      err: "agent: index of 1 session made anew\n",
    });
    expect(JSON.parse((await agent("sessions", "--json")).out)).toMatchObject({ id, prompts: 2 });

    expect(await agent("sessions", "rename", id, "my", "week")).toMatchObject({
      code: 0,
      out: `${id} is named my week\n`,
    });
    const forked = await agent(
      "-p",
      "--resume",
      "my week",
      "--fork",
      "--model",
      scriptFile(at, SCRIPT),
      "only in the copy",
    );
    expect(forked.code).toBe(0);
    expect(forked.err).toContain(`A copy of session ${id}`);
    const copy = sessionsOf(at).find((s) => s.id !== id)?.id ?? expect.fail("no copy");
    expect(await agent("-p", "--continue", "--fork-before", "9", "x")).toMatchObject({ code: 2 });
    expect(await agent("sessions", "rename", copy, "my week")).toMatchObject({ code: 2 });

    expect(await agent("sessions", "delete", copy)).toMatchObject({
      code: 2,
      err: expect.stringContaining("--yes deletes it without asking") as string,
    });
    expect(await agent("sessions", "delete", copy, "--yes")).toMatchObject({ code: 0 });
    expect(sessionsOf(at).map((s) => s.id)).not.toContain(copy);
    expect(existsSync(join(at.folder, "b.txt"))).toBe(true);
    expect((await agent("undo")).code).toBe(0);
  });

  it("E2: an export is a new private file, and nothing in it can do anything", { timeout: 240_000 }, async () => {
    const at = place("cli");
    const id = await talked(at);
    const agent = (...args: string[]) => runAgent(at, args);
    const html = await agent("export", id, "talk.html");
    expect(html).toMatchObject({ code: 0, out: "", err: `agent: written to ${join(at.folder, "talk.html")}\n` });
    expect(statSync(join(at.folder, "talk.html")).mode & 0o777).toBe(0o600);
    const page = readFileSync(join(at.folder, "talk.html"), "utf8");
    expect(page).not.toMatch(/<script|<img|<link|<iframe|\son\w+=|javascript:|https?:/i);
    expect(page).toContain("default-src 'none'");
    expect(page).toContain("&lt;script&gt;alert(1)&lt;/script&gt;");
    expect(page).not.toMatch(/[\u0000-\u0008\u001b]/);
    expect(await agent("export", id, "talk.html")).toMatchObject({
      code: 1,
      err: expect.stringContaining("talk.html is there already") as string,
    });
    expect(readFileSync(join(at.folder, "talk.html"), "utf8")).toBe(page);
    const markdown = (await agent("export", id)).out;
    expect(markdown).toMatch(/^# find the needle\n\n- Session: /);
    expect(markdown).toMatch(/### Write \(ok\)\n\n````json\n/);
    expect(markdown).toContain("Landed: `create b.txt`");
    expect(markdown).not.toContain("\u001b");
    const facts = (await agent("export", id, "--format", "json")).out.trimEnd().split("\n");
    const log = readFileSync(join(at.state, "understudy/sessions", `${id}.jsonl`), "utf8")
      .trimEnd()
      .split("\n");
    expect(facts.map((line): unknown => JSON.parse(line))).toEqual(log.map((line): unknown => JSON.parse(line)));
  });

  it(
    "E4: another process that has the session is named with its flag, exit 2; a killed one blocks nobody",
    { timeout: 240_000 },
    async () => {
      const at = place("cli");
      const id = await talked(at);
      const slow = scriptFile(
        at,
        { turns: [{ text: "one" }, { text: "two" }, { text: "three" }, { text: "x ".repeat(2000), deltaMs: 200 }] },
        "slow.json",
      );
      const other = startAgent(at, ["-p", "--resume", id, "--model", slow, "go"]);
      const lock = join(at.state, "understudy/sessions", `${id}.lock`);
      for (let i = 0; i < 600 && !existsSync(lock); i++) await sleep(50);
      const held = await runAgent(at, ["-p", "--resume", id, "me too"]);
      expect([held.code, held.err]).toEqual([2, expect.any(String)]);
      expect(held.err).toMatch(
        new RegExp(
          `Session ${id} is open in process ${other.child.pid} since \\d{4}-.* UTC\\. .*--fork goes on in a copy of it`,
        ),
      );
      const copy = await runAgent(at, ["-p", "--resume", id, "--fork", "--model", scriptFile(at, SCRIPT), "me too"]);
      expect(copy.code).toBe(0);
      other.child.kill("SIGKILL");
      await other.done;
      expect(await runAgent(at, ["-p", "--resume", id, "--model", scriptFile(at, SCRIPT), "now"])).toMatchObject({
        code: 0,
      });
    },
  );

  it(
    "E4: a folder that was moved, renamed or is another one is said; what landed there stays there",
    { timeout: 240_000 },
    async () => {
      const at = place("cli");
      const id = await talked(at);
      const moved = { ...at, folder: `${at.folder}-renamed` };
      renameSync(at.folder, moved.folder);
      const model = scriptFile(at, SCRIPT);
      const there = await runAgent(moved, ["-p", "--resume", id, "--model", model, "go on"]);
      expect(there.code).toBe(0);
      expect(there.err).toContain(`This session worked in ${at.folder}, which is gone; it goes on in ${moved.folder}.`);
      expect(there.err).toContain("can be undone once that folder is back at its place");
      mkdirSync(at.folder);
      writeFileSync(join(at.folder, "b.txt"), "```\nb\n");
      const back = await runAgent(at, ["-p", "--resume", id, "--model", model, "go on"]);
      expect(back.err).toContain(`This session worked in ${moved.folder}; it goes on in ${at.folder}.`);
      expect(sessionsOf(at)[0]).toMatchObject({ id, folder: at.folder });
    },
  );
});
