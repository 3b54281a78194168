import { type Feature, WORK_FILES } from "../loop/feature-list.ts";

const { list, progress, start } = WORK_FILES;

/** The first message of long work: what is wanted becomes files that later sessions work by (C8). */
export function initPrompt(wanted: string): string {
  return `What is wanted:
${wanted}

This is too much for one session, so build nothing of it yet. Look at what the folder holds, then write three files that later sessions, which know nothing of this one, work by:

1. ${list}: JSON, {"wanted": "…", "features": [{"id": "login", "title": "…", "check": "…", "passes": false}, …]}. Each feature is one thing that a person can do or see once it is there, small enough for one session, in the order in which they are built. "id": small letters, digits and -. "check": one bash command line, run from the folder's top without network, that exits with 0 only where the feature works; it may run a test that the session writes along with the feature. "passes" is false for all.
2. ${start}: a bash script that makes the project ready to be worked on and shows that what is built so far still works, in under a minute. It has to end by itself.
3. ${progress}: what the project is, how it is laid out, what was decided and why, for whoever comes next.

The program checks the list when it lands, and holds it from then on: later sessions can change nothing of it but "passes", so take care that it is whole. Then say that you are done.`;
}

/** What is still to be mended at the end of the first session. */
export function mendPrompt(wrong: readonly string[]): string {
  return `Not done yet:\n${wrong.map((words) => `- ${words}`).join("\n")}`;
}

/** The message of a session that builds one feature. */
export function featurePrompt({ id, title, check }: Feature, done: number, all: number): string {
  return `This folder holds long work, of which each session builds one feature: ${done} of ${all} pass. Yours is "${id}": ${title}
Its check, which the program runs itself: ${check}

1. Read ${progress} and the newest commits, so that you know where it stands.
2. Build this feature and nothing else. What worked before has to go on working.
3. Run its check. Once it passes and all of it has landed, set this feature's "passes" to true in ${list}, by an edit of its own. The program lets nothing else of that file change, and this only where the check passes.
4. Add to ${progress} what the next session has to know.

Then say that you are done. The program commits what landed.`;
}
