import { describe, expect, it } from "vitest";
import type { Effect, Need, Rule } from "../../src/events/effect.ts";
import { decide } from "../../src/permissions/decide.ts";
import { PathPattern } from "../../src/permissions/glob.ts";
import { mayReach, reaches, type HostRule } from "../../src/permissions/rule-host.ts";
import { parseRule, RuleError, type ParsedRule } from "../../src/permissions/rule-parse.ts";
import { deep } from "../support/deep.ts";

/** How many inputs each kind gets: together a million in `npm run deep`. */
const RUNS = deep(150, 340_000);
const SEED = deep(20_261_130, Date.now());

/** Small and quick, and the same for the same seed: a million inputs are made in seconds. */
function random(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) % below;
  };
}

const SHELL =
  "$( ) ` ' \" \\ <<A <<<x \n ; && || | |& & { } [[ ]] (( )) ( ! > >> 2>&1 < a rm -rf make make\u00a0 x=1 * ? [a] ~ # if then else fi case in esac for do done while function f() time coproc eval sh -c env timeout 5 xargs sudo alias -eq -v $x ${x} $'x' \r \0 \u202e é /bin/rm ./a";
const HOSTS =
  "a b test . .. : 443 80 * *. @ / \\ [ ] ::1 ::ffff:127.0.0.1 127.0.0.1 2130706433 0x7f.1 xn--a é ｈ \u04cf localhost domain: https:// http:// # % \0 _ -";
const PATHS = "a b src .. . / // * ** ? [a-z] [!a] [ ] { , } \\ .env A é \u200b \u202e ~ ! \0 \n x.ts";
const KINDS =
  "Bash Unsandboxed Edit Read Delete Land Outside Network WebFetch Write Grep Task MultiEdit mcp__a__b mcp__a__b@ nothing".split(
    " ",
  );

const pieces = (text: string) => text.split(" ").concat(" ", " ");

class Inputs {
  readonly #next: (below: number) => number;
  constructor(seed: number) {
    this.#next = random(seed);
  }
  one<T>(from: readonly T[]): T {
    const found = from[this.#next(from.length)];
    if (found === undefined) throw new Error("nothing to choose from");
    return found;
  }
  text(from: readonly string[], most = 14): string {
    return Array.from({ length: this.#next(most) }, () => this.one(from)).join(this.#next(2) === 0 ? "" : " ");
  }
}

function understood(rule: Rule): ParsedRule | undefined {
  try {
    return parseRule(rule);
  } catch (error) {
    expect(error).toBeInstanceOf(RuleError);
    return undefined;
  }
}

/** Runs one kind of input, and gives how many there were; tells the slowest one in `npm run deep`, where nothing else measures it. */
function each(name: string, from: number, check: (inputs: Inputs) => string): number {
  let slowest = { ms: 0, input: "" };
  for (let n = 0; n < RUNS; n++) {
    const start = performance.now();
    let input = "";
    try {
      input = check(new Inputs(SEED + from + n * 7919));
    } catch (error) {
      throw new Error(`${name}: seed ${SEED}, run ${n}`, { cause: error });
    }
    const ms = performance.now() - start;
    if (ms > slowest.ms) slowest = { ms, input };
  }
  if (deep(0, 1) === 1)
    console.info(
      `${name}: ${RUNS} inputs, the slowest ${slowest.ms.toFixed(1)} ms: ${JSON.stringify(slowest.input.slice(0, 200))}`,
    );
  return RUNS;
}

const of = (effect: Effect, ...rules: Rule[]) => decide(effect, "ask", rules, true).action;
const command = (subject: string, more: Partial<Effect> = {}): Effect => ({
  tool: "Bash",
  subject,
  needs: [],
  contained: true,
  ...more,
});
const CHANGES = {
  entries: [{ root: 0, path: "a", op: "modify" as const, type: "file" as const, marks: [] }],
  files: 1,
  git: [],
  regenerable: [],
  manifestHash: "",
  undoable: true,
};

describe("P6: rules and what they match, whatever is in them", () => {
  it("words: never a throw; what an allow covers, a deny of the same words finds", () => {
    const shell = pieces(SHELL);
    const tried = each("words", 1, (inputs) => {
      const [text, inner] = [inputs.text(shell), inputs.text(shell, 5)];
      const words = inputs.one([inner, text, `${inner}:*`]);
      const lands = of(command(text, { changes: CHANGES }), {
        action: "allow",
        text: `Bash(${words})`,
        source: "user",
      });
      const before = of(command(text), { action: "deny", text: `Bash(${words})`, source: "project" });
      expect(["allow", "ask"]).toContain(lands);
      if (lands === "allow") expect(before).toBe("deny");
      return text;
    });
    expect(tried).toBe(RUNS);
  });
  it("hosts: never a throw; whom an allow reaches, a deny of the same host reaches", () => {
    const hosts = pieces(HOSTS);
    const tried = each("hosts", 2, (inputs) => {
      const [host, written] = [inputs.text(hosts, 5), inputs.text(hosts, 5)];
      const need: Need & { kind: "network" } = { kind: "network", host, port: inputs.one([443, 80]) };
      const named = inputs.one([host, written]);
      const text = inputs.one([
        `Network(${named}:443)`,
        `Network(${named})`,
        `WebFetch(https://${named})`,
        `WebFetch(${named})`,
      ]);
      const rules = (["allow", "deny"] as const).map((action) => understood({ action, text, source: "cli" }));
      const page = { ...need, get: inputs.one(["http", "https"] as const) };
      const [allows, denies] = rules.map((r) =>
        r?.kind === "network" || r?.kind === "fetch" ? (r satisfies HostRule) : undefined,
      );
      for (const one of [need, page]) {
        if (allows !== undefined && reaches(allows, one))
          expect(denies !== undefined && mayReach(denies, one)).toBe(true);
        of({ tool: "x", subject: "", needs: [one], contained: true }, { action: "ask", text, source: "cli" });
      }
      return `${text} ${host}`;
    });
    expect(tried).toBe(RUNS);
  });
  it("paths and every other rule: a rule or a RuleError; what an allow covers, a deny touches", () => {
    const paths = pieces(PATHS);
    const tried = each("paths", 3, (inputs) => {
      const [inner, path] = [inputs.text(paths, 9), inputs.text(paths, 9)];
      for (const action of ["allow", "ask", "deny"] as const) {
        const text = `${inputs.one(KINDS)}(${inner})`;
        understood({ action, text, source: "user" });
        understood({ action, text: text.slice(0, inputs.one([3, 9, 99])), source: "user" });
      }
      const parsed = understood({ action: "deny", text: `Edit(${inner})`, source: "project" });
      if (parsed?.kind === "path" && parsed.paths?.covers(path) === true)
        expect(parsed.paths.touches(path)).toBe("yes");
      return `${inner} ${path}`;
    });
    expect(tried).toBe(RUNS);
  });
});

/** What would never end if the work grew faster than a small power of the length. */
describe("SEC-2: the work is bounded by the length, whatever the text", () => {
  const long = (text: string, length = 60_000) => text.repeat(Math.ceil(length / text.length)).slice(0, length);
  const deny = (text: string): Rule => ({ action: "deny", text, source: "project" });
  it("patterns of paths", () => {
    const path = `${long("a/", 3900)}b`;
    for (const text of [
      long("**/", 990) + "c",
      long("**/a*/", 990) + "c",
      long("*a", 999),
      long("[a-z]*", 996),
      long("?*", 998),
      "{a,b}".repeat(6) + long("*", 900),
      `${long("{a,", 200)}`,
    ])
      expect(typeof new PathPattern(text).touches(path)).toBe("string");
    expect(new PathPattern(`/${"*a".repeat(480)}b`).touches(long("a", 3900))).toBe("no");
    expect(() => new PathPattern("{a,b}".repeat(8))).toThrow("alternatives");
  });
  it("words and patterns of words", () => {
    const texts = [
      long("a "),
      long("a;"),
      long("env "),
      long("eval "),
      `bash -c '${long("a;", 50_000)}'`,
      `${long("sh -c ", 600)}x`,
      long("$(", 2000),
      long("(", 2000),
      long("{ ", 2000),
      long("if ", 2000),
      long("[[ ! ", 2000),
      long("a=(", 2000),
      long("<<A\n", 400),
      long("x\\\n"),
      `echo "${long("\\$(", 40_000)}"`,
      `echo ${long("*?", 50_000)}`,
      `a ${long("*", 50_000)}b`,
    ];
    const rules = ["rm -rf:*", "*a*a*a*a*b", `${long("*a", 900)}`, `echo ${long("a", 1000)}`, "a *b"].map((w) =>
      deny(`Bash(${w})`),
    );
    for (const text of texts) expect(["deny", "allow", "ask"]).toContain(of(command(text), ...rules));
  });
  it("many rules on a long command, and hosts of any length", () => {
    const many = Array.from({ length: 2000 }, (_, i) => deny(`Bash(rm${i} x:*)`));
    expect(of(command(`env bash -c '${long("b;", 50_000)}'`), ...many)).toBe("allow");
    const need: Need = { kind: "network", host: long("a."), port: 443 };
    expect(of({ tool: "x", subject: "", needs: [need], contained: true }, deny("Network(b.test)"))).toBe("deny");
    expect(() => parseRule(deny(`Network(${long("a-", 60_000)})`))).toThrow(RuleError);
    expect(() => parseRule(deny(`Bash(${long("a*", 70_000)})`))).toThrow(RuleError);
  });
});
