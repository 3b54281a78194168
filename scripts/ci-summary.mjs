// For action.yml: `node scripts/ci-summary.mjs RESULT CODE` writes what a run came to as Markdown to the job's summary, and its outputs.
import { randomUUID } from "node:crypto";
import { appendFileSync, readFileSync } from "node:fs";

/** What a summary may hold is bounded by GitHub: 1 MiB. */
const MOST = 200_000;
const MEANS = {
  0: "done",
  1: "failed",
  2: "wrong usage or settings",
  3: "waits for an answer",
  4: "a limit was reached",
  5: "handed over",
  6: "something was denied",
};

const [file = "", code = "70"] = process.argv.slice(2);
const result = read();
const { GITHUB_STEP_SUMMARY, GITHUB_OUTPUT } = process.env;
if (GITHUB_STEP_SUMMARY) appendFileSync(GITHUB_STEP_SUMMARY, summary());
if (GITHUB_OUTPUT) {
  // A name that the model can't know ends its text.
  const end = randomUUID();
  appendFileSync(GITHUB_OUTPUT, `result=${file}\ntext<<${end}\n${result.text ?? ""}\n${end}\n`);
}

/** Where nothing was printed, the reason is on stderr, in the job's log. */
function read() {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch {
    return {};
  }
}

function summary() {
  const { text = "", reason = "", denials = [], turns, cost_usd: usd } = result;
  const facts = [
    `exit code ${code}`,
    ...(reason === "" ? [] : [reason]),
    ...(turns === undefined ? [] : [`${turns} ${turns === 1 ? "turn" : "turns"}`]),
    ...(usd === undefined ? [] : [`$${usd.toFixed(2)}`]),
  ];
  const denied = denials.map(({ tool, subject, reason: why }) => `- ${plain(`${tool} ${subject}: ${why}`)}`);
  const parts = [
    `### Understudy: ${MEANS[code] ?? "the program failed"}`,
    text.slice(0, MOST),
    ...(denied.length === 0 ? [] : [`Denied:\n\n${denied.join("\n")}`]),
    `<sub>${facts.join(" · ")}</sub>`,
  ];
  return `${parts.filter((part) => part !== "").join("\n\n")}\n`;
}

/** On one line, as code: what was denied is the model's words. */
function plain(words) {
  return `\`${words.replaceAll(/[`\s]+/g, " ").slice(0, 500)}\``;
}
