import { describe, expect, it, onTestFinished } from "vitest";
import { createTheming } from "../../../../src/ui/screen/theming.ts";
import { fakeScreen } from "../../../support/fake-screen.ts";
import { scratch } from "../../../support/scratch.ts";

async function ran(command: string, options: Parameters<typeof fakeScreen>[0], until: string): Promise<string> {
  const screen = fakeScreen(options);
  onTestFinished(() => (screen.controller.leave(), screen.ended.then(() => {})));
  await screen.type(command);
  await screen.type("\r");
  const all = () => [...screen.above, ...(screen.cover() ?? [])].join("\n");
  await screen.settle(() => all().replaceAll(/\s+/g, " ").includes(until));
  return all();
}
const themes = (save?: (name: string) => Promise<string>) =>
  createTheming({ TERM: "xterm-256color" }, "auto", scratch(), save);

describe("commands about the screen and the machine", () => {
  it("UX-N-2: /theme keeps what was chosen, and says where", async () => {
    const kept: string[] = [];
    const save = async (name: string) => (kept.push(name), "/c/settings.json");
    await ran("/theme mono", { themes: themes(save) }, "From here on mono.");
    expect(kept).toEqual(["mono"]);
  });
  it("UX-N-2: /theme of no theme keeps nothing; what can't be kept counts all the same, and says why", async () => {
    const kept: string[] = [];
    await ran("/theme none", { themes: themes(async (name) => (kept.push(name), "")) }, "none");
    expect(kept).toEqual([]);
    const broken = themes(() => Promise.reject(new Error("settings.json:1: broken")));
    await ran("/theme mono", { themes: broken }, "for this session alone: settings.json:1: broken");
    expect(broken.now().used).toBe("mono");
  });
  it("U1: /doctor says what agent doctor says, clean of what a terminal obeys", async () => {
    const doctor = async () => [["copy", "overlay\x1b[2J"] as const, ["search", "/usr/bin/rg"] as const];
    const rows = await ran("/doctor", { doctor }, "/usr/bin/rg");
    expect(rows).toMatch(/^copy {8}overlay/m);
    expect(rows).not.toContain("\x1b[2J");
  });
  it("UX-T-2: /diff commit says why it can't be told", async () => {
    expect(await ran("/diff commit", {}, "git is not there")).toContain("It can't be told: git is not there.");
  });
});
