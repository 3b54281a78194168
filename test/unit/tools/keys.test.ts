import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { findRipgrep } from "../../../src/tools/ripgrep.ts";
import { grepToolWith } from "../../../src/tools/grep.ts";
import { makeSecrets } from "../../../src/util/secrets/secrets.ts";
import { letters, privateKey, SAMPLES, secretLines } from "../../support/keys.ts";
import { toolBench, type ToolBench } from "../../support/tool-context.ts";

const secrets = makeSecrets({ key: new Uint8Array(32) });
const github = SAMPLES[0]?.key ?? "";
const other = SAMPLES[1]?.key ?? "";
const pem = privateKey();
const lines = secretLines(pem);

function bench(files: Readonly<Record<string, string>>): ToolBench & { text(name: string): string } {
  const tools = toolBench();
  tools.ctx.secrets = secrets;
  for (const [name, words] of Object.entries(files)) writeFileSync(join(tools.folder, name), words);
  return { ...tools, text: (name) => readFileSync(join(tools.folder, name), "utf8") };
}

describe("Read", () => {
  it("E1: a key is shown as its placeholder, lines keep their numbers, wherever the page begins", async () => {
    const file = `a=1\nTOKEN=${github}\n${pem}last\n`;
    const tools = bench({ ".env": file });
    const whole = await tools.call("Read", { file_path: ".env" });
    expect(whole.text.split("\n")[1]).toBe(`2\tTOKEN=${secrets.mask(github)}`);
    expect(whole.text).toContain(`${file.split("\n").indexOf("last") + 1}\tlast`);
    const inside = await tools.call("Read", { file_path: ".env", offset: 6, limit: 3 });
    expect(inside.text).toMatch(/^6\t«key:[0-9a-f]{16}»\n7\t«key:/);
    for (const line of [github, ...lines]) expect(whole.text + inside.text).not.toContain(line);
  });

  it("E1: neither the cut of a long line nor the border of what is read at once shows half a key", async () => {
    const long = `${" ".repeat(1990)}${github}`;
    const border = `${"x".repeat((256 << 10) - 4020)}\n`;
    const tools = bench({ "a.txt": `${long}\n`, "b.txt": `${border}${"y".repeat(4000)}\n${github}\n` });
    expect((await tools.call("Read", { file_path: "a.txt" })).text).not.toContain(github.slice(0, 9));
    expect((await tools.call("Read", { file_path: "b.txt", offset: 3 })).text).toContain(`3\t${secrets.mask(github)}`);
  });

  it("E1: a key in a notebook's output that is cut is none", async () => {
    const outputs = [{ output_type: "stream", text: [`${"z".repeat(1980)} ${github}`] }];
    const tools = bench({ "n.ipynb": JSON.stringify({ cells: [{ cell_type: "code", source: ["1"], outputs }] }) });
    expect((await tools.call("Read", { file_path: "n.ipynb" })).text).not.toContain(github.slice(0, 9));
  });
});

describe("Grep", () => {
  const engines = [
    ["ripgrep", grepToolWith({ ripgrep: findRipgrep })],
    ["the script", grepToolWith({ ripgrep: () => Promise.resolve(undefined) })],
  ] as const;

  it.each(engines)("E1: %s shows placeholders at the right lines, in long lines too", async (_name, grep) => {
    const long = `${"a b ".repeat(500)}token ${github}${" c".repeat(500)}`;
    const tools = bench({ "x.txt": `one\nTOKEN=${github}\n`, "min.js": `${long}\n` });
    const { text } = await tools.call(grep, { pattern: "TOKEN=|token gh" });
    expect(text).toContain(`2:TOKEN=${secrets.mask(github)}`);
    expect(text).toContain(`token ${secrets.mask(github)}`);
    expect(text).not.toContain(github.slice(0, 12));
  });

  it.each(engines)(
    "E1: %s shows no line of a private key, though a line alone doesn't tell that it is one",
    async (_name, grep) => {
      const tools = bench({ "id.pem": pem, "plain.txt": `${letters(64)}\n` });
      const { text } = await tools.call(grep, { pattern: "^[A-Za-z0-9+/=]+$" });
      for (const line of lines) expect(text).not.toContain(line);
      expect(text).toContain("2:«key:");
      expect(text).toContain(letters(64));
    },
  );
});

describe("Edit and Write", () => {
  const env = `A=1\nTOKEN=${github}\nB=2\n`;
  const name = secrets.mask(github);

  it("T4: an edit by placeholders changes the real bytes, and nothing else", async () => {
    const tools = bench({ ".env": env });
    await tools.call("Read", { file_path: ".env" });
    await tools.call("Edit", {
      file_path: ".env",
      old_string: `TOKEN=${name}\nB=2`,
      new_string: `OLD=${name}\nTOKEN=${name}\nB=3`,
    });
    expect(tools.text(".env")).toBe(`A=1\nOLD=${github}\nTOKEN=${github}\nB=3\n`);
  });

  it("T4: a line of a private key can be moved, whole or alone", async () => {
    const tools = bench({ "k.txt": `x\n${pem}y\n` });
    const shown = secrets.mask(pem);
    await tools.call("Read", { file_path: "k.txt" });
    await tools.call("Edit", {
      file_path: "k.txt",
      edits: [
        { old_string: `x\n${shown}`, new_string: shown },
        { old_string: "\ny\n", new_string: "\nz\n" },
      ],
    });
    expect(tools.text("k.txt")).toBe(`${pem}z\n`);
  });

  it("T4: a whole new text keeps the key of its file", async () => {
    const tools = bench({ ".env": env });
    await tools.call("Read", { file_path: ".env" });
    await tools.call("Write", { file_path: ".env", content: `# mine\nTOKEN=${name}\n` });
    expect(tools.text(".env")).toBe(`# mine\nTOKEN=${github}\n`);
  });

  it("E1: a key is put back in the file that holds it alone; elsewhere the call fails and says whose it is", async () => {
    const tools = bench({ ".env": env, "a.txt": "here\n" });
    await tools.call("Read", { file_path: "a.txt" });
    const edit = await tools.call("Edit", { file_path: "a.txt", old_string: "here", new_string: name });
    const fresh = await tools.call("Write", { file_path: "new.txt", content: `TOKEN=${name}` });
    for (const { outcome, text } of [edit, fresh]) {
      expect(outcome.status).toBe("error");
      expect(text).toContain(`${name} stands for a key`);
      expect(text).not.toContain(github);
    }
    expect(tools.text("a.txt")).toBe("here\n");
    const both = await tools.call("Read", { file_path: ".env" });
    expect(both.text).toContain(name);
    const wrong = await tools.call("Edit", {
      file_path: ".env",
      old_string: "A=1",
      new_string: `A=${secrets.mask(other)}`,
    });
    expect(wrong.outcome.status).toBe("error");
  });

  it("T4: what only looks like a placeholder, or stands in the file as text, is text", async () => {
    const tools = bench({ "doc.md": `see ${name} and «key:0123456789abcdef»\n` });
    await tools.call("Read", { file_path: "doc.md" });
    await tools.call("Edit", {
      file_path: "doc.md",
      old_string: `see ${name}`,
      new_string: `look at ${name}, «key:…»`,
    });
    expect(tools.text("doc.md")).toBe(`look at ${name}, «key:…» and «key:0123456789abcdef»\n`);
  });

  it("T4: the nearest text that a failed edit is told has no key, nor half of one", async () => {
    const tools = bench({ "a.txt": `const limit = 10; ${" ".repeat(960)}${github}\n` });
    await tools.call("Read", { file_path: "a.txt" });
    const { text } = await tools.call("Edit", {
      file_path: "a.txt",
      old_string: `const limit = 11; ${" ".repeat(960)}x`,
      new_string: "y",
    });
    expect(text).toContain("Nearest");
    expect(text).not.toContain(github.slice(0, 9));
  });
});
