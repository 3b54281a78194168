// A program whose tool proposes changes: each Markdown file gets a heading. Run it with a key: ANTHROPIC_API_KEY=… node examples/headings.ts
import { defineTool, query, questionText, toEnd, z, type Asker } from "understudy";

const heading = defineTool({
  name: "set_heading",
  description: "Sets the first heading of a Markdown file. Give its path and the words.",
  input: z.object({ path: z.string(), words: z.string() }),
  effects: "changes",
  timeoutMs: 10_000,
  async run({ path, words }, { files, show }) {
    const text = (await files.read(path))?.toString() ?? "";
    show(`${path}: ${words}\n`);
    await files.write(path, `# ${words}\n\n${text.replace(/^# .*\n+/, "")}`);
    return "It has the heading now.";
  },
});

/** Says what is asked, and yes. */
const asker: Asker = {
  ask(question) {
    console.log(questionText(question));
    return Promise.resolve({ kind: "yes" });
  },
  askPerson: () => Promise.resolve(undefined),
};

const options = { folder: process.cwd(), env: process.env, tools: [heading], asker };
const { text, reason } = await toEnd(query("Give notes.md the heading 'Notes'.", options));
console.log(`${text} (${reason})`);
