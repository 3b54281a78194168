import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { picturePath } from "../../../../src/ui/screen/pictures.ts";
import { clipboardImage, waysOf } from "../../../../src/ui/term/clipboard-image.ts";
import { fakeScreen as makeScreen } from "../../../support/fake-screen.ts";
import { greyPng, png } from "../../../support/media.ts";
import { scratch } from "../../../support/scratch.ts";

const [ENTER, CTRL_V, BACKSPACE] = ["\r", "\x16", "\x7f"];
const pasted = (text: string) => `\x1b[200~${text}\x1b[201~`;

function fakeScreen(options: Parameters<typeof makeScreen>[0] = {}) {
  const screen = makeScreen(options);
  onTestFinished(() => {
    screen.controller.leave();
    return screen.ended.then(() => {});
  });
  const region = () => screen.region().join("\n");
  const sent = () => screen.session.log.filter((event) => event.type === "prompt.submitted");
  return { ...screen, region, sent, shows: (text: string) => screen.settle(() => region().includes(text)) };
}

it("IN-15: Ctrl-V puts the clipboard's picture in as one sign; it goes along with the message, with a row", async () => {
  const screen = fakeScreen({ clipboard: async () => png(1280, 720) });
  await screen.type("what is ");
  await screen.type(CTRL_V);
  await screen.shows("› what is [Image #1 1280×720]");
  await screen.type("?");
  await screen.type(ENTER);
  await screen.settle(() => screen.above.includes("You said: what is [Image #1]?"));
  expect(screen.sent()[0]).toMatchObject({
    content: [
      { type: "text", text: "what is [Image #1]?" },
      { type: "image", source: { media_type: "image/png" }, attached: "Image #1 1280×720" },
    ],
  });
  expect(screen.above).toContain("  Image #1 1280×720");
});

it("IN-15: Backspace removes it, whole; then nothing goes along", async () => {
  const screen = fakeScreen({ clipboard: async () => png(2, 3) });
  await screen.type(CTRL_V);
  await screen.shows("[Image #1 2×3]");
  await screen.type(BACKSPACE);
  expect(screen.controller.store.get().editor.text).toBe("");
  await screen.type("hello");
  await screen.type(ENTER);
  await screen.settle(() => screen.above.includes("You said: hello"));
  expect(screen.sent()[0]).toMatchObject({ content: [{ type: "text", text: "hello" }] });
});

it("IN-15: what is missing, or wrong with it, is told", async () => {
  const said: (Buffer | string)[] = ["To paste a picture install xclip.", Buffer.from("no picture"), png(9000, 9000)];
  const screen = fakeScreen({ clipboard: async () => said.shift() ?? "" });
  await screen.type(CTRL_V);
  await screen.shows("To paste a picture install xclip.");
  await screen.type(CTRL_V);
  await screen.shows("The picture was not taken: it is no PNG, JPEG, GIF or WebP.");
  await screen.type(CTRL_V);
  await screen.shows("9000 x 9000 pixels");
  expect(screen.controller.store.get().editor.text).toBe("");
});

it("IN-15, T5: one that is too large is made smaller", async () => {
  const screen = fakeScreen({ clipboard: async () => greyPng(8200, 41) });
  await screen.type(CTRL_V);
  await screen.shows("[Image #1 2000×10]");
  await screen.type(ENTER);
  await screen.settle(() => screen.sent().length === 1);
  expect(screen.sent()[0]).toMatchObject({ content: [{ text: "[Image #1]" }, { attached: "Image #1 2000×10" }] });
});

it("IN-15: a dropped picture's path becomes the picture; another path, or one that leads nowhere, stays text", async () => {
  const dir = scratch("pictures");
  const path = join(dir, "my shot.png");
  writeFileSync(path, png(30, 20));
  writeFileSync(join(dir, "fake.png"), "text");
  const screen = fakeScreen();
  await screen.type(pasted(path.replaceAll(" ", "\\ ")));
  await screen.shows("[Image #1 30×20]");
  await screen.type(` and ${pasted(join(dir, "fake.png"))}`);
  await screen.type(ENTER);
  await screen.settle(() => screen.sent().length === 1);
  expect(screen.sent()[0]).toMatchObject({
    content: [{ text: expect.stringMatching(/^\[Image #1\] and .*fake\.png$/) }, {}],
  });
});

it("IN-15: paths as terminals paste them", () => {
  expect(picturePath("'/a b/c.png' ")).toBe("/a b/c.png");
  expect(picturePath("/a\\ b/c.JPG")).toBe("/a b/c.JPG");
  expect(picturePath("file:///a%20b/c.webp")).toBe("/a b/c.webp");
  for (const text of ["c.png", "/a/c.txt", "/a\n/c.png", "see /a/c.png x"]) expect(picturePath(text)).toBeUndefined();
});

it("IN-15: the error tells what is missing: wl-paste, xclip, a display", async () => {
  expect(waysOf({ WAYLAND_DISPLAY: "w", DISPLAY: ":0" }, "linux")).toMatchObject([
    { program: "wl-paste" },
    { program: "xclip" },
  ]);
  expect(waysOf({}, "darwin")).toMatchObject([{ program: "osascript" }]);
  expect(waysOf({}, "linux")).toMatch(/^No display/);
  expect(waysOf({ SSH_CONNECTION: "1" }, "linux")).toMatch(/ssh/);
  const none = await clipboardImage({ WAYLAND_DISPLAY: "w", DISPLAY: ":0", PATH: "/nowhere" }, "linux");
  expect(none).toBe("To paste a picture install wl-paste (wl-clipboard) or xclip.");
});
