import type { LogEventOf } from "../../events/event.ts";
import { grouped, several } from "./units.ts";

type Told = LogEventOf<
  "context.cleared" | "context.compacted" | "context.restored" | "context.rewound" | "aside.asked"
>;

/** What became of the conversation that is sent, in one row. */
export function contextWords(event: Told): string {
  switch (event.type) {
    case "context.rewound":
      return "── rewound: what came after is no longer part of the conversation";
    case "context.cleared":
      return `── ${RULES[event.rule ?? "length"]} ${several(Math.max(event.callIds.length, 1), "call")} (${sizes(event)})`;
    case "context.compacted":
      return `── ${event.handoff === undefined ? "older messages summed up" : `the model starts anew from ${event.handoff}`} (${sizes(event)})`;
    case "context.restored":
      return "── what was summed up or cleared is part of the conversation again";
    case "aside.asked":
      return `── a question beside the conversation: ${event.question}`;
  }
}

const RULES: Readonly<Record<NonNullable<LogEventOf<"context.cleared">["rule"]>, string>> = {
  budget: "shortened, the whole is in a file: results of",
  pictures: "dropped after use: pictures of",
  repeated: "read again since, unchanged: older results of",
  old: "cleared, the whole is in a file: results of",
  length: "cleared to make room: results of",
};

function sizes({ before, after }: { before: number; after: number }): string {
  return `${grouped(before)} → ${grouped(after)} tokens`;
}
