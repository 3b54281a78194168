import type { Reply } from "./protocol.ts";

/** The work that a server gives: what it answers depends on the results that a request brings, so a retried request gets the same answer. */
export type Work =
  | { kind: "hi" }
  /** One read a turn. */
  | { kind: "turns"; count: number }
  /** All reads in one reply. */
  | { kind: "parallel"; count: number }
  /** So many words in one reply, `rate` a second. Without a rate: as fast as they are taken. */
  | { kind: "words"; count: number; rate?: number };

/** How a program's own tool reads the file of that name. */
export interface ReadTool {
  name: string;
  input(path: string): Record<string, unknown>;
}

/** File `i` of the work, counted from 1, and the mark inside, which has to reach the model. */
export function fileOf(i: number): { name: string; mark: string } {
  return { name: `file-${i}.txt`, mark: `mark-${i}-of-the-work` };
}

/** The answer to a request that holds so many results. */
export function replyTo(work: Work, results: number, read: ReadTool, folder: string): Reply {
  const call = (i: number) => ({ name: read.name, input: read.input(`${folder}/${fileOf(i).name}`) });
  switch (work.kind) {
    case "hi":
      return { text: ["hello"] };
    case "turns":
      return results < work.count ? { calls: [call(results + 1)] } : { text: ["All read."] };
    case "parallel":
      return results === 0
        ? { calls: Array.from({ length: work.count }, (_, i) => call(i + 1)) }
        : { text: ["All read."] };
    case "words":
      return { text: words(work.count) };
  }
}

/** Words as a reply has them, with some Markdown; each holds its number, so that a lost one is missed. */
export function words(count: number): string[] {
  return Array.from({ length: count }, (_, i) => {
    if (i % 200 === 199) return `\n\n## Part ${i}\n\n`;
    return i % 40 === 39 ? `w${i}.\n\n` : i % 13 === 12 ? `**w${i}** ` : `w${i} `;
  });
}

/** What a request and its work should have been once the work is done. */
export interface Done {
  /** Requests of the work itself. */
  turns: number;
  /** Marks of files that reached the model. */
  results: number;
}

export function expected(work: Work): Done {
  switch (work.kind) {
    case "turns":
      return { turns: work.count + 1, results: work.count };
    case "parallel":
      return { turns: 2, results: work.count };
    default:
      return { turns: 1, results: 0 };
  }
}
