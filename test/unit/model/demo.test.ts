import { describe, expect, it } from "vitest";
import type { ReplyBlock } from "../../../src/events/block.ts";
import { demoModel } from "../../../src/model/demo.ts";
import type { Message, RequestBlock } from "../../../src/model/model.ts";
import { systemClock } from "../../../src/util/system.ts";
import { apiBreaches } from "../../support/api-rules.ts";
import { ask, endOf, eventsFrom } from "../../support/model.ts";

const TOOLS = ["AskUser", "Glob", "Grep", "Read", "Write"];
type Results = Readonly<Record<string, string | { error: string }>>;
const NOTES: Results = {
  Glob: "a.md\nsub/b.md\nc.md",
  Grep: "a.md\n3:- TODO: call Ada\n\nsub/b.md\n1:TODO buy oil\n9:* [ ] **TODO:** sell it",
  Read: "1\tsome line",
  Write: "Made TODO-overview.md (1 bytes).\n[Landed in the folder: create TODO-overview.md.]",
  AskUser: "Yes",
};

/** A conversation with the demo: the person's words, and what tools answer. */
class Tour {
  readonly messages: Message[] = [];
  readonly said: string[] = [];
  readonly calls: { name: string; input: Record<string, unknown> }[] = [];
  readonly tools: readonly string[];
  constructor(tools = TOOLS) {
    this.tools = tools;
  }

  /** Plays until the demo calls nothing more; `stopAfter` so many replies. */
  async play(words: string, results: Results, mode?: string, stopAfter = 10): Promise<string> {
    const note: RequestBlock[] =
      mode === undefined ? [] : [{ type: "text", text: `<note>\nFolder: /x\nMode: ${mode}. So it is.\n</note>` }];
    const last = this.messages.at(-1);
    const content: RequestBlock[] = [...note, { type: "text", text: words }];
    if (last?.role === "user") last.content.push(...content);
    else this.messages.push({ role: "user", content });
    for (let n = 0; n < stopAfter; n++) {
      const blocks = await this.reply();
      const calls = blocks.flatMap((b) => (b.type === "tool_use" ? [b] : []));
      if (calls.length === 0) break;
      this.messages.push({
        role: "user",
        content: calls.map(({ id, name }) => {
          const result = results[name] ?? { error: "unexpected" };
          const text = typeof result === "string" ? result : result.error;
          return {
            type: "tool_result",
            tool_use_id: id,
            content: [{ type: "text", text }],
            ...(typeof result === "string" ? {} : { is_error: true }),
          };
        }),
      });
    }
    return this.said.at(-1) ?? "";
  }

  private async reply(): Promise<ReplyBlock[]> {
    const breaches = apiBreaches(this.messages);
    if (breaches.length > 0) throw new Error(breaches.join("; "));
    const tools = this.tools.map((name) => ({ name, description: "", input_schema: {} }));
    const request = ask({ tools, messages: structuredClone(this.messages) });
    const { blocks } = endOf(await eventsFrom(demoModel({ clock: systemClock, wordMs: 0 }), request), "reply");
    this.messages.push({ role: "assistant", content: blocks });
    this.said.push(blocks.flatMap((b) => (b.type === "text" ? [b.text] : [])).join("\n"));
    this.calls.push(...blocks.flatMap((b) => (b.type === "tool_use" ? [{ name: b.name, input: b.input }] : [])));
    return blocks;
  }
  get names(): string[] {
    return this.calls.map((c) => c.name);
  }
  get written(): string[] {
    return this.calls.filter((c) => c.name === "Write").map((c) => String(c.input["content"]));
  }
}

describe("M3: the demo model", () => {
  it("looks, searches, reads and proposes one file, with what it found, saying each time that it is a demo", async () => {
    const tour = new Tour();
    await tour.play("Show me around", NOTES);
    expect(tour.names).toEqual(["Glob", "Grep", "Read", "Write"]);
    expect(tour.said.every((text) => /\bdemo\b/i.test(text))).toBe(true);
    expect(tour.calls[2]?.input).toMatchObject({ file_path: "sub/b.md" });
    expect(tour.calls[3]?.input["file_path"]).toBe("TODO-overview.md");
    expect(tour.written).toEqual([
      "# TODO overview\n\n3 TODOs in 2 files.\n\n## a.md\n\n- [ ] line 3: call Ada\n\n## sub/b.md\n\n- [ ] line 1: buy oil\n- [ ] line 9: sell it\n",
    ]);
    expect(tour.said.at(-1)).toContain("ANTHROPIC_API_KEY");
  });

  it("a folder without notes: it says so, and proposes its file all the same", async () => {
    const tour = new Tour();
    await tour.play("tour", { ...NOTES, Glob: 'No files match "**/*.md".', Grep: 'No matches for "\\bTODO\\b".' });
    expect(tour.names).toEqual(["Glob", "Grep", "Write"]);
    expect(tour.said.join()).toContain("no Markdown notes");
    expect(tour.written[0]).toContain("No TODO was found");
  });

  it("notes without a TODO, one file, and a list too long to show whole", async () => {
    const one = new Tour();
    await one.play("tour", { ...NOTES, Glob: "a.md", Grep: "No matches for x." });
    expect(one.names).toEqual(["Glob", "Grep", "Read", "Write"]);
    expect(one.said.join()).toContain("there is 1 Markdown file.");
    const many = new Tour();
    await many.play("tour", {
      ...NOTES,
      Glob: "a.md\nb.md\n\n2 of 1,234 files shown, the newest. Narrow the pattern.",
    });
    expect(many.said.join()).toContain("1,234 Markdown files");
  });

  it("an overview that is there already is read before it is replaced, and is no source of itself", async () => {
    const tour = new Tour();
    await tour.play("tour", {
      ...NOTES,
      Glob: "a.md\nTODO-overview.md",
      Grep: "TODO-overview.md\n1:# TODO overview\n\na.md\n2:TODO x",
    });
    expect(tour.calls.filter((c) => c.name === "Read").map((c) => c.input["file_path"])).toEqual([
      "a.md",
      "TODO-overview.md",
    ]);
    expect(tour.written[0]).toContain("1 TODO in 1 file.");
  });

  it("a no is taken as an answer, whatever was refused", async () => {
    const tour = new Tour();
    const last = await tour.play("tour", {
      ...NOTES,
      Write: { error: "[None of its changes reached the folder: the person said no]" },
    });
    expect(last).toContain("was not written (None of its changes reached the folder: the person said no)");
    expect(tour.names.filter((n) => n === "Write")).toHaveLength(1);
    const blind = new Tour();
    await blind.play("tour", { Glob: { error: "Denied." }, Grep: { error: "Denied." }, Write: { error: "Denied." } });
    expect(blind.names).toEqual(["Glob", "Grep", "Write"]);
  });

  it("what the person says later is answered kindly, and changes nothing", async () => {
    const tour = new Tour();
    await tour.play("tour", NOTES);
    const answer = await tour.play("Now fix my build!", NOTES);
    expect(answer).toMatch(/only the demo/);
    expect(tour.names).toHaveLength(4);
    await tour.play("show me the tour again", NOTES);
    expect(tour.names).toHaveLength(8);
  });

  it("a task is not taken on: it says that it can't, and shows around", async () => {
    const tour = new Tour();
    await tour.play("Delete all files", NOTES);
    expect(tour.said[0]).toContain("can't do what you ask");
    expect(tour.names).toEqual(["Glob", "Grep", "Read", "Write"]);
  });

  it("words in the middle, and a stopped tour, go on where it was", async () => {
    const tour = new Tour();
    await tour.play("show me", NOTES, "ask", 2);
    expect(tour.names).toEqual(["Glob", "Grep"]);
    await tour.play("what about c.md?", NOTES);
    expect(tour.said[2]).toContain("only a demo");
    expect(tour.names).toEqual(["Glob", "Grep", "Read", "Write"]);
  });

  it("P1: in plan mode nothing is written; once another mode is on it goes on", async () => {
    const tour = new Tour();
    expect(await tour.play("tour", NOTES, "plan")).toContain("only a plan");
    expect(tour.names).toEqual(["Glob", "Grep", "Read"]);
    await tour.play("go on", NOTES, "ask");
    expect(tour.names).toEqual(["Glob", "Grep", "Read", "Write"]);
  });

  it("in auto mode, where a file would land unasked, it asks by itself", async () => {
    const yes = new Tour();
    await yes.play("show me", NOTES, "auto");
    expect(yes.names).toEqual(["Glob", "Grep", "Read", "AskUser", "Write"]);
    for (const AskUser of ["No", "better not, yes?", { error: "nobody" }]) {
      const no = new Tour();
      await no.play("show me", { ...NOTES, AskUser }, "auto");
      expect(no.names).toEqual(["Glob", "Grep", "Read", "AskUser"]);
    }
    const none = new Tour(["Glob", "Grep", "Read", "Write"]);
    await none.play("show me", NOTES, "auto");
    expect(none.written).toEqual([]);
  });

  it("without its tools it only talks", async () => {
    const tour = new Tour(["Read"]);
    expect(await tour.play("tour", NOTES)).toContain("needs Glob, Grep, Write");
    expect(tour.calls).toEqual([]);
  });

  it("is streamed at a pace at which it can be read", async () => {
    const waits: number[] = [];
    const clock = { now: () => 0, sleep: (ms: number) => Promise.resolve(void waits.push(ms)) };
    const events = await eventsFrom(demoModel({ clock }));
    expect(waits.length).toBe(events.filter((e) => e.type === "text").length);
    expect(new Set(waits)).toEqual(new Set([35]));
  });
});
