import { describe, expect, it, onTestFinished } from "vitest";
import { fakeScreen } from "../../../support/fake-screen.ts";

const ENTER = "\r";

function screenOf(options: Parameters<typeof fakeScreen>[0] = {}) {
  const screen = fakeScreen(options);
  onTestFinished(() => (screen.controller.leave(), screen.ended.then(() => {})));
  const region = () => screen.region().join("\n");
  const said = () => screen.above.join("\n");
  return { ...screen, region, said, shows: (text: string) => screen.settle(() => region().includes(text)) };
}
const skill = (name: string, byPerson = true) => ({
  name,
  description: `does ${name}`,
  source: "user" as const,
  shown: "SKILL.md",
  body: "",
  files: [],
  byModel: true,
  byPerson,
});
function withSkills(screen: ReturnType<typeof screenOf>) {
  const skills = async () => ({ skills: [skill("tidy"), skill("hidden", false), skill("cost")], problems: [] });
  Object.assign(screen.session.beside, { texts: { skills } });
}

describe("the menu, cards and rows", () => {
  it("UX-IN-10: skills that the person may name are in the menu, with what they do; a command's name stays its own", async () => {
    const screen = screenOf();
    withSkills(screen);
    await screen.type("/ti");
    await screen.shows("does tidy");
    await screen.type("\x15/hid");
    expect(screen.region()).not.toContain("does hidden");
    await screen.type("\x15/cost");
    expect(screen.region()).not.toContain("does cost");
  });
  it("UX-IN-10: a skill is echoed once; while something runs it waits above the composer, and is sent behind it", async () => {
    const screen = screenOf();
    withSkills(screen);
    await screen.type("sleep");
    await screen.type(ENTER);
    await screen.settle(() => screen.controller.store.get().view.running.length > 0);
    await screen.type("/tidy up");
    await screen.type(ENTER);
    await screen.settle(() => screen.controller.store.get().later.includes("/tidy up"));
    await screen.type("\x1b");
    await screen.settle(() => !screen.controller.store.get().busy);
    await screen.type(ENTER);
    await screen.settle(() => screen.said().includes("You said: /tidy up"));
    expect(screen.said().match(/› \/tidy up/g)).toHaveLength(1);
  });
  it("UX-P-8: a denied change leaves one row", async () => {
    const screen = screenOf();
    await screen.type("edit");
    await screen.type(ENTER);
    await screen.shows("3 no");
    await screen.type("3");
    await screen.settle(() => screen.said().includes("you said no"));
    expect(screen.said().match(/⊘/g)).toHaveLength(1);
    expect(screen.said()).toContain("⊘ denied by you Edit");
  });
  it("UX-F-5: at the end of a message no step is told as being done", async () => {
    const screen = screenOf();
    await screen.type("todo");
    await screen.type(ENTER);
    await screen.settle(() => !screen.controller.store.get().busy);
    screen.controller.store.setNow((state) => ({
      ...state,
      view: { ...state.view, todos: [{ text: "write it", status: "active" }] },
    }));
    expect(screen.region()).toContain("▹ write it");
    screen.controller.store.setNow((state) => ({ ...state, busy: true }));
    expect(screen.region()).toContain("▸ write it");
    screen.controller.store.setNow((state) => ({ ...state, busy: false }));
  });
  it("H1: a hook that runs is named in the working row", async () => {
    const screen = screenOf();
    await screen.type("sleep");
    await screen.type(ENTER);
    await screen.settle(() => screen.controller.store.get().busy);
    screen.controller.store.setNow((s) => ({ ...s, view: { ...s.view, hooks: ["lint\x1b[2J.sh", "b"] } }));
    expect(screen.region()).toContain("Running hook lint.sh and 1 more");
    await screen.type("\x1b");
    await screen.settle(() => !screen.controller.store.get().busy);
    expect(screen.controller.store.get().view.hooks).toEqual([]);
  });
  it("U4: tool servers that did not come are told once, in one row", async () => {
    const row = { source: "user", tools: [], resources: [], prompts: [], problems: [], line: "", tail: "" };
    let status: "starting" | "failed" = "starting";
    let listener: (() => void) | undefined;
    const servers = {
      rows: () => [{ ...row, name: "tracker\x1b[2J", status }],
      onChange: (of: () => void) => void (listener = of),
    };
    const { tellFailedServers } = await import("../../../../src/ui/screen/server-notice.ts");
    const told: string[] = [];
    tellFailedServers({ servers } as unknown as Parameters<typeof tellFailedServers>[0], (words) => told.push(words));
    expect(told).toEqual([]);
    status = "failed";
    listener?.();
    listener?.();
    expect(told).toEqual(["A tool server is not there: tracker · /mcp says why"]);
  });
});
