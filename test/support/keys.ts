import { createHash, generateKeyPairSync } from "node:crypto";

const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

/** Letters that look drawn at random, the same for the same seed. None of it is anybody's key. */
export function letters(length: number, seed = "a", from = LETTERS): string {
  let out = "";
  for (let n = 0; out.length < length; n++)
    for (const byte of createHash("sha512").update(`${seed}${n}`).digest()) out += from[byte % from.length] ?? "";
  return out.slice(0, length);
}
const hex = (length: number, seed?: string): string => letters(length, seed, "0123456789abcdef");
const upper = (length: number, seed?: string): string => letters(length, seed, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567");

/** One made-up key of each kind, put together here so that no search for keys finds one in this file. `in`: the text that holds it. */
export const SAMPLES: readonly { name: string; key: string; in?: string }[] = [
  ...["p", "o", "u", "s", "r"].map((c) => ({ name: `GitHub gh${c}`, key: `gh${c}_${letters(36, c)}` })),
  { name: "GitHub fine-grained", key: `github_pat_${letters(22)}_${letters(59, "b")}` },
  { name: "GitLab", key: `glpat-${letters(20)}` },
  { name: "GitLab routable", key: `glpat-${letters(27)}.01${hex(7)}` },
  { name: "AWS id", key: `AKIA${upper(16)}` },
  { name: "AWS id of a session", key: `ASIA${upper(16, "c")}` },
  ...["aws_secret_access_key = ", "AWS_SECRET_ACCESS_KEY=", '"SecretAccessKey": "'].map((label) => {
    const key = `${letters(20)}/${letters(19, "d")}`;
    return { name: `AWS secret behind ${label}`, key, in: `${label}${key}"` };
  }),
  { name: "Google", key: `AIza${letters(35)}` },
  { name: "Google secret", key: `GOCSPX-${letters(28)}` },
  { name: "Google access", key: `ya29.${letters(60)}` },
  { name: "Slack bot", key: `xoxb-${letters(12, "e", "0123456789")}-${letters(12, "f", "0123456789")}-${letters(24)}` },
  { name: "Slack app", key: `xapp-1-A${upper(10)}-${letters(13, "g", "0123456789")}-${hex(64)}` },
  { name: "Slack webhook", key: `https://hooks.slack.com/services/T${upper(8)}/B${upper(8, "h")}/${letters(24)}` },
  ...["sk_live_", "sk_test_", "rk_live_"].map((start) => ({ name: `Stripe ${start}`, key: `${start}${letters(24)}` })),
  { name: "Anthropic", key: `sk-ant-api03-${letters(93)}AA` },
  { name: "OpenAI project", key: `sk-proj-${letters(74)}T3BlbkFJ${letters(74, "i")}` },
  { name: "OpenAI", key: `sk-${letters(20)}T3BlbkFJ${letters(20, "j")}` },
  { name: "npm", key: `npm_${letters(36)}` },
  { name: "PyPI", key: `pypi-AgEIcHlwaS5vcmc${letters(80)}` },
  {
    name: "Azure storage",
    key: `${letters(86)}==`,
    in: `DefaultEndpointsProtocol=https;AccountKey=${letters(86)}==;x`,
  },
  { name: "Twilio", key: `SK${hex(32)}` },
  { name: "SendGrid", key: `SG.${letters(22)}.${letters(43)}` },
  { name: "DigitalOcean", key: `dop_v1_${hex(64)}` },
  { name: "Hugging Face", key: `hf_${letters(34)}` },
  { name: "Shopify", key: `shpat_${hex(32)}` },
  { name: "Vault", key: `hvs.${letters(90)}` },
  { name: "Docker Hub", key: `dckr_pat_${letters(27)}` },
  { name: "Groq", key: `gsk_${letters(52)}` },
  { name: "age", key: `AGE-SECRET-KEY-1${letters(58, "k", "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L")}` },
];

/** A private key made for the test. */
export function privateKey(): string {
  const pair = generateKeyPairSync("rsa", { modulusLength: 1024 });
  return pair.privateKey.export({ type: "pkcs8", format: "pem" }).toString();
}

/** The lines of a private key that are secret. */
export function secretLines(pem: string): string[] {
  return pem.split("\n").filter((line) => line !== "" && !line.startsWith("-----"));
}
