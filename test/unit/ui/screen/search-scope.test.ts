import { expect, it, onTestFinished } from "vitest";
import { fakeScreen } from "../../../support/fake-screen.ts";

it("IN-9: Ctrl-S changes whose texts are searched: of this project, of all, of this session; Enter takes and does not send", async () => {
  const history = {
    entries: () => [{ text: "fix here" }],
    others: () => [{ text: "fix elsewhere" }],
    add: () => undefined,
  };
  const screen = fakeScreen({ history });
  onTestFinished(() => {
    screen.controller.leave();
    return screen.ended.then(() => {});
  });
  const rows = () => screen.region().join("\n");
  await screen.type("fix now");
  await screen.type("\r");
  await screen.settle(() => screen.above.includes("You said: fix now") && !screen.controller.store.get().busy);
  await screen.type("draft");
  await screen.type("\x12");
  await screen.type("fix");
  expect(rows()).toContain("search this project: fix");
  await screen.type("\x12");
  expect(rows()).toContain("fix here");
  await screen.type("\x12");
  expect(rows()).not.toContain("elsewhere");
  await screen.type("\x13");
  await screen.type("\x12");
  await screen.type("\x12");
  expect(rows()).toContain("search all projects: fix\n  fix elsewhere");
  await screen.type("\x13");
  expect(rows()).toContain("search this session: fix\n  fix now");
  await screen.type("\x12");
  expect(rows()).toContain("fix now");
  await screen.type("\r");
  expect(screen.controller.store.get().editor.text).toBe("fix now");
  expect(screen.above.filter((row) => row === "You said: fix now")).toHaveLength(1);
});

it("IN-9, IN-14: what is pasted into the search is looked for, its first line; it goes to no draft and takes nothing", async () => {
  const history = { entries: () => [{ text: "npm run build" }, { text: "other" }], add: () => undefined };
  const screen = fakeScreen({ history });
  onTestFinished(() => {
    screen.controller.leave();
    return screen.ended.then(() => {});
  });
  await screen.type("\x12");
  await screen.type("\x1b[200~run \x07build\nsecond line\r\x1b[201~");
  expect(screen.region().join("\n")).toContain("search this project: run build\n  npm run build");
  expect(screen.controller.store.get().editor.text).toBe("");
  expect(screen.controller.store.get().search).toBeDefined();
});
