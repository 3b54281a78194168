import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { startApi, type Answer } from "../support/api-server.ts";
import { letters, privateKey, SAMPLES, secretLines } from "../support/keys.ts";
import { agentEnv, runAgent } from "../support/run-agent.ts";
import { place, type Place } from "../support/session.ts";
import { openTerminal } from "../support/terminal.ts";
import { resolve } from "node:path";

const OWN = "CANARY-KEY-of-the-service";
const TOKEN = letters(32, "mine");
const [github = "", google = "", stripe = "", typed = ""] = ["GitHub ghp", "Google", "Stripe sk_live_", "npm"].map(
  (name) => SAMPLES.find((s) => s.name === name)?.key ?? "",
);
const pem = privateKey();
const CANARIES = [OWN, TOKEN, github, google, stripe, typed, ...secretLines(pem).filter((line) => line.length > 20)];

const call = (name: string, input: Record<string, unknown>): Answer => ({ turn: { calls: [{ name, input }] } });
/** A mixed session: each tool meets a key. */
const SCRIPT: readonly Answer[] = [
  {
    turn: {
      calls: [
        { name: "Read", input: { file_path: ".env" } },
        { name: "Grep", input: { pattern: "TOKEN|[A-Za-z0-9+/]{40}" } },
      ],
    },
  },
  {
    turn: {
      calls: [
        { name: "Glob", input: { pattern: "**/*" } },
        { name: "Read", input: { file_path: "id.pem", offset: 4 } },
      ],
    },
  },
  call("Bash", {
    command: `cat .env id.pem; env; cat /proc/1/environ; for n in $(seq 9000); do echo "$n ${stripe.slice(0, 9)}"; done; cat id.pem .env`,
  }),
  call("Bash", { command: "(sleep 0.2; cat .env; cat id.pem) & wait; exit 3", description: `look at ${google}` }),
  call("Bash", { command: "while true; do cat .env id.pem; sleep 0.1; done", run_in_background: true }),
  call("BashOutput", { shell_id: "bg_1", wait_ms: 500 }),
  call("KillShell", { shell_id: "bg_1" }),
  call("Write", { file_path: "made.txt", content: `a key of the model's own: ${google}\n` }),
  call("Edit", { file_path: "made.txt", old_string: "not there", new_string: "x" }),
  call("TodoWrite", { todos: [{ text: `rotate ${google}`, status: "active" }] }),
  call("Read", { file_path: `missing-${stripe}.txt` }),
  call("Delete", { file_path: "old.txt" }),
  { turn: { text: `Done with ${google}.` } },
];

function prepared(): Place {
  const at = place("keys");
  mkdirSync(join(at.folder, "src"));
  writeFileSync(join(at.folder, ".env"), `A=1\nTOKEN=${github}\nSTRIPE=${stripe}\n`);
  writeFileSync(join(at.folder, "id.pem"), pem);
  writeFileSync(join(at.folder, "old.txt"), `${google}\n`);
  chmodSync(join(at.folder, "id.pem"), 0o600);
  return at;
}

/** Which canaries stand in any of these texts. */
function found(texts: Readonly<Record<string, string>>): string[] {
  return Object.entries(texts).flatMap(([where, text]) =>
    CANARIES.filter((one) => text.includes(one)).map((one) => `${where}: ${one.slice(0, 12)}`),
  );
}

/** Files of the program's own; undo copies of the person's files (`folders/`) hold their bytes as they are, and are left out. */
function ownFiles(at: Place): Record<string, string> {
  return Object.fromEntries(
    [at.state, at.config].flatMap((dir) =>
      readdirSync(dir, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile() && !entry.parentPath.includes("/folders/"))
        .map((entry) => join(entry.parentPath, entry.name))
        .map((file) => [file, `${file}\n${readFileSync(file, "latin1")}`] as const),
    ),
  );
}

describe("E1, G9: keys reach nothing that the program writes, sends, starts or shows", () => {
  it("E1: a mixed session with every tool, its exports, traces and errors: not one canary", async () => {
    const at = prepared();
    const api = await startApi(
      [
        ...SCRIPT,
        { fault: { kind: "status", status: 401, type: "authentication_error", message: `no ${OWN}, no ${github}` } },
      ],
      { key: OWN },
    );
    const env = { ANTHROPIC_BASE_URL: api.url, ANTHROPIC_API_KEY: OWN, MY_DEPLOY_TOKEN: TOKEN };
    const commands: string[] = [];
    const look = setInterval(() => {
      for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
        try {
          commands.push(readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " "));
        } catch {
          // It has ended.
        }
      }
    }, 40);
    const prompt = `use ${typed} and my ${TOKEN}`;
    const run = await runAgent(at, ["-p", "--mode", "auto", "--output-format", "stream-json"], env, prompt);
    clearInterval(look);
    const again = await runAgent(at, ["-p", "--continue", "and now?"], env);
    const id = /"(?:sessionId|session_id)":"([^"]+)"/.exec(run.out)?.[1] ?? "";
    const verbs = [
      ["export", id, "--format", "json"],
      ["trace", id, "--otlp", "-", "--content"],
    ];
    const told: Record<string, string> = {};
    for (const verb of verbs) {
      const { out, err } = await runAgent(at, verb, env);
      told[verb.join(" ")] = out + err;
    }
    expect(run.out).toContain("«key:");
    expect(told[`trace ${id} --otlp - --content`]).toContain("«key:");
    const sent = Object.fromEntries(api.requests.map(({ body }, n) => [`request ${n}`, JSON.stringify(body)]));
    expect(Object.keys(sent).length).toBeGreaterThanOrEqual(SCRIPT.length);
    expect(again.err + again.out).toMatch(/refused the key/);
    // Of the command that the model wrote itself only its own letters may be seen, while it runs.
    const lines = Object.fromEntries(commands.map((line, n) => [`command ${n}`, line]));
    expect(commands.some((line) => line.includes("bwrap") || line.includes("bash"))).toBe(true);
    expect(
      found({ ...sent, ...told, ...ownFiles(at), ...lines, out: run.out, err: run.err, again: again.out + again.err }),
    ).toEqual([]);
    // The person's own files hold what they held, and what the model made up.
    expect(readFileSync(join(at.folder, ".env"), "utf8")).toContain(github);
    expect(readFileSync(join(at.folder, "made.txt"), "utf8")).toContain(google);
  }, 240_000);

  it("E1: on the screen too, live output included, and an edit there puts the key back", async () => {
    const at = prepared();
    const api = await startApi(
      [
        call("Bash", { command: "for n in 1 2 3 4 5 6; do cat .env; sleep 0.1; done; cat id.pem" }),
        call("Read", { file_path: ".env" }),
        { turn: { text: "Seen." } },
      ],
      { key: OWN },
    );
    const program = resolve(import.meta.dirname, "../../bin/agent.js");
    const env = agentEnv(at, { ANTHROPIC_BASE_URL: api.url, ANTHROPIC_API_KEY: OWN });
    const t = openTerminal(process.execPath, [program, "--mode", "auto", "show my keys"], { cwd: at.folder, env });
    await t.waitFor("Seen.");
    await t.waitFor("3 keys hidden").catch(() => undefined);
    const shown = t.raw();
    expect(shown).toMatch(/keys? hidden/);
    expect(found({ shown, ...ownFiles(at) })).toEqual([]);
  });
});
