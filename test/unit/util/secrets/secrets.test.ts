import { readdirSync, readFileSync } from "node:fs";
import { randomBytes, randomUUID } from "node:crypto";
import { join, resolve } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { makeSecrets } from "../../../../src/util/secrets/secrets.ts";
import { deepRuns } from "../../../support/deep.ts";
import { letters, privateKey, SAMPLES, secretLines } from "../../../support/keys.ts";

const KEY = new Uint8Array(32).fill(7);
const OWN = "CANARY-of-the-environment-1";
const secrets = makeSecrets({ key: KEY, values: [OWN] });
const pem = privateKey();
const PLACEHOLDER = /^«key:[0-9a-f]{16}»$/;

describe("keys beyond doubt", () => {
  it.each(SAMPLES)("E1: $name is replaced, and nothing around it", ({ key, in: text = `TOKEN="${key}"\n` }) => {
    const masked = secrets.mask(`a ${text} b`);
    expect(masked).not.toContain(key);
    const [before, after] = `a ${text} b`.split(key);
    expect(masked.startsWith(before ?? "")).toBe(true);
    expect(masked.endsWith(after ?? "")).toBe(true);
    expect(masked.slice(before?.length, masked.length - (after?.length ?? 0))).toMatch(PLACEHOLDER);
  });

  it("E1: a private key's block keeps its lines and its markers; every line of the key has a placeholder of its own", () => {
    const text = `one\n${pem}last\n`;
    const masked = secrets.mask(text);
    for (const line of secretLines(pem)) expect(masked).not.toContain(line);
    expect(masked.split("\n")).toHaveLength(text.split("\n").length);
    expect(masked).toContain("-----BEGIN PRIVATE KEY-----\n«key:");
    expect(masked.endsWith("»\n-----END PRIVATE KEY-----\nlast\n")).toBe(true);
  });

  it.each([
    ["indented", (text: string) => text.replaceAll(/^/gm, "    ")],
    ["quoted in JSON", (text: string) => JSON.stringify({ private_key: text })],
    ["numbered by cat -n", (text: string) => text.replaceAll(/^/gm, "     7\t")],
    ["found by grep -n", (text: string) => text.replaceAll(/^/gm, "certs/a.pem:12:")],
    ["added in a diff", (text: string) => text.replaceAll(/^/gm, "+")],
    ["with Windows' line ends", (text: string) => text.replaceAll("\n", "\r\n")],
    ["only its beginning", (text: string) => text.split("\n").slice(0, 4).join("\n")],
    ["only its end", (text: string) => text.split("\n").slice(4).join("\n")],
    [
      "joined by a program",
      (text: string) =>
        text
          .split("\n")
          .map((line) => `"${line}\\n" +`)
          .join("\n"),
    ],
  ])("E1: a private key %s is found", (_how, as) => {
    const masked = secrets.mask(as(pem));
    expect(masked).toContain("«key:");
    for (const line of secretLines(pem)) expect(masked).not.toContain(line);
  });

  it.each(SAMPLES)("E1: $name that was met once is replaced between other letters too", ({ key, in: text = key }) => {
    const fresh = makeSecrets({ key: KEY });
    expect(fresh.mask(` ${text} `)).not.toContain(key);
    for (const glued of [`x${key} `, ` ${key}_x`, ` ${key}x`, `9${key}-9`]) {
      expect(fresh.mask(glued)).not.toContain(key);
      expect([...fresh.valuesIn(glued).values()].some((value) => value.includes(key))).toBe(true);
    }
  });

  it("E1: a key printed twice with nothing between is replaced twice", () => {
    const fresh = makeSecrets({ key: KEY });
    const key = SAMPLES[0]?.key ?? "";
    const name = fresh.mask(key);
    expect(fresh.mask(`${key}${key}`)).toBe(`${name}${name}`);
    expect(fresh.mask("ordinary")).toBe("ordinary");
  });

  it("E1: a line from the middle of a private key that was met is replaced alone", () => {
    const fresh = makeSecrets({ key: KEY });
    fresh.stream().push(pem);
    for (const line of secretLines(pem).slice(0, 2)) expect(fresh.mask(`x${line}x`)).toMatch(/^x«key:[0-9a-f]{16}»x$/);
  });

  it("E1: the environment's own key is one whatever its form", () => {
    expect(secrets.mask(`401 for key ${OWN}.`)).toMatch(/^401 for key «key:[0-9a-f]{16}»\.$/);
  });
});

describe("placeholders", () => {
  const key = SAMPLES[0]?.key ?? "";

  it("E1: the same value has the same placeholder for the same person, another one for anybody else", () => {
    const again = makeSecrets({ key: KEY });
    const other = makeSecrets({ key: new Uint8Array(32).fill(8) });
    expect(again.mask(key)).toBe(secrets.mask(key));
    expect(other.mask(key)).not.toBe(secrets.mask(key));
  });

  it("E1: only a placeholder that was made here counts as one", () => {
    const masked = secrets.mask(key);
    const forged = masked.replace(/.»$/, (end) => (end === "0»" ? "1»" : "0»"));
    expect(secrets.placeholders(`${masked} ${forged} «key:…» ${masked}`)).toEqual([masked]);
  });

  it("E1: a file's text tells what its placeholders stand for, line by line", () => {
    const file = `a=${key}\n${pem}`;
    const values = secrets.valuesIn(file);
    expect(secrets.mask(file).replaceAll(/«key:\w+»/g, (one) => values.get(one) ?? "?")).toBe(file);
  });

  it("E1: what is switched off masks nothing, and still knows placeholders of before", () => {
    const off = makeSecrets({ key: KEY, on: false });
    expect(off.mask(key)).toBe(key);
    expect(off.placeholders(secrets.mask(key))).toHaveLength(1);
    expect(off.stream().push(key)).toBe(key);
  });

  it("E1: a value that is learned later is masked from then on", () => {
    const mine = makeSecrets({ key: KEY });
    expect(mine.mask("x hunter-two-of-mine x")).toContain("hunter");
    mine.learn("hunter-two-of-mine");
    expect(mine.mask("x hunter-two-of-mine x")).not.toContain("hunter");
  });
});

describe("pieces", () => {
  const parts = fc.oneof(
    fc.constantFrom(...SAMPLES.map((s) => s.in ?? s.key), pem, OWN),
    fc.constantFrom(
      "\n",
      " ",
      "=",
      '"',
      "ok ",
      "a/b.ts:12 ",
      "sk-",
      "gh",
      "-----",
      "-----BEGIN ",
      "......",
      "«key:12»",
    ),
    fc.string({ maxLength: 12 }),
  );
  const texts = fc.array(parts, { maxLength: 12 }).map((list) => list.join(" "));
  const inPieces = (text: string, cuts: readonly number[]): string => {
    const stream = secrets.stream();
    const borders = [0, ...cuts.map((c) => c % (text.length + 1)), text.length].toSorted((a, b) => a - b);
    return borders.map((from, n) => stream.push(text.slice(from, borders[n + 1] ?? from))).join("") + stream.end();
  };
  const values = [...SAMPLES.map((s) => s.key), ...secretLines(pem).filter((line) => line.length > 20), OWN];

  it("E1: a key over any border of pieces is replaced as in one piece; nothing else is lost or made up", () => {
    fc.assert(
      fc.property(texts, fc.array(fc.nat(4000), { maxLength: 30 }), (text, cuts) => {
        const masked = inPieces(text, cuts);
        expect(values.filter((value) => masked.includes(value))).toEqual([]);
        expect(secrets.mask(masked)).toBe(secrets.mask(text));
      }),
      deepRuns(200, 20_000),
    );
  });

  it("E1: so it is over the borders of long pieces, most of which hold nothing", () => {
    const filler = "an ordinary word of output ".repeat(160);
    for (const { key, in: text = ` ${key} ` } of SAMPLES) {
      const whole = filler + text + filler + filler;
      const inside = filler.length + text.indexOf(key);
      for (const cut of [-160, -1, 0, 1, 5, key.length - 1, key.length, key.length + 1].map((n) => inside + n)) {
        const masked = inPieces(whole, [cut]);
        expect(masked).not.toContain(key);
        expect(masked).toBe(secrets.mask(whole));
      }
    }
  });

  it("E1: masking is idempotent, and what is put back is masked to the same text", () => {
    fc.assert(
      fc.property(texts, (text) => {
        const masked = secrets.mask(text);
        expect(secrets.mask(masked)).toBe(masked);
        const back = masked.replaceAll(/«key:[0-9a-f]{16}»/g, (one) => secrets.valuesIn(text).get(one) ?? one);
        expect(secrets.mask(back)).toBe(masked);
      }),
      deepRuns(200, 20_000),
    );
  });

  it("S11: ordinary output is given on at once: only what could begin a key waits", () => {
    const stream = secrets.stream();
    for (const piece of ["....", "Building", " 50%", "\r60%", "\nDone.\n", "risk", " 12"])
      expect(stream.push(piece)).toBe(piece);
    expect(stream.push(" sk-")).toBe(" ");
    expect(stream.push("etch\n")).toBe("sk-etch\n");
  });

  it("L9: a block that never ends is given on in the end", () => {
    const stream = secrets.stream();
    const line = `${letters(64)}\n`;
    const out = stream.push("-----BEGIN PRIVATE KEY-----\n") + stream.push(line.repeat(3000)) + stream.end();
    expect(out.split("\n")).toHaveLength(3002);
    expect(stream.push("free") + stream.end()).toBe("free");
  });
});

describe("no false alarms", () => {
  const root = resolve(import.meta.dirname, "../../../..");
  const files = [
    "src",
    "docs",
    "package-lock.json",
    "CHANGELOG.md",
    "node_modules/jschardet/dist",
    "node_modules/zod/v4",
  ].flatMap((name) =>
    /\.\w+$/.test(name)
      ? [join(root, name)]
      : readdirSync(join(root, name), { recursive: true, withFileTypes: true })
          .filter((entry) => entry.isFile())
          .map((entry) => join(entry.parentPath, entry.name)),
  );

  it("E1: sources, documents, lock files and minified programs hold none", () => {
    const hits = files.filter((file) => {
      const text = readFileSync(file, "utf8");
      return secrets.mask(text) !== text;
    });
    expect(hits).toEqual([]);
  });

  it("E1: random ids, hashes, pictures and words hold none", () => {
    const text = [
      ...Array.from({ length: 500 }, () => randomUUID()),
      ...Array.from({ length: 200 }, () => randomBytes(32).toString("hex")),
      ...Array.from({ length: 40 }, () => `data:image/png;base64,${randomBytes(9000).toString("base64")}`),
      ...Array.from({ length: 40 }, () => randomBytes(3000).toString("base64url")),
      "sha512-" + randomBytes(64).toString("base64"),
      "risk-free task-proj- sk-learn npm_config_update_notifier npm_lifecycle_event AKIAxyz hf_hub ghp_ SG.",
      `ghp_${"x".repeat(36)} sk-ant-your-api-key-goes-here-please sk-proj-some-long-css-class-name-here`,
      'const BEGIN = "-----BEGIN PRIVATE KEY-----";\nreturn text.includes(aRatherLongIdentifierOfTheProgramThatIsWide);',
      "-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----",
      "-----BEGIN CERTIFICATE-----\n" + randomBytes(48).toString("base64") + "\n-----END CERTIFICATE-----",
      "-----BEGIN PUBLIC KEY-----\n" + randomBytes(48).toString("base64") + "\n-----END PUBLIC KEY-----",
      "ssh-ed25519 " + randomBytes(51).toString("base64") + " me@here",
    ].join("\n");
    expect(secrets.mask(text)).toBe(text);
  });
});

describe("time", () => {
  it("L9: texts that are nothing but beginnings of keys take time linear to their length", () => {
    const units = [
      "ghp_",
      "sk-",
      "-----BEGIN PRIVATE KEY-----\n",
      "-----BEGIN PRIVATE KEY-----\\n",
      "-----END PRIVATE KEY-----\n",
      "AccountKey=",
      "+",
    ];
    for (const unit of units) {
      const time = (size: number): number => {
        const text = unit.repeat(size / unit.length);
        const from = process.cpuUsage();
        secrets.mask(text);
        const { user, system } = process.cpuUsage(from);
        return user + system;
      };
      time(20_000);
      // Eight times as much would take 64 times as long in square time; the bound leaves room for a busy machine.
      expect(time(800_000) / Math.max(time(100_000), 2000)).toBeLessThan(30);
    }
  });
});
