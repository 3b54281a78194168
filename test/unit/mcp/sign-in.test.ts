import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { ServerConfig } from "../../../src/mcp/config.ts";
import { Servers } from "../../../src/mcp/servers.ts";
import { signIn, type SignInHow } from "../../../src/mcp/sign-in.ts";
import type { SignIns } from "../../../src/mcp/signed-in.ts";
import { authState } from "../../../src/cli/mcp-auth.ts";
import { signInsAt } from "../../../src/session/sign-ins.ts";
import { storedServer } from "../../../src/session/stored-keys.ts";
import { serverLine } from "../../../src/ui/commands/mcp.ts";
import { builtinTools } from "../../../src/tools/builtin.ts";
import { systemClock } from "../../../src/util/system.ts";
import { server } from "../../support/mcp.ts";
import { type OauthServer, oauthServer } from "../../support/oauth-server.ts";
import { scratch } from "../../support/scratch.ts";

const never = () => new AbortController().signal;

interface Rig {
  at: string;
  signIns: SignIns;
  learned: string[];
}

function rig(): Rig {
  const at = scratch("sign-in");
  const learned: string[] = [];
  const signIns = signInsAt({ config: at, state: at, keyring: () => undefined, learn: (value) => learned.push(value) });
  return { at, signIns, learned };
}

const remote = (url: string, headers = {}): ServerConfig => server("o", {}, { run: { kind: "http", url, headers } });

/** The server's row once it was tried, and what its one tool says. */
async function tried({ at, signIns }: Rig, url: string, headers = {}) {
  const deps = {
    folder: at,
    roots: () => [at],
    home: at,
    trusted: () => true,
    env: {},
    clock: systemClock,
    version: "1",
  };
  const servers = new Servers(builtinTools, join(at, "seen.json"), { ...deps, signIns });
  servers.begin([remote(url, headers)]);
  await servers.settled(never(), 20_000);
  const [row] = servers.rows();
  const ctx = { signal: never(), resultsDir: "", askPerson: () => Promise.resolve(undefined) };
  const said = await servers.all
    .find(({ name }) => name === "mcp__o__whoami")
    ?.run({}, ctx as never)
    .next();
  await servers.close();
  return { row, said: JSON.stringify(said?.value ?? "") };
}

/** Signs in as a person would who agrees; `visit`: what the browser does with the page. */
function signedIn(url: string, visit: (address: URL) => Promise<unknown>, more: Partial<SignInHow> = {}) {
  const show = (address: URL) => void visit(address);
  const how = { url, headers: {}, port: 0, clock: systemClock, randomState: () => "state-1", show, ...more };
  return signIn(how, never());
}

const agrees = (o: OauthServer) => async (address: URL) => fetch(await o.browse(address));

async function signedRig(o: OauthServer): Promise<Rig> {
  const made = rig();
  const signed = await signedIn(o.url, agrees(o));
  await made.signIns.keep(o.url, signed ?? expect.fail("it wanted no sign-in"));
  return made;
}

describe("U4: signing in at a server", () => {
  it("U4: without a sign-in a server says what to do, and registers nothing", async () => {
    const [o, made] = [await oauthServer(), rig()];
    const { row } = await tried(made, o.url);
    expect(row).toMatchObject({ status: "failed", needsAuth: true, why: "needs auth: agent mcp auth o signs you in" });
    expect(serverLine(row ?? expect.fail()).text).toBe("o (yours): needs auth: agent mcp auth o signs you in");
    expect(o.asked).not.toContain("/register");
    expect(authState(remote(o.url), {}, made.signIns, made.at)).toBe("needs auth: agent mcp auth o");
  });

  it("U4, P9: registration, PKCE and the way back to 127.0.0.1 give a token that is kept as keys are, is a key from then on, and is used", async () => {
    const o = await oauthServer();
    const made = await signedRig(o);
    expect(o.asked).toContain("/register");
    const { row, said } = await tried(made, o.url);
    const [token = "none"] = o.live;
    expect(row).toMatchObject({ status: "ready" });
    expect(said).toContain(token);
    expect(made.learned).toContain(token);
    const file = join(made.at, "keys.json");
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readFileSync(file, "utf8")).toContain(token);
    expect(authState(remote(o.url), {}, made.signIns, made.at)).toBe("signed in");
  });

  it("U4: a token that counts no longer is made anew by its refresh, once, and the new one is kept", async () => {
    const o = await oauthServer();
    const made = await signedRig(o);
    const [first = ""] = o.live;
    o.live.clear();
    expect((await tried(made, o.url)).row).toMatchObject({ status: "ready" });
    expect(o.asked.filter((path) => path === "/token")).toHaveLength(2);
    expect(made.signIns.read(o.url)?.accessToken).not.toBe(first);
  });

  it("U4: where no refresh counts any more the sign-in is dropped, and a new one is asked for", async () => {
    const o = await oauthServer();
    const made = await signedRig(o);
    o.live.clear();
    o.revoke();
    const { row } = await tried(made, o.url);
    expect(row?.why).toBe("needs auth (the sign-in no longer counts): agent mcp auth o signs you in");
    expect(made.signIns.read(o.url)).toBeUndefined();
  });

  it("U4, P9: a token is sent to the address that it was made for alone; a header of the person's goes before it", async () => {
    const [o, other] = [await oauthServer(), await oauthServer()];
    const made = await signedRig(o);
    expect((await tried(made, other.url)).row).toMatchObject({ needsAuth: true });
    const [token = ""] = o.live;
    expect((await tried(made, o.url, { authorization: "Bearer mine" })).said).not.toContain(token);
    await expect(made.signIns.forget(o.url)).resolves.toBe(true);
    await expect(made.signIns.forget(o.url)).resolves.toBe(false);
  });

  it("U4: who comes back without our state is told nothing; a no of the service's is told in its words", async () => {
    const o = await oauthServer();
    const seen: number[] = [];
    const went = Promise.withResolvers<undefined>();
    const visit = async (address: URL) => {
      const back = new URL(await o.browse(address));
      back.searchParams.set("state", "another");
      seen.push((await fetch(back)).status);
      back.search = "?state=state-1&error=access_denied&error_description=you+said+no";
      seen.push((await fetch(back)).status);
      went.resolve(undefined);
    };
    await expect(signedIn(o.url, visit)).rejects.toThrow('the service said no: "you said no"');
    await went.promise;
    expect(seen).toEqual([404, 400]);
  });

  it("U4: a service that registers no programs says how one is named; with its id the sign-in works", async () => {
    const o = await oauthServer({ registers: false });
    await expect(signedIn(o.url, agrees(o))).rejects.toThrow(/give --client-id/);
    await expect(signedIn(o.url, agrees(o), { clientId: "by-hand" })).resolves.toMatchObject({ clientId: "by-hand" });
  });

  it("U4, P9: in the keyring a sign-in leaves only a mark in the file", async () => {
    const at = scratch("sign-in");
    const held = new Map<string, string>();
    const keyring = {
      name: "ring",
      read: (account: string) => held.get(account),
      keep: (account: string, value: string) => Promise.resolve(void held.set(account, value)),
      remove: (account: string) => Promise.resolve(void held.delete(account)),
    };
    const signIns = signInsAt({ config: at, state: at, keyring: () => keyring, learn: () => undefined });
    await expect(signIns.keep("https://x/mcp", { issuer: "i", clientId: "c", accessToken: "CANARY" })).resolves.toBe(
      "ring",
    );
    expect(readFileSync(join(at, "keys.json"), "utf8")).not.toContain("CANARY");
    expect(signIns.read("https://x/mcp")).toMatchObject({ accessToken: "CANARY" });
    await signIns.forget("https://x/mcp");
    expect(held.size).toBe(0);
    expect(storedServer("none", { config: at, keyring })).toBeUndefined();
  });
});
