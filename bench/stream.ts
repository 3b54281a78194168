import { replyOfDeltas, takeDeltas } from "../test/support/deltas.ts";
import { type Group, type Row, timed } from "./measure.ts";

/** Deltas of one reply made into its blocks and the view of the screen, against reading each as JSON. */
export function streamRows(): Group {
  return { rows: [row(5000), row(20_000)], close: () => undefined };
}

function row(deltas: number): Row {
  const events = replyOfDeltas(deltas);
  const lines = events.map((event) => JSON.stringify(event));
  return {
    name: `${deltas / 1000}k deltas of text, as many of an input`,
    floorName: "JSON.parse of each",
    run: () =>
      timed(() => {
        if (takeDeltas(events).blocks !== 2) throw new Error("a block is missing");
      }),
    floor: () =>
      timed(() => {
        if (lines.map((line): unknown => JSON.parse(line)).length !== events.length)
          throw new Error("some are missing");
      }),
  };
}
