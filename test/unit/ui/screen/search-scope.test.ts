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
