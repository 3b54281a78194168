import { expect, it } from "vitest";
import { oauthServer } from "../support/oauth-server.ts";
import { runAgent, startAgent } from "../support/run-agent.ts";
import { place } from "../support/session.ts";

it("U4: agent mcp auth prints the page, waits for the browser, keeps the sign-in; list, test and doctor know it, --forget ends it", async () => {
  const [at, o] = [place("mcp-auth"), await oauthServer()];
  const mcp = (...words: string[]) => runAgent(at, ["mcp", ...words]);
  expect(await mcp("add", "o", "--url", o.url)).toMatchObject({ code: 0 });
  const before = await mcp("test", "o");
  expect([before.code, before.out]).toEqual([1, "o needs auth: agent mcp auth o signs you in\n"]);
  expect((await mcp("list")).out).toContain("needs auth: agent mcp auth o");
  const { child, done } = startAgent(at, ["mcp", "auth", "o"]);
  let came = false;
  child.stdout?.on("data", (text: string) => {
    const page = /^ {2}(http\S+)$/m.exec(text)?.[1];
    if (page === undefined || came) return;
    came = true;
    void o.browse(new URL(page)).then((back) => fetch(back));
  });
  const signed = await done;
  expect([signed.code, signed.err]).toEqual([0, ""]);
  expect(signed.out).toMatch(/You are signed in at o; kept in .*keys\.json/);
  expect((await mcp("list")).out).toContain("signed in");
  expect(await mcp("test", "o")).toMatchObject({ code: 0 });
  expect(await mcp("auth", "o", "--forget")).toMatchObject({ code: 0 });
  expect(await mcp("auth", "o", "--forget")).toMatchObject({ code: 1 });
});
