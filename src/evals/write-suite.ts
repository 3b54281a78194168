import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { SuiteError } from "./yaml-file.ts";

const FILES: Readonly<Record<string, string>> = {
  "suite.yaml": `# A suite: tasks that an agent is given, and graders that say whether it solved them.
#   agent eval run .                     with your model
#   agent eval run . --model oracle      with the replies of tasks/*/oracle.yaml, to try out the graders
#   agent eval report last
name: first-suite
trials: 5            # of each task; --trials says otherwise
mode: ask            # plan, ask or auto
answers: allow       # what the agent is answered when it asks: allow, deny, or a list (docs/evals.md)
fixture: project     # each trial has a fresh copy of this folder
limits:
  turns: 20
  minutes: 5
`,
  "project/greet.sh": `#!/bin/sh
# Greets whoever is named.
echo "Hello $1"
`,
  "project/README.md": `# greet

    sh greet.sh NAME
`,
  "tasks/default-name/task.yaml": `title: a name by default
prompt: greet.sh without a name should greet "World". Change as little as you can.
tags: [edit]
p: 0.8               # how often --model stochastic solves it
graders:
  - command: test "$(sh greet.sh)" = "Hello World"
  - command: test "$(sh greet.sh Ada)" = "Hello Ada"
  - onlyChanged: [greet.sh]
`,
  "tasks/default-name/oracle.yaml": `turns:
  - text: I look at the script first.
    calls:
      - { name: Read, input: { file_path: greet.sh } }
  - calls:
      - name: Edit
        input: { file_path: greet.sh, old_string: "Hello $1", new_string: "Hello \${1:-World}" }
  - text: Without a name it greets World now.
`,
  "tasks/explain/task.yaml": `title: a question is answered, and nothing changes
prompt: How do I run this script? Answer with the command alone.
tags: [question]
p: 0.9
graders:
  - reply: { contains: sh greet.sh }
  - onlyChanged: []
  - asked: none
`,
  "tasks/explain/oracle.yaml": `turns:
  - calls:
      - { name: Read, input: { file_path: README.md } }
  - text: "\`sh greet.sh NAME\`"
`,
};

/** Writes a small suite that works into a new folder; gives the files. @throws SuiteError where the folder is there already. */
export function writeSuite(folder: string): string[] {
  const to = resolve(folder);
  if (existsSync(to))
    throw new SuiteError([`${folder} is there already; name a folder that is not, nothing is written over.`]);
  for (const [name, text] of Object.entries(FILES)) {
    mkdirSync(dirname(join(to, name)), { recursive: true });
    writeFileSync(join(to, name), text, { flag: "wx" });
  }
  return Object.keys(FILES);
}
