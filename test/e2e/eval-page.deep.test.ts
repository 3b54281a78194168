import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inflateSync } from "node:zlib";
import { afterAll, beforeAll, expect, it } from "vitest";
import { summarise } from "../../src/evals/numbers/summary.ts";
import { runPage } from "../../src/evals/report/pages.ts";
import { HOSTILE, hostileRun } from "../support/eval-run.ts";
import { missingTool, needs } from "../support/runnable.ts";

const dir = mkdtempSync(join(tmpdir(), "eval-page-"));
/** Where everything that is said on the page would like to lead. */
let server: Server;
const asked: string[] = [];

beforeAll(async () => {
  server = createServer((request, response) => {
    asked.push(request.url ?? "");
    response.end("document.title = 'run'");
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
});
afterAll(() => {
  server.close();
  rmSync(dir, { recursive: true, force: true });
});

/** Chromium with a profile of its own, ended after a minute. Gives what it wrote. */
function chromium(...args: string[]): Promise<string> {
  const profile = mkdtempSync(join(dir, "profile-"));
  const flags = ["--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", `--user-data-dir=${profile}`];
  const child = spawn("chromium", [...flags, ...args], { stdio: ["ignore", "pipe", "ignore"], timeout: 60_000 });
  let out = "";
  child.stdout.setEncoding("utf8").on("data", (piece: string) => (out += piece));
  return new Promise((done, fail) => child.on("error", fail).on("close", () => done(out)));
}

/** How light the pixels of a PNG with 8 bits a sample are on the whole, 0 to 255, the first samples of rows without a filter aside: enough to tell light from dark. */
function lightness(file: string): number {
  const png = readFileSync(file);
  const parts: Buffer[] = [];
  for (let at = 8; at < png.length; at += 12 + png.readUInt32BE(at))
    if (png.toString("latin1", at + 4, at + 8) === "IDAT")
      parts.push(png.subarray(at + 8, at + 8 + png.readUInt32BE(at)));
  const [width, samples] = [png.readUInt32BE(16), png[25] === 6 ? 4 : 3];
  // The corner of the first row: whatever its filter, its first pixel has nothing beside or above it.
  return (
    [...inflateSync(Buffer.concat(parts)).subarray(1, 1 + Math.min(3, width * samples))].reduce((a, b) => a + b, 0) / 3
  );
}

it("V2: in Chromium the page shows its trials and traces, light and dark, and asks nobody for anything", async (ctx) => {
  needs(ctx, missingTool("chromium"));
  const address = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const said = HOSTILE.replaceAll("127.0.0.1", address);
  const page = join(dir, "page.html");
  writeFileSync(
    page,
    [...runPage(summarise(hostileRun(address)), () => [{ kind: "reply", at: "", text: said }])].join(""),
  );
  const shot = (name: string, ...more: string[]) =>
    chromium("--window-size=1100,1600", `--screenshot=${join(dir, name)}`, ...more);
  const dom = await chromium("--dump-dom", `file://${page}`);
  expect(dom).toContain("pass^k");
  expect(dom).not.toMatch(/<(script|img|iframe)/);
  await shot("light.png", "--blink-settings=preferredColorScheme=1", `file://${page}`);
  await shot("dark.png", "--blink-settings=preferredColorScheme=0", `file://${page}`);
  await shot("trace.png", `file://${page}#t1-2`);
  expect([lightness(join(dir, "light.png")) > 200, lightness(join(dir, "dark.png")) < 60]).toEqual([true, true]);
  expect(readFileSync(join(dir, "trace.png"))).not.toEqual(readFileSync(join(dir, "light.png")));
  expect(asked).toEqual([]);
}, 300_000);
