import { mkdirSync, mkdtempSync, readFileSync, realpathSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Place } from "./open-at.ts";
import { fillFolder, folderWords, MIXED, play } from "./rehearse.ts";
import { openRig } from "./rig.ts";

// Started as an ordinary user: the same work landed step by step and rehearsed, and what only a user meets. One line of JSON.
function place(name: string): Place {
  const base = mkdtempSync(join(realpathSync(tmpdir()), `${name}-`));
  const made = {
    folder: join(base, "project"),
    config: join(base, "config"),
    state: join(base, "state"),
    home: join(base, "home"),
  };
  for (const dir of Object.values(made)) mkdirSync(dir, { recursive: true });
  fillFolder(made);
  return made;
}

/** As far as the first commit: the rest is no other for a user. */
const CALLS = MIXED.slice(0, 18);
const [each, once] = [place("each"), place("once")];
const landing = await openRig(each, "ask");
const landed = await play(landing, CALLS, each.folder);
const rig = await openRig(once, "ask", { more: { rehearse: true } });
const rehearsed = await play(rig, CALLS, once.folder);
const report = await rig.session.land({ yes: true });
const same = JSON.stringify(folderWords(each.folder)) === JSON.stringify(folderWords(once.folder));

// Folders that can't be written, one made and one that was there; what nobody may look into is at least told.
mkdirSync(join(once.folder, "shut"));
writeFileSync(join(once.folder, "shut/f"), "f\n");
await rig.bash(
  "mkdir -p ro/in && echo i > ro/in/i && chmod 500 ro/in ro; echo s > secret && chmod 400 secret; chmod 500 shut",
);
await rig.bash(
  "chmod 700 ro; echo m > ro/m; chmod 500 ro; echo more > plain; chmod 700 shut; rm shut/f; chmod 500 shut",
);
const shut = await rig.session.land({ yes: true });
const names = ["ro", "ro/in", "secret", "shut"];
const modes = names.map((name) => (statSync(join(once.folder, name)).mode & 0o777).toString(8));
const texts = ["ro/m", "ro/in/i", "secret", "plain"].map((name) => readFileSync(join(once.folder, name), "utf8"));
const locked = await rig.bash("mkdir locked && echo l > locked/l && chmod 000 locked");
for (const { session } of [landing, rig]) await session.close();
console.log(
  JSON.stringify({ landed, rehearsed, report: report.ok, same, shut: shut.ok, modes, texts, locked: locked.result }),
);
