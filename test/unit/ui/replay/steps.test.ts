import { describe, expect, it } from "vitest";
import { isFact } from "../../../../src/events/event.ts";
import { Film } from "../../../../src/ui/replay/film.ts";
import { plainReplay } from "../../../../src/ui/replay/plain.ts";
import { stepsOf } from "../../../../src/ui/replay/steps.ts";
import { plainTheme } from "../../../../src/ui/theme.ts";
import { events, finished, OPENED, prompt, reply, started, toolUse } from "../../../support/event-log.ts";

const LOG = events([
  OPENED,
  prompt("go"),
  reply([{ type: "text", text: "one two three" }, toolUse("t1", "Read", { file_path: "a.txt" })]),
  started("t1"),
  finished("t1", "words"),
  reply([{ type: "text", text: `${"word ".repeat(1000)}end` }]),
  { type: "query.finished", reason: "done", turns: 2, durationMs: 1 },
]);

describe("E5: a log at the pace of reading", () => {
  it("E5: each fact is a step; replies come word by word, and no reply takes longer than six seconds", () => {
    const steps = stepsOf(LOG);
    expect(steps.map((step) => step.seq)).toEqual(LOG.map((event) => event.seq));
    expect(steps.filter((step) => step.begins).map((step) => step.seq)).toEqual([2]);
    expect(steps[2]?.events.map(({ event }) => (event.type === "text.delta" ? event.text : event.type))).toEqual([
      "one ",
      "two ",
      "three",
      "reply.completed",
    ]);
    const long = steps[5]?.events ?? [];
    expect(long).toHaveLength(1002);
    expect(long.slice(0, -1).reduce((sum, { ms }) => sum + ms, 0)).toBeLessThanOrEqual(6001);
  });
  it("E5: word by word or at once, the same rows stand at the end", () => {
    const film = new Film(plainTheme);
    const rows = stepsOf(LOG).flatMap((step) =>
      step.events.flatMap(({ event }) => {
        film.show(event);
        return film.take(60);
      }),
    );
    expect(rows.filter((row) => row !== "").join("\n")).toBe(
      plainReplay(LOG, 60)
        .filter((row) => row !== "")
        .join("\n"),
    );
    expect(stepsOf(LOG).every((step) => step.events.filter(({ event }) => isFact(event)).length === 1)).toBe(true);
  });
});
