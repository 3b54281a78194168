import type { Skill } from "./skill.ts";

/** The skill that makes skills. */
export const SKILL_CREATOR: Skill = {
  name: "skill-creator",
  description:
    "Makes or mends a skill: a folder with a SKILL.md that says how a certain kind of work is done here. Use it when the person wants a way of working kept for later, or a skill is not found or does not work.",
  source: "built-in",
  shown: "skill-creator (built in)",
  files: [],
  byModel: true,
  byPerson: true,
  body: `# Making a skill

A skill teaches somebody who knows nothing of this project how one kind of work is done well. Only its name and description are always in sight; its text is read when it is loaded; files beside it are read when the text says so.

## 1. Know what it is for
Ask the person, or take it from what was just done: which requests should lead to it, in their own words; what went wrong without it; what a good result looks like and how it is checked. Two or three real examples are worth more than a long talk. If a line in AGENTS.md would do, propose that instead.

## 2. Where it lies
- For this project and everybody in it: \`.agent/skills/<name>/SKILL.md\`.
- A skill of the person's for all projects lies outside of the folder, which you can't write: show the text and say where it goes (\`/skills\` tells the place).

## 3. Write it
\`\`\`markdown
---
name: release-notes
description: "Writes the release notes of a version out of its commits. Use when the person asks for release notes, a changelog entry or what is new."
---
# Release notes

1. …
\`\`\`
- name: small letters, digits and single hyphens, at most 64, the same as the folder.
- description: at most 1,024 characters, in quotes. What it does, then when to use it, with the words that people really say. It alone decides whether the skill is found.
- Text: steps in order, in the imperative, with the exact commands and file names. Say why where it is not plain. Leave out what any good programmer knows. Under 300 lines; longer parts (tables, formats, examples) go into files beside it, each named in the text with when to read it.
- Scripts: what must come out the same each time goes into a script beside it (\`scripts/check.py\`). It runs in the copy, without network, with the project's tools. Name it by its path from the skill's folder, and run it once before you call the skill done.
- No keys, no absolute paths of one machine, nothing that holds only today.

## 4. Try it
Write down three requests that should lead to it and two that should not, and read the description against them. Then do one of the three by the text alone, step by step, and mend what you had to guess. Tell the person what you tried, and that a project's new skill is used once they trust the folder again (\`/trust\`).
`,
};
