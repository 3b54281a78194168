import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { agentEnv } from "../support/run-agent.ts";
import { startTerminal } from "../support/terminal.ts";
import type { CasePlace } from "./call-case.ts";
import type { SecurityCase } from "./case.ts";
import { KEY } from "./drive.ts";
import { failed, ownGround } from "./own-files.ts";
import type { Seen } from "./score.ts";
import { AGENT } from "./startup-case.ts";

const QUESTION = /(Land|Allow|Run|Let) .*\?/;
/** Longer than a question needs to take keys. */
const ARMED_MS = 1000;
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** A call on the real screen, with keys that are typed before its question is drawn, or pasted when it is. Nobody answers. */
export async function runKeys(c: SecurityCase, place: CasePlace): Promise<Seen> {
  const { config, state } = ownGround(place);
  const script = join(config, "script.json");
  const calls = [{ name: c.tool, input: c.input }];
  writeFileSync(script, JSON.stringify({ turns: [{ calls }, { text: "done" }] }));
  const at = { folder: place.folders.project, config, state, home: place.folders.home };
  const terminal = startTerminal(process.execPath, [AGENT, "--model", `scripted:${script}`, "--mode", c.mode], {
    cols: 120,
    rows: 40,
    cwd: at.folder,
    env: agentEnv(at, { ANTHROPIC_API_KEY: KEY }),
  });
  try {
    await terminal.waitFor(/Shift\+Tab changes the mode/);
    terminal.type("go");
    await terminal.waitFor("go");
    for (const key of `\r${(c.user.typeahead ?? "").replaceAll("\n", "\r")}`) {
      terminal.type(key);
      // Keys that come at once are a paste.
      await pause(30);
    }
    await terminal.waitFor(QUESTION);
    if (c.user.paste !== undefined) {
      await pause(ARMED_MS);
      terminal.type(`\x1b[200~${c.user.paste}\x1b[201~`);
    }
    await pause(ARMED_MS);
    const said = (await terminal.screen()).join("\n").trim();
    const gone = QUESTION.test(said) ? [] : ["the question is gone although nobody answered"];
    return { outcomes: ["ask"], said: said.slice(-300), failed: [...gone, ...(await failed(c, place, said, 0))] };
  } finally {
    terminal.close();
  }
}
