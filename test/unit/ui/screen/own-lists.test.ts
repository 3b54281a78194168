import { expect, it, onTestFinished } from "vitest";
import { DEFAULT_KEYMAP, type Keymap } from "../../../../src/ui/input/keymap.ts";
import { fakeScreen } from "../../../support/fake-screen.ts";

function screenWith(keymap: Keymap) {
  const keys = { keymap: () => keymap, allKeys: () => true, file: "keymap.json" };
  const screen = fakeScreen({ keys } as unknown as Parameters<typeof fakeScreen>[0]);
  onTestFinished(() => (screen.controller.leave(), screen.ended.then(() => {})));
  return { ...screen, state: () => screen.controller.store.get() };
}

it("UX-N-5: keys of the search are those of the keymap, and no others", async () => {
  const search = { "ctrl+y": "older", "ctrl+x": "scope", "ctrl+j": "pick", f2: "escape" } as const;
  const screen = screenWith({ ...DEFAULT_KEYMAP, search });
  await screen.type("one");
  await screen.type("\r");
  await screen.settle(() => !screen.state().busy);
  await screen.type("\x12");
  await screen.type("on");
  await screen.type("\x18");
  expect(screen.state().search?.scope).not.toBe("project");
  await screen.type("\r");
  expect(screen.state().search).toBeDefined();
  await screen.type("\n");
  expect(screen.state().search).toBeUndefined();
  expect(screen.state().editor.text).toBe("one");
});
it("UX-N-5: keys of the session picker are those of the keymap", async () => {
  const overlay = { ...DEFAULT_KEYMAP.overlay, "ctrl+g": "pick", return: "down" } as const;
  const screen = screenWith({ ...DEFAULT_KEYMAP, overlay });
  await screen.type("/resume");
  await screen.type("\r");
  await screen.settle(() => screen.state().picker !== undefined);
  await screen.type("\r");
  expect(screen.state().picker).toBeDefined();
  await screen.type("\x07");
  await screen.settle(() => screen.state().picker === undefined);
});
