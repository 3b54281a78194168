import { expect, it, onTestFinished } from "vitest";
import { fakeScreen as makeScreen } from "../../../support/fake-screen.ts";

const [ENTER, TAB, DOWN, ESC] = ["\r", "\t", "\x1b[B", "\x1b"];
const FILES = ["README.md", "src/a.ts", "src/my notes.md", "src/deep/b.ts"];

function fakeScreen(options: Parameters<typeof makeScreen>[0] = {}) {
  const screen = makeScreen({ files: FILES, ...options });
  onTestFinished(() => {
    screen.controller.leave();
    return screen.ended.then(() => {});
  });
  const draft = () => screen.controller.store.get().editor.text;
  const region = () => screen.region().join("\n");
  const shows = (text: string) => screen.settle(() => region().includes(text));
  return { ...screen, draft, region, shows };
}

it("IN-10: Enter on a part of a name completes it and runs nothing; exact or chosen it runs", async () => {
  const screen = fakeScreen();
  await screen.type("/cos");
  expect(screen.region()).toContain("  /cost [turns]");
  expect(screen.region()).toContain("Tokens and money so far");
  await screen.type(ENTER);
  expect(screen.draft()).toBe("/cost ");
  expect(screen.above.join("\n")).not.toContain("cache read");
  await screen.type(ENTER);
  await screen.settle(() => screen.above.join("\n").includes("cache read"));
  expect(screen.draft()).toBe("");
  await screen.type("/quit");
  await screen.type(ESC);
  await screen.type("\x15/clea");
  await screen.type(DOWN);
  await screen.type(ENTER);
  await screen.settle(() => screen.above.join("\n").includes("starts afresh"));
});

it("IN-10: Tab completes the best; what may follow is offered as well, and a command that needs a word waits for it", async () => {
  const screen = fakeScreen();
  await screen.type("/mod");
  await screen.type(TAB);
  expect(screen.draft()).toMatch(/^\/mode? /);
  await screen.type("\x15/mode ");
  expect(screen.region()).toMatch(/ {2}plan\n {2}ask\n {2}auto/);
  await screen.type("au");
  await screen.type(TAB);
  expect(screen.draft()).toBe("/mode auto");
  await screen.type("\x15/model opus-5");
  expect(screen.region()).not.toContain("claude-opus-5\n");
  await screen.type("\x15/model claude-o");
  expect(screen.region()).toContain("claude-opus-5-5");
  await screen.type("\x15/rename");
  await screen.type(DOWN);
  await screen.type(ENTER);
  expect(screen.draft()).toBe("/rename ");
});

it("IN-10: a slash inside a path or a text never opens the menu", async () => {
  const screen = fakeScreen();
  for (const draft of ["/etc/ho", "see /co", "a/co", "。/co"]) {
    await screen.type(`\x15${draft}`);
    expect(screen.region()).not.toContain("Tokens and money");
  }
});

it("IN-11: @ offers files, Tab or Enter takes the best, a folder goes on, blanks are quoted, Esc closes", async () => {
  const screen = fakeScreen();
  await screen.type("look at @");
  await screen.shows("README.md");
  expect(screen.region()).toContain("  src/");
  await screen.type("read");
  await screen.shows("› README.md");
  await screen.type(ENTER);
  expect(screen.draft()).toBe("look at @README.md ");
  expect(screen.above.join("\n")).not.toContain("You said");
  await screen.type("and @src");
  await screen.shows("› src/");
  await screen.type(TAB);
  expect(screen.draft()).toBe("look at @README.md and @src/");
  await screen.type("notes");
  await screen.shows("› src/my notes.md");
  await screen.type(TAB);
  expect(screen.draft()).toBe('look at @README.md and @"src/my notes.md" ');
  await screen.type("@b.t");
  await screen.shows("› src/deep/b.ts");
  await screen.type(ESC);
  expect(screen.region()).not.toContain("src/deep/b.ts");
  await screen.type(ENTER);
  await screen.settle(() => screen.above.join("\n").includes("You said: look at"));
});

it("IN-11: behind Chinese punctuation as well; an address, a range of lines and a name that nothing fits leave Enter to send", async () => {
  const screen = fakeScreen();
  await screen.type("見て、@rea");
  await screen.shows("› README.md");
  await screen.type(TAB);
  expect(screen.draft()).toBe("見て、@README.md ");
  for (const words of ["me@readme", "@README.md:1-2", "@Component"]) {
    await screen.type(`\x15${words}`);
    await screen.type(ENTER);
    await screen.settle(() => screen.above.includes(`You said: ${words}`));
  }
});

it("IN-11: a whole name that is typed is sent by Enter", async () => {
  const screen = fakeScreen();
  await screen.type("@src/a.ts");
  await screen.shows("src/a.ts");
  await screen.settle(() => screen.controller.store.get().files?.query === "src/a.ts");
  await screen.type(ENTER);
  await screen.settle(() => screen.above.includes("You said: @src/a.ts"));
  expect(screen.draft()).toBe("");
});
