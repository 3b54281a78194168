import { play, type Asked, type Person } from "./questions/play.ts";
import { readWork, workNames } from "./questions/work.ts";

/** Questions of a piece of work in either mode; `list`: what a program with a list of commands would have asked, whatever the mode. */
export interface QuestionRow {
  name: string;
  calls: number;
  ask: number;
  auto: number;
  list: number;
}

/** How often the person is asked, by us and by a program that proves commands by a list. `person`: what they answer. */
export async function questionRows(
  person: Person,
  names = workNames(),
): Promise<{ rows: QuestionRow[]; asked: Asked[] }> {
  const rows: QuestionRow[] = [];
  const all: Asked[] = [];
  for (const work of names.map(readWork)) {
    const ask = await play(work, "ask", person);
    const auto = await play(work, "auto", person);
    all.push(ask, auto);
    const { name, calls, floor } = ask;
    rows.push({ name, calls, ask: ask.asked.length, auto: auto.asked.length, list: floor });
  }
  const sum = (key: "calls" | "ask" | "auto" | "list") => rows.reduce((n, row) => n + row[key], 0);
  return {
    rows: [...rows, { name: "in all", calls: sum("calls"), ask: sum("ask"), auto: sum("auto"), list: sum("list") }],
    asked: all,
  };
}

/** Both tables, printed, and as they are kept. */
export async function questionFigures(): Promise<Record<Person, readonly QuestionRow[]>> {
  const [each, remember] = [await questionRows("each"), await questionRows("remember")];
  const strayed = [...each.asked, ...remember.asked].flatMap((a) => a.strayed.map((s) => `${a.name}: ${s}`));
  if (strayed.length > 0) console.log(`not as recorded, so the figures say little:\n${strayed.join("\n")}`);
  console.log(`questions, a plain yes each time\n${questionTable(each.rows)}`);
  console.log(`\nquestions, "for this session" wherever it is offered\n${questionTable(remember.rows)}`);
  return { each: each.rows, remember: remember.rows };
}

/** The table: questions, and questions a call. */
export function questionTable(rows: readonly QuestionRow[]): string {
  const cell = (n: number, calls: number): string => `${String(n).padStart(6)}${(n / calls).toFixed(2).padStart(7)}`;
  const head = `${"work".padEnd(34)}${"calls".padStart(6)}${"ask".padStart(13)}${"auto".padStart(13)}${"by a list".padStart(13)}`;
  return [
    head,
    ...rows.map(
      ({ name, calls, ask, auto, list }) =>
        `${name.padEnd(34)}${String(calls).padStart(6)}${cell(ask, calls)}${cell(auto, calls)}${cell(list, calls)}`,
    ),
  ].join("\n");
}
