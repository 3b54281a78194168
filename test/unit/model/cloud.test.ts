import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { cloudModel, missingFor, type CloudAccess } from "../../../src/model/cloud.ts";
import { AWS, startAws, type AwsAnswer } from "../../support/aws-server.ts";
import { GOOGLE, startGoogle, type GoogleAnswer } from "../../support/google-server.ts";
import { ask, endOf, eventsFrom, quickClock, retriesIn, textIn } from "../../support/model.ts";
import { scratch } from "../../support/scratch.ts";

const NAMED = "anthropic.claude-haiku-4-5-20251001-v1:0";
const CALLS = [
  { name: "Read", input: { file_path: "a" }, id: "toolu_a" },
  { name: "Grep", input: { pattern: "b" }, id: "toolu_b" },
];
const TURN = { text: "Both at once.", calls: CALLS, usage: { input: 3, output: 5, cacheRead: 7 } };

function model(cloud: "bedrock" | "vertex", named: string, access: CloudAccess) {
  return cloudModel(cloud, `${cloud}:${named}`, named, access, { access: {}, clock: quickClock(), random: () => 0 });
}

// The SDKs look for credentials in the environment and the home folder: nothing of this machine's counts.
beforeEach(() => {
  const empty = scratch("cloud");
  for (const name of Object.keys(process.env)) if (/^(AWS_|GOOGLE_|CLOUDSDK_)/.test(name)) vi.stubEnv(name, undefined);
  vi.stubEnv("AWS_CONFIG_FILE", join(empty, "config"));
  vi.stubEnv("AWS_SHARED_CREDENTIALS_FILE", join(empty, "credentials"));
  vi.stubEnv("AWS_EC2_METADATA_DISABLED", "true");
  vi.stubEnv("HOME", empty);
  return () => vi.unstubAllEnvs();
});

describe("M1: Bedrock, by its SDK", () => {
  const signed = () => {
    vi.stubEnv("AWS_ACCESS_KEY_ID", AWS.id);
    vi.stubEnv("AWS_SECRET_ACCESS_KEY", AWS.secret);
  };
  const over = async (script: (n: number) => AwsAnswer, more: CloudAccess = {}) => {
    const server = await startAws(script);
    const access = { region: AWS.region, baseUrl: server.url, ...more };
    return { server, events: await eventsFrom(model("bedrock", NAMED, access), ask()) };
  };
  it("signs the request with the machine's credentials, and reads its frames", async () => {
    signed();
    const { server, events } = await over(() => ({ turn: TURN }));
    expect(server.breaches).toEqual([]);
    expect(server.heard[0]?.path).toBe(`/model/${NAMED}/invoke-with-response-stream`);
    const reply = endOf(events, "reply");
    expect(reply).toMatchObject({ stopReason: "tool_use", model: `bedrock:${NAMED}` });
    expect(reply.usage).toMatchObject({ input: 3, output: 5, cacheRead: 7 });
    expect(reply.blocks.map((b) => b.type)).toEqual(["text", "tool_use", "tool_use"]);
    expect(textIn(events)).toBe("Both at once.");
  });
  it("or sends a token, which no message holds", async () => {
    const { server } = await over(() => ({ turn: TURN }), { token: "bedrock-token" });
    expect(server.heard[0]?.headers.authorization).toBe("Bearer bedrock-token");
    const { events } = await over(() => ({ status: { status: 403, body: '{"message":"no: wrong-token-1"}' } }), {
      token: "wrong-token-1",
    });
    expect(endOf(events, "failed")).toMatchObject({ kind: "auth", retryable: false });
    expect(endOf(events, "failed").message).not.toContain("wrong-token-1");
  });
  it("without credentials it says how to get some, at once", async () => {
    const { server, events } = await over(() => ({ turn: TURN }));
    expect(endOf(events, "failed")).toMatchObject({ kind: "auth", retryable: false });
    expect(endOf(events, "failed").message).toContain("AWS_BEARER_TOKEN_BEDROCK");
    expect(server.heard).toEqual([]);
  });
  it("S10: what passes is tried again, an exception between the frames too; what stays is told", async () => {
    signed();
    const exception = { after: 3, type: "throttlingException", message: "Too many tokens" };
    for (const fault of [{ status: { status: 503, body: "{}" } }, { turn: TURN, exception }]) {
      const { events } = await over((n) => (n === 1 ? fault : { turn: TURN }));
      expect(retriesIn(events)).toHaveLength(1);
      endOf(events, "reply");
    }
    const wrong = await over(() => ({ status: { status: 404, body: '{"message":"no such model"}' } }));
    expect(endOf(wrong.events, "failed")).toMatchObject({ kind: "not-found", retryable: false });
  });
});

describe("M1: Vertex AI, by its SDK", () => {
  const over = async (script: (n: number) => GoogleAnswer, more: CloudAccess = {}) => {
    const server = await startGoogle(script);
    const access = { region: GOOGLE.region, project: GOOGLE.project, baseUrl: `${server.url}/v1`, ...more };
    return { server, run: () => eventsFrom(model("vertex", "claude-haiku-4-5@20251001", access), ask()) };
  };
  it("sends a token to the project's own address", async () => {
    const { server, run } = await over(() => ({ turn: TURN }), { token: GOOGLE.token });
    const reply = endOf(await run(), "reply");
    expect(server.breaches).toEqual([]);
    expect(reply.blocks.map((b) => b.type)).toEqual(["text", "tool_use", "tool_use"]);
    expect(reply.usage).toMatchObject({ input: 3, output: 5, cacheRead: 7 });
  });
  it("takes the application default credentials of the machine", async () => {
    const { server, run } = await over(() => ({ turn: TURN }));
    const dir = scratch("google");
    writeFileSync(join(dir, "subject"), "subject-token");
    writeFileSync(
      join(dir, "adc.json"),
      JSON.stringify({
        type: "external_account",
        audience: "//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/p/providers/q",
        subject_token_type: "urn:ietf:params:oauth:token-type:jwt",
        token_url: `${server.url}/token`,
        credential_source: { file: join(dir, "subject") },
      }),
    );
    vi.stubEnv("GOOGLE_CLOUD_PROJECT", GOOGLE.project);
    vi.stubEnv("GOOGLE_APPLICATION_CREDENTIALS", join(dir, "adc.json"));
    endOf(await run(), "reply");
    expect(server.breaches).toEqual([]);
  });
  it("a refused token is told with what to do", async () => {
    const { run } = await over(() => ({}), { token: "old-token-12345" });
    const end = endOf(await run(), "failed");
    expect(end).toMatchObject({ kind: "auth", retryable: false });
    expect(end.message).toContain("gcloud auth");
  });
  it("needs a region, which is said before anything starts", () => {
    expect(missingFor("vertex", {})).toContain("CLOUD_ML_REGION");
    expect(missingFor("vertex", { region: "global" })).toBeUndefined();
    expect(missingFor("bedrock", {})).toBeUndefined();
  });
});
