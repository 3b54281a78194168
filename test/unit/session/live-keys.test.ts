import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { LogEvent, SessionEvent } from "../../../src/events/event.ts";
import { openLog } from "../../../src/events/open-log.ts";
import { maskedLive } from "../../../src/session/live-keys.ts";
import { makeSecrets } from "../../../src/util/secrets/secrets.ts";
import { systemClock } from "../../../src/util/system.ts";
import { deepRuns } from "../../support/deep.ts";
import { newLog, NO_USAGE, place as logPlace } from "../../support/event-log.ts";
import { letters, privateKey, SAMPLES, secretLines } from "../../support/keys.ts";
import { openRig } from "../../support/rig.ts";
import { place } from "../../support/session.ts";

const OWN = "CANARY-of-the-environment";
const secrets = makeSecrets({ key: new Uint8Array(32).fill(7), values: [OWN] });
const [github = "", slack = ""] = [SAMPLES[0]?.key, SAMPLES.find((s) => s.name === "Slack bot")?.key];
const pem = privateKey();
const CANARIES = [github, slack, OWN, ...secretLines(pem).filter((line) => line.length > 20)];

function filesBelow(dir: string): { file: string; text: string }[] {
  return readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((file) => ({ file, text: `${file}\n${readFileSync(file, "latin1")}` }));
}

async function shown(events: readonly SessionEvent[]): Promise<SessionEvent[]> {
  async function* source(): AsyncGenerator<SessionEvent, undefined> {
    await Promise.resolve();
    yield* events;
    return undefined;
  }
  const out: SessionEvent[] = [];
  for await (const event of maskedLive(source(), secrets)) out.push(event);
  return out;
}

const fact = { v: 1, at: "", mac: "", seq: 2 } as const;
const END: LogEvent = {
  ...fact,
  type: "call.finished",
  callId: "c",
  status: "ok",
  content: [],
  touched: [],
  durationMs: 0,
};

describe("live events", () => {
  it("E1: a tool's name that the model made up is masked too", async () => {
    const delta = { type: "input.delta", callId: "c", tool: github, json: '{"a":1}' } as const;
    const out = await shown([delta, { ...delta, tool: "Read" }, END]);
    const tools = out.flatMap((e) => (e.type === "input.delta" ? [e.tool] : []));
    expect([...new Set(tools)]).toEqual([secrets.mask(github), "Read"]);
    expect(JSON.stringify(out)).not.toContain(github);
  });
  it("E1: a key over the border of two pieces is masked; what was held back comes ahead of the end of its text", async () => {
    const out = await shown([
      { type: "tool.output", callId: "c", text: `a ${github.slice(0, 7)}` },
      { type: "tool.output", callId: "d", text: "other sk-" },
      { type: "tool.output", callId: "c", text: `${github.slice(7)} b gh` },
      END,
    ]);
    const of = (id: string) => out.map((e) => (e.type === "tool.output" && e.callId === id ? e.text : "")).join("");
    expect(of("c")).toBe(`a ${secrets.mask(github)} b gh`);
    expect(of("d")).toBe("other ");
    expect(out.at(-1)).toEqual(END);
  });

  it("E1: what is written of a reply ends with the reply, and what is void is dropped with it", async () => {
    const reply: LogEvent = {
      ...fact,
      type: "reply.cut",
      turn: 1,
      model: "m",
      blocks: [],
      usage: NO_USAGE,
      reason: "x",
    };
    const out = await shown([{ type: "text.delta", text: "see sk-" }, { type: "reply.discarded", reason: OWN }, reply]);
    expect(out.map((e) => e.type)).toEqual(["text.delta", "text.delta", "reply.discarded", "reply.cut"]);
    expect(JSON.stringify(out)).not.toContain(OWN);
  });

  it("E1: no byte of a key is in any event, whatever is streamed and cut wherever", async () => {
    const chunks = fc.array(
      fc.oneof(fc.constantFrom(github, slack, OWN, pem, "\n", " ok ", '"'), fc.string({ maxLength: 9 })),
      { maxLength: 8 },
    );
    await fc.assert(
      fc.asyncProperty(chunks, fc.array(fc.nat(3000), { maxLength: 9 }), async (texts, cuts) => {
        const text = texts.join(" ");
        const borders = [0, ...cuts.map((c) => c % (text.length + 1)), text.length].toSorted((a, b) => a - b);
        const pieces = borders.map((from, n) => text.slice(from, borders[n + 1] ?? from));
        const out = await shown([
          ...pieces.map((piece) => ({ type: "input.delta" as const, callId: "c", tool: "Bash", json: piece })),
          END,
        ]);
        const all = out.map((e) => (e.type === "input.delta" ? e.json : "")).join("");
        expect(CANARIES.filter((canary) => all.includes(canary))).toEqual([]);
      }),
      deepRuns(60, 5000),
    );
  });
});

describe("the log", () => {
  it("E1: a fact is kept and folded with placeholders, whatever field holds the key, long texts in the store too", async () => {
    const at = logPlace();
    const log = await newLog(at, [
      { type: "prompt.submitted", when: "start", content: [{ type: "text", text: `use ${github} and ${slack}` }] },
      { type: "note.added", text: `${letters(80_000)}\n${pem}` },
      { type: "session.named", name: github },
      { type: "todo.updated", todos: [{ text: slack, status: "active" }] },
      { type: "query.finished", reason: "api-error", detail: `401 for ${github}`, turns: 1, durationMs: 0 },
    ]);
    await log.close();
    for (const { text } of [...filesBelow(at.sessionsDir), ...filesBelow(at.contentDir)])
      expect(CANARIES.filter((canary) => text.includes(canary))).toEqual([]);
    expect(log.events[1]).toMatchObject({ keys: 2 });
    expect(log.state.name).toBe(log.secrets.mask(github));
  });

  it("E1: an exported variable that holds a key is not carried over; every other is", async () => {
    const log = await newLog(logPlace(), [{ type: "shell.moved", cwd: "/p", env: { TOKEN: github, PLAIN: "x" } }]);
    expect(log.state.shell.env).toEqual({ PLAIN: "x" });
    await log.close();
  });

  it("E3: the placeholder of a value is the same when the session is opened again", async () => {
    const at = logPlace();
    const first = await newLog(at);
    await first.close();
    const again = await openLog({ ...at, clock: systemClock, create: false });
    expect(again.secrets.mask(github)).toBe(first.secrets.mask(github));
    await again.close();
  });
});

describe("a session", () => {
  const open = async (mode: "ask" | "auto" = "auto") => {
    const at = place();
    writeFileSync(join(at.folder, ".env"), `A=1\nTOKEN=${github}\n`);
    writeFileSync(join(at.folder, "id.pem"), pem);
    const rig = await openRig(at, mode, { more: { secrets } });
    return { at, rig, name: secrets.mask(github) };
  };

  it("E1: outputs, errors, questions, commands and their files hold placeholders; nothing of the state holds a key", async () => {
    const { at, rig, name } = await open("ask");
    const cat = await rig.bash("cat .env id.pem; for n in $(seq 4000); do echo line $n; done; cat .env; echo $((1+1))");
    expect(cat.result).toContain(`TOKEN=${name}`);
    expect(cat.result).toMatch(/«key:…» stands for a key that is kept from you/);
    const again = await rig.call("Read", { file_path: ".env" });
    expect(again.result).not.toMatch(/kept from you/);
    expect(again.facts.findLast((f) => f.type === "call.finished")).toMatchObject({ keys: 1 });
    const edit = await rig.call(
      "Edit",
      { file_path: ".env", old_string: `TOKEN=${name}`, new_string: `# ${name}` },
      "yes",
    );
    expect(JSON.stringify(edit.asked)).toContain(`-TOKEN=${name}`);
    expect(readFileSync(join(at.folder, ".env"), "utf8")).toBe(`A=1\n# ${github}\n`);
    await rig.bash(`export MINE=${slack}; echo x > 'f-${slack}'`, "yes");
    await rig.session.rename(`about ${github.slice(0, 40)}`);
    await rig.session.close();
    const kept = filesBelow(at.state).filter(({ file }) => !file.includes("/folders/"));
    expect(kept.some(({ file }) => file.includes("/results/"))).toBe(true);
    for (const { text } of kept) expect(CANARIES.filter((canary) => text.includes(canary))).toEqual([]);
    expect(existsSync(join(at.folder, `f-${slack}`))).toBe(true);
  });

  it("E1: a placeholder in a command, a path or a search fails the call, names the file and asks nobody", async () => {
    const { rig, name } = await open("ask");
    await rig.call("Grep", { pattern: "TOKEN" });
    const uses = [await rig.bash(`curl -H 'auth: ${name}' x`, "yes"), await rig.call("Grep", { pattern: name })];
    for (const done of [...uses, await rig.call("Delete", { file_path: name }, "yes")]) {
      expect(done).toMatchObject({ status: "error", asked: [] });
      expect(done.result).toContain(`${name} stands for a key in .env, which is kept from you`);
    }
    const elsewhere = { file_path: "new.txt", content: name };
    for (const other of [await rig.call("Write", elsewhere), await rig.call("Write", elsewhere)])
      expect(other.result).toContain(`${name} stands for a key in .env, and new.txt doesn't hold it`);
    for (const read of [await rig.call("Read", { file_path: name }), await rig.bash(`echo ${name}`)])
      expect(read.result).toContain(`${name} stands for a key in .env, which is kept from you`);
    const todo = await rig.call("TodoWrite", { todos: [{ text: `rotate ${name}`, status: "active" }] });
    expect(todo.status).toBe("ok");
    await rig.session.close();
  });

  it("E1: what the person writes is masked before the model and the log, and explained", async () => {
    const { rig, name } = await open();
    const facts: SessionEvent[] = [];
    for await (const event of rig.session.submit(`my token is ${github}`)) facts.push(event);
    const prompt = facts.find((f) => f.type === "prompt.submitted");
    expect(prompt).toMatchObject({ content: [{ text: `my token is ${name}` }], keys: 1 });
    expect(facts.filter((f) => f.type === "note.added").at(-1)?.text).toMatch(/kept from you/);
    await rig.session.close();
  });
});
